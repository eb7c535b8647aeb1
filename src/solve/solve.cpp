// solve: checks, the choice of a method, the loop around it, and the verdict.
#include <heddle/solve.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include <heddle/analyze.hpp>

#include "core/check.hpp"
#include "core/gpu.hpp"
#include "solve/changeover.hpp"
#include "solve/iterations.hpp"
#include "solve/preconditioners.hpp"
#include "solve/problem.hpp"

namespace heddle {

namespace solve_method {
namespace {

constexpr std::int64_t most_iterations = 100'000;

template <class V>
void check_arguments(const Operator<V>& A, std::span<const V> b, std::span<V> x, const SolveOptions<V>& options) {
  const auto size_of = [](auto s) { return static_cast<std::int64_t>(s.size()); };
  if (A.rows() != A.cols())
    fail(ErrorKind::input, At{"solve", "a system of equations needs a square matrix"}, "the matrix is {} x {}",
         A.rows(), A.cols());
  check(size_of(b) == A.rows(), ErrorKind::input, "b has {} elements, the matrix {} rows", b.size(), A.rows());
  check(size_of(x) == A.rows(), ErrorKind::input, "x has {} elements, the matrix {} columns", x.size(), A.rows());
  const std::less<const V*> before;
  const bool apart = b.empty() || !before(b.data(), x.data() + x.size()) || !before(x.data(), b.data() + b.size());
  check(apart, ErrorKind::input, "b and x overlap; the solution needs memory of its own");
  check(options.tolerance >= 0 && std::isfinite(options.tolerance), ErrorKind::usage,
        "a tolerance of {}: it must be a number from 0 on", options.tolerance);
  check(options.absolute_tolerance >= 0 && std::isfinite(options.absolute_tolerance), ErrorKind::usage,
        "an absolute tolerance of {}: it must be a number from 0 on", options.absolute_tolerance);
  check(options.max_iterations >= -1, ErrorKind::usage, "{} iterations at most: no such number",
        options.max_iterations);
  check(options.restart >= 1, ErrorKind::usage, "a restart after {} steps: it must be one or more", options.restart);
  check(options.check_every >= 0 && options.check_every <= history_size, ErrorKind::usage,
        "a look every {} iterations: 0 to {} are possible", options.check_every, history_size);
  const auto& methods = {"auto", "cg", "minres", "bicgstab", "gmres"};
  if (std::find(methods.begin(), methods.end(), options.method) == methods.end())
    fail(ErrorKind::usage, At{options.method, "known: auto, cg, minres, bicgstab, gmres"}, "no such method");
  check_preconditioner(options.preconditioner);
  if (options.own_preconditioner && options.own_preconditioner->varies() && options.method != "gmres")
    fail(ErrorKind::usage, At{options.method, "use gmres"}, "this method cannot take a preconditioner that varies");
}

// The matrix as the caller gave it, or restored from the operator when it is asked for.
template <class V>
class Matrix {
 public:
  Matrix(const Operator<V>& A, const Csr<V>* given) : A_(A), given_(given) {}
  const Csr<V>& operator()() {
    if (given_) return *given_;
    if (!restored_) restored_ = A_.restore();
    return *restored_;
  }

 private:
  const Operator<V>& A_;
  const Csr<V>* given_;
  std::optional<Csr<V>> restored_;
};

template <class V>
std::unique_ptr<Method<V>> make_method(const std::string& name, Problem<V>& problem, int restart) {
  if (name == "cg") return make_cg(problem);
  if (name == "minres") return make_minres(problem);
  if (name == "bicgstab") return make_bicgstab(problem);
  return make_gmres(problem, restart);
}

template <class V>
class Solve {
 public:
  Solve(const Operator<V>& A, Problem<V>& problem, const SolveOptions<V>& options, Report& report)
      : first(A), options_(options), report_(report), on(problem) {}

  // The preconditioner may be the caller's, and the better operator ends with the solve.
  ~Solve() {
    if (preconditioner_) preconditioner_->use(first);
  }
  Solve(const Solve&) = delete;

