#include "solve/problem.hpp"

#include <algorithm>
#include <cmath>

#include "core/gpu.hpp"
#include "solve/preconditioners.hpp"

namespace heddle::solve_method {

template <class V>
Problem<V>::Problem(const Operator<V>& A, const V* b_there, V* x_there, Stream stream)
    : b(b_there),
      x(x_there),
      r(A.rows(), A.device()),
      A_(&A),
      n_(A.rows()),
      device_(A.device()),
      stream_(stream),
      pieces_(device_.kind == Device::Kind::cpu ? pieces_on_cpu(n_) : pieces_on_gpu(n_)),
      trips_(trips_on<V>(device_)),
      sums_(sum_slots * columns_at_once * pieces_, device_),
      sums_here_(pieces_),
      state_(1, device_) {
  store();
}

template <class V>
void Problem<V>::multiply(const V* from, V* to) {
  const auto size = static_cast<std::size_t>(n_);
  A_->multiply(std::span<const V>(from, size), std::span<V>(to, size), stream_);
}

template <class V>
void Problem<V>::precondition(const V* from, V* to) {
  const auto size = static_cast<std::size_t>(n_);
  if (d)
    trip(ScaledRows<V>{d, from, to});
  else if (M)
    M->apply(std::span<const V>(from, size), std::span<V>(to, size), stream_);
  else
    copy(from, to);
}

template <class V>
double Problem<V>::dot(const V* one, const V* other) {
  trip(Dot<V>{one, other}, nullptr, sums(first_sum));
  if (!device_.host_memory()) gpu::synchronize(stream_);
  memory::copy(sums_here_.data(), Device::cpu(), sums(first_sum), device_, sums_here_.bytes());
  double sum = 0;
  for (const double part : sums_here_) sum += part;
  return sum;
}

template <class V>
double Problem<V>::residual() {
  const auto size = static_cast<std::size_t>(n_);
  copy(b, r.data());
  A_->multiply(V(-1), std::span<const V>(x, size), V(1), r.span(), stream_);
  return dot(r.data(), r.data());
}

template <class V>
void Problem<V>::fetch() {
  if (!device_.host_memory()) gpu::synchronize(stream_);
  memory::copy(&state, Device::cpu(), state_.data(), device_, sizeof(State));
}

template <class V>
void Problem<V>::store() {
  if (!device_.host_memory()) gpu::synchronize(stream_);
  memory::copy(state_.data(), device_, &state, Device::cpu(), sizeof(State));
}

template <class V>
double safe_norm(Problem<V>& problem, const V* a) {
  const double squared = problem.dot(a, a);
  if (squared > 1e-280 && squared < 1e280) return std::sqrt(squared);
  Buffer<V> here(problem.size());
  memory::copy(here.data(), Device::cpu(), a, problem.device(), here.bytes());
  double largest = 0, sum = 0;
  for (const V v : here) {
    if (!std::isfinite(v)) return v;
    largest = std::max(largest, std::abs(static_cast<double>(v)));
  }
  if (largest == 0) return 0;
  const double scale = std::ldexp(1.0, -std::ilogb(largest));
  for (const V v : here) sum += (v * scale) * (v * scale);
  return std::sqrt(sum) / scale;
}

template <class V>
Status Method<V>::judge(Stop why, std::string& reason) {
  switch (why) {
    case Stop::none: reason = "the limit of iterations was reached"; return Status::max_iterations;
    case Stop::small_residual:
      reason = "the residual carried along is small enough, the one recomputed from x is not, and does not get smaller";
      return Status::stagnated;
    case Stop::curvature: reason = "p'A p is not positive"; return Status::indefinite;
    case Stop::preconditioner:
      reason = "r'M^-1 r is not positive: the preconditioner is not positive definite";
      return Status::indefinite;
    case Stop::breakdown: reason = "the method would divide by zero"; return Status::breakdown;
    case Stop::exhausted:
      reason = "no further direction makes the residual smaller; is the matrix singular?";
      return Status::stagnated;
    case Stop::not_finite: break;
  }
  reason = "an Inf or NaN came up";
  return Status::not_finite;
}

template class Problem<float>;
template class Problem<double>;
template class Method<float>;
template class Method<double>;
template double safe_norm(Problem<float>&, const float*);
template double safe_norm(Problem<double>&, const double*);

}  // namespace heddle::solve_method
