#include "solve/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/gpu.hpp"

namespace heddle::solve_method {

template <class V>
Solver<V>::~Solver() {
  if (!preconditioner_) return;
  if (const Operator<V>* first = on.first_action().as_operator()) preconditioner_->use(*first);
}

template <class V>
double Solver<V>::relative(double squared) const {
  return std::sqrt(squared) / b_.scaled;
}

template <class V>
bool Solver<V>::small(double squared) const {
  return std::sqrt(squared) <= target_;
}

template <class V>
void Solver<V>::verdict(Status status, std::string reason) {
  report_.status = status;
  report_.reason = std::move(reason);
}

template <class V>
void Solver<V>::note_residuals(double carried, double recomputed) {
  report_.residual = relative(carried);
  report_.true_residual = relative(recomputed);
}

template <class V>
bool Solver<V>::run() {
  b_ = size_of(on, on.b);
  report_.rhs_norm = b_.norm();
  if (!b_.finite) {
    report_.residual = report_.true_residual = std::numeric_limits<double>::quiet_NaN();
    verdict(Status::not_finite, "there is an Inf or NaN in b");
    return false;
  }
  if (b_.scaled == 0) return run_without_b();
  target_ = std::max(options_.tolerance * b_.scaled, options_.absolute_tolerance * b_.scale);
  if (b_.scale != 1) return run_scaled();
  run_from(on.residual());
  return report_.iterations > 0;
}

// x = 0, where A x is finite then.
template <class V>
bool Solver<V>::run_without_b() {
  if (!on.finite_x()) {
    verdict(Status::not_finite, "there is an Inf or NaN in x");
    return false;
  }
  on.clear(on.x);
  if (!std::isfinite(on.residual())) {
    verdict(Status::not_finite, "b is zero, and there is an Inf or NaN in A");
    return false;
  }
  report_.history = {0};
  verdict(Status::converged, "b is zero, and so is the solution");
  return true;
}

// For scale b and scale x. Whatever was said of that x is said anew of the one that is returned.
template <class V>
bool Solver<V>::run_scaled() {
  const V scale = static_cast<V>(b_.scale);
  Buffer<V> scaled_b = on.vector();
  on.trip(Combine<V>{scale, on.b, V(0), scaled_b.data()});
  on.trip(Combine<V>{V(0), nullptr, scale, on.x});
  on.b = scaled_b.data();
  run_from(on.residual());
  if (report_.iterations == 0) return false;
  on.trip(Combine<V>{V(0), nullptr, V(1) / scale, on.x});
  Buffer<V> returned = on.vector();
  on.copy(on.x, returned.data());
  on.trip(Combine<V>{V(0), nullptr, scale, on.x});  // exact, but for an Inf
  judge_returned();
  on.copy(returned.data(), on.x);
  if (!on.device().host_memory()) gpu::synchronize(on.stream());
  return true;
}

template <class V>
void Solver<V>::judge_returned() {
  const double rr = on.residual();
  report_.true_residual = relative(rr);
  if (!std::isfinite(rr))
    verdict(Status::not_finite, "the solution is too large for the numbers of this precision");
  else if (report_.converged() && !small(rr))
    verdict(Status::stagnated,
            "the solution is so small that its elements lose digits, or all of them: with what is left of x the "
            "residual is too large");
}

template <class V>
void Solver<V>::run_from(double rr) {
  on.state.small = target_ * target_;
  note_residuals(rr, rr);
  report_.history.push_back(relative(rr));
  largest_ = std::max(1.0, relative(rr)) / std::numeric_limits<V>::epsilon();
  if (!std::isfinite(rr)) return verdict(Status::not_finite, "there is an Inf or NaN in A, b or x, or A x overflows");
  if (small(rr)) return verdict(Status::converged, "the first guess is a solution");
  if (limit() == 0) return verdict(Status::max_iterations, "no iterations were allowed");
  BetterOperator<V> better(options_.better);
  better_ = &better;
  const SolveProgress begin{0, relative(rr), target_ / b_.scaled};
  if (!asked_to_stop(begin)) prepare(begin);
  const WallClock clock;
  better.iterations_begin();
  if (!stopped_ && !asked_to_stop(begin))
    iterate(rr);
  else
    verdict(Status::stopped, "keep_going ended it before the first iteration");
  report_.seconds = clock.seconds();
  if (iterations_) report_.graph_iterations = std::min(iterations_->from_graph(), report_.iterations);
  report_.changeover = better.finish(report_.iterations);
}

template class Solver<float>;
template class Solver<double>;

}  // namespace heddle::solve_method