  // b has the norm `b_norm`, a number that may be squared.
  void run(double b_norm, double target) {
    b_norm_ = b_norm;
    target_ = target;
    on.state.small = target * target;
    double rr = on.residual();
    note_residuals(rr, rr);
    report_.history.push_back(relative(rr));
    largest_ = std::max(1.0, relative(rr)) / std::numeric_limits<V>::epsilon();
    if (!std::isfinite(rr)) return verdict(Status::not_finite, "there is an Inf or NaN in A, b or x, or A x overflows");
    if (small(rr)) return verdict(Status::converged, "the first guess is a solution");
    if (limit() == 0) return verdict(Status::max_iterations, "no iterations were allowed");
    BetterOperator<V> better(options_.better);
    better_ = &better;
    prepare();
    const Clock clock;
    better.iterations_begin();
    iterate(rr);
    report_.seconds = clock.seconds();
    report_.graph_iterations = std::min(iterations_->from_graph(), report_.iterations);
    report_.changeover = better.finish(report_.iterations);
  }

 private:
  std::int64_t limit() const {
    return options_.max_iterations >= 0 ? options_.max_iterations : std::min(10 * on.size(), most_iterations);
  }
  int look_every() const {
    if (options_.check_every > 0) return options_.check_every;
    // A look costs a GPU some iterations' time, a late one some iterations for nothing.
    const int usual =
        on.device().host_memory() ? 1 : std::clamp(static_cast<int>(on.state.recorded / 8), 4, history_size);
    return std::max(usual, iterations_->fewest(on.state.recorded));
  }
  double relative(double squared) const { return std::sqrt(squared) / b_norm_; }
  bool small(double squared) const { return std::sqrt(squared) <= target_; }
  void verdict(Status status, std::string reason) {
    report_.status = status;
    report_.reason = std::move(reason);
  }
  void note_residuals(double carried, double recomputed) {
    report_.residual = relative(carried);
    report_.true_residual = relative(recomputed);
  }

  void prepare() {
    const Clock clock;
    Matrix<V> matrix(first, options_.matrix);
    if (report_.method == "auto") report_.method = method_for(matrix());
    preconditioner_ = options_.own_preconditioner;
    if (!preconditioner_ && options_.preconditioner != "none")
      preconditioner_ = make_preconditioner(
          options_.preconditioner, first, matrix(),
          {.block = options_.block, .power = options_.power, .positive = report_.method == "minres"});
    report_.preconditioner = preconditioner_ ? preconditioner_->name() : "none";
    const bool needs_symmetry = report_.method == "cg" || report_.method == "minres";
    if (preconditioner_ && needs_symmetry && !preconditioner_->symmetric())
      fail(ErrorKind::usage, At{report_.method, "use bicgstab or gmres; fsai for a positive definite matrix"},
           "{} is not symmetric, as this method needs it", report_.preconditioner);
    on.set_preconditioner(preconditioner_.get());
    method_ = make_method(report_.method, on, options_.restart);
    iterations_.emplace(on, *method_, options_.graph);
    report_.setup_seconds = clock.seconds();
  }

  // Each round starts from the recomputed residual. A round that ends well is checked; when rounding has made the
  // residual carried along too optimistic, or the method broke down after some progress, another round follows.
  void iterate(double rr) {
    for (;;) {
      on.state.iteration = on.state.recorded;
      on.state.stopped = never;
      on.state.reason = Stop::none;
      Stop why = method_->start();
      if (why == Stop::none) why = round();
      method_->finish();
      const double before = rr;
      rr = on.residual();
      report_.iterations = on.state.recorded;
      note_residuals(why == Stop::small_residual || on.state.recorded > 0 ? last_recorded() : before, rr);
      if (small(rr)) return verdict(Status::converged, "the residual recomputed from x meets the tolerance");
      if (!std::isfinite(rr)) return verdict(Status::not_finite, "an Inf or NaN came up");
      if (!go_on(why, before, rr)) return give_up(why);
    }
  }

  bool go_on(Stop why, double before, double rr) const {
    constexpr double progress = 0.25;  // of the squared residual: half its norm
    if (on.state.recorded >= limit() || stuck_ || diverged_) return false;
    if (why == Stop::none) return rr < before * (1 - 1e-10);  // a cycle of gmres is full
    const bool worth_it = why == Stop::small_residual || why == Stop::breakdown || why == Stop::exhausted;
    return worth_it && rr < progress * before;
  }

  void give_up(Stop why) {
    std::string reason;
    const bool full = why == Stop::none && on.state.recorded < limit();
    Status status = method_->judge(full ? Stop::exhausted : why, reason);
    if (diverged_) {
      status = Status::breakdown;
      reason = "the residual has grown beyond all bounds; is the matrix singular?";
    } else if (stuck_) {
      status = Status::stagnated;
      reason = "the residual has not become smaller for a long time";
    }
    verdict(status, std::move(reason));
  }

  // Iterations until the method stops, is full, gets stuck or may not do more.
  Stop round() {
    while (on.state.recorded < limit() && !method_->full() && !stuck_ && !diverged_) {
      const std::int64_t seen = on.state.recorded;
      const std::int64_t batch = std::min<std::int64_t>(look_every(), limit() - seen);
      iterations_->queue(seen, batch);
      on.fetch();
      look_at_history(seen);
      if (on.state.reason != Stop::none) return on.state.reason;
      check(on.state.recorded > seen, ErrorKind::internal, "{} did no iteration", to_string(on.device()));
      if (const Operator<V>* better = better_->take(first, on.state.recorded)) change_to(*better);
    }
    return Stop::none;
  }

  void change_to(const Operator<V>& better) {
    on.set_operator(better);
    if (preconditioner_) preconditioner_->use(better);
    iterations_->operator_changed();
    report_.plan = to_string(better.plan());
  }

  void look_at_history(std::int64_t seen) {
    for (std::int64_t k = seen + 1; k <= on.state.recorded; ++k) {
      const double rr = on.state.history[k % history_size];
      report_.history.push_back(relative(rr));
      if (rr < 0.98 * best_) best_ = rr, best_at_ = k;
    }
    diverged_ = report_.history.back() > largest_;
    stuck_ = on.state.recorded - best_at_ > std::max<std::int64_t>(1000, on.size());
    if (options_.progress && on.state.recorded > seen)
      options_.progress({on.state.recorded, report_.history.back(), target_ / b_norm_});
  }
  double last_recorded() const { return on.state.history[on.state.recorded % history_size]; }

  const Operator<V>& first;
  const SolveOptions<V>& options_;
  Report& report_;
  Problem<V>& on;
  double b_norm_ = 0, target_ = 0;
  std::shared_ptr<Preconditioner<V>> preconditioner_;
  std::unique_ptr<Method<V>> method_;
  std::optional<Iterations<V>> iterations_;
  BetterOperator<V>* better_ = nullptr;
  double best_ = HUGE_VAL;
  std::int64_t best_at_ = 0;
  double largest_ = 0;  // a relative residual beyond this leaves no correct digit in x
  bool stuck_ = false, diverged_ = false;
};

// Squares of numbers beyond 1e100 or below 1e-100 leave the range of double: then a system scaled by a power of two is
// solved instead, which changes nothing else.
template <class V>
V scale_for(double norm) {
  if constexpr (sizeof(V) == 4) return V(1);
  if (norm > 1e-100 && norm < 1e100) return V(1);
  return static_cast<V>(std::ldexp(1.0, -std::clamp(std::ilogb(norm), -1000, 1000)));
}

template <class V>
void solve_on_device(const Operator<V>& A, const V* b, V* x, const SolveOptions<V>& options, Report& report) {
  Problem<V> problem(A, b, x, options.stream);
  const double norm = safe_norm(problem, b);
  report.rhs_norm = norm;
  if (!std::isfinite(norm)) {
    report.status = Status::not_finite;
    report.reason = "there is an Inf or NaN in b";
    return;
  }
  if (norm == 0) {
    problem.clear(x);
    if (!A.device().host_memory()) gpu::synchronize(options.stream);
    report.status = Status::converged;
    report.reason = "b is zero, and so is the solution";
    report.history = {0};
    return;
  }
  const V scale = scale_for<V>(norm);
  const double scaled_norm = norm * scale;
  const double target = std::max(options.tolerance * scaled_norm, options.absolute_tolerance * scale);
  if (scale == V(1)) return Solve<V>(A, problem, options, report).run(scaled_norm, target);
  Buffer<V> scaled_b = problem.vector();
  problem.trip(Combine<V>{scale, b, V(0), scaled_b.data()});
  problem.trip(Combine<V>{V(0), nullptr, scale, x});
  problem.b = scaled_b.data();
  Solve<V>(A, problem, options, report).run(scaled_norm, target);
  problem.trip(Combine<V>{V(0), nullptr, V(1) / scale, x});
  if (!A.device().host_memory()) gpu::synchronize(options.stream);
}

}  // namespace
}  // namespace solve_method

const char* name_of(Status status) noexcept {
  switch (status) {
    case Status::converged: return "converged";
    case Status::max_iterations: return "max_iterations";
    case Status::breakdown: return "breakdown";
    case Status::stagnated: return "stagnated";
    case Status::indefinite: return "indefinite";
    case Status::not_finite: break;
  }
  return "not_finite";
}

std::string to_string(const Report& report) {
  std::string text =
      fmt::format("{} after {} iterations of {}, preconditioner {}, plan {}\n{}\n", name_of(report.status),
                  report.iterations, report.method, report.preconditioner, report.plan, report.reason);
  text += fmt::format("residual {:.3g}, recomputed {:.3g} (relative to |b| = {:.3g})\n", report.residual,
                      report.true_residual, report.rhs_norm);
  return text;
}

template <class V>
std::string method_for(const Csr<V>& A) {
  if (!analyze(A).symmetric) return "gmres";
  for (std::int64_t row = 0; row < A.rows; ++row) {
    const auto first = A.col.begin() + A.ptr[row], last = A.col.begin() + A.ptr[row + 1];
    const auto found = std::lower_bound(first, last, static_cast<Index>(row));
    if (found == last || *found != row || !(A.val[found - A.col.begin()] > V(0))) return "minres";
  }
  return "cg";
}

template <class V>
Report solve(const Operator<V>& A, std::type_identity_t<std::span<const V>> b, std::type_identity_t<std::span<V>> x,
             const std::type_identity_t<SolveOptions<V>>& options) {
  solve_method::check_arguments<V>(A, b, x, options);
  Report report;
  report.method = options.method;
  report.preconditioner = options.own_preconditioner ? options.own_preconditioner->name() : options.preconditioner;
  report.plan = to_string(A.plan());
  const bool elsewhere = !A.device().host_memory() && !b.empty();
  const bool move_b = elsewhere && !gpu::is_device_pointer(b.data());
  const bool move_x = elsewhere && !gpu::is_device_pointer(x.data());
  const Buffer<V> b_there = move_b ? Buffer<V>::copy_of(b, A.device()) : Buffer<V>();
  Buffer<V> x_there = move_x ? Buffer<V>::copy_of(x, A.device()) : Buffer<V>();
  solve_method::solve_on_device<V>(A, move_b ? b_there.data() : b.data(), move_x ? x_there.data() : x.data(), options,
                                   report);
  if (move_x) memory::copy(x.data(), Device::cpu(), x_there.data(), A.device(), x.size_bytes());
  return report;
}

template std::string method_for(const Csr<float>&);
template std::string method_for(const Csr<double>&);
template Report solve(const Operator<float>&, std::span<const float>, std::span<float>, const SolveOptions<float>&);
template Report solve(const Operator<double>&, std::span<const double>, std::span<double>, const SolveOptions<double>&);

}  // namespace heddle
