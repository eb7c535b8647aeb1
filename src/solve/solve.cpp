// solve: checks of the arguments, and the vectors of the caller.
#include <heddle/solve.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include "analyze/parts.hpp"
#include "core/check.hpp"
#include "core/gpu.hpp"
#include "core/memory_errors.hpp"
#include "core/own_stream.hpp"
#include "solve/course.hpp"
#include "solve/methods.hpp"
#include "solve/precondition/preconditioners.hpp"
#include "solve/solver.hpp"

namespace heddle {

namespace solve_method {
namespace {

template <class V>
void check_vectors(std::int64_t size, std::span<const V> b, std::span<V> x) {
  check(static_cast<std::int64_t>(b.size()) == size, ErrorKind::input, "b has {} elements, the matrix {} rows",
        b.size(), size);
  check(static_cast<std::int64_t>(x.size()) == size, ErrorKind::input, "x has {} elements, the matrix {} columns",
        x.size(), size);
  const std::less<const V*> before;
  const bool apart = b.empty() || !before(b.data(), x.data() + x.size()) || !before(x.data(), b.data() + b.size());
  check(apart, ErrorKind::input, "b and x overlap; the solution needs memory of its own");
}

template <class V>
void check_options(const SolveOptions<V>& options) {
  check(options.tolerance >= 0 && std::isfinite(options.tolerance), ErrorKind::usage,
        "a tolerance of {}: it must be a number from 0 on", options.tolerance);
  check(options.absolute_tolerance >= 0 && std::isfinite(options.absolute_tolerance), ErrorKind::usage,
        "an absolute tolerance of {}: it must be a number from 0 on", options.absolute_tolerance);
  check(options.max_iterations >= -1, ErrorKind::usage, "{} iterations at most: no such number",
        options.max_iterations);
  check(options.restart >= 1, ErrorKind::usage, "a restart after {} steps: it must be one or more", options.restart);
  check(options.check_every >= 0 && options.check_every <= history_size, ErrorKind::usage,
        "a look every {} iterations: 0 to {} are possible", options.check_every, history_size);
  const bool named = options.method != "auto", takes_varying = named && method_line<V>(options.method).takes_varying;
  if (options.preconditioner != "auto") (void)preconditioner_line<V>(options.preconditioner);
  if (options.own_preconditioner && options.own_preconditioner->varies() && !takes_varying)
    fail(ErrorKind::usage, At{options.method, "use gmres"}, "this method cannot take a preconditioner that varies");
}

template <class V>
void check_function(const MatrixFree<V>& A, const SolveOptions<V>& options) {
  check(A.size >= 0, ErrorKind::usage, "a matrix of {} rows", A.size);
  check(static_cast<bool>(A.multiply), ErrorKind::usage, "{} has no function that multiplies", A.name);
  if (!options.own_preconditioner && options.preconditioner != "none")
    fail(ErrorKind::usage, At{options.preconditioner, "give own_preconditioner, or none"},
         "a preconditioner by name is made from the entries of a matrix, which {} does not have", A.name);
  check(!options.better, ErrorKind::usage, "no better operator can take the place of {}", A.name);
}

// Vectors of the caller, and the solve between them: it works on an x of its own, so that an exception leaves the
// caller's as it was.
template <class V>
void solve_on_stream(const Action<V>& A, std::span<const V> b, std::span<V> x, const SolveOptions<V>& options,
                     Preparation<V>& preparation, Report& report) {
  const Device device = A.device();
  const bool elsewhere = !device.host_memory() && !b.empty();
  const gpu::Current current(device);
  const bool move_b = elsewhere && !gpu::lies_on(device.ordinal, b.data(), "b");
  const bool move_x = elsewhere && !gpu::lies_on(device.ordinal, x.data(), "x");
  const Buffer<V> b_there = move_b ? Buffer<V>::copy_of(b, device) : Buffer<V>();
  Buffer<V> own = move_x ? Buffer<V>::copy_of(x, device) : Buffer<V>(A.size(), device);
  Problem<V> problem(A, move_b ? b_there.data() : b.data(), own.data(), options.stream);
  if (!move_x) problem.copy(x.data(), own.data());
  if (!Solver<V>(problem, preparation, options, report).run()) return;
  if (move_x && options.stream.handle != nullptr) gpu::synchronize(options.stream);
  if (move_x) return memory::copy(x.data(), Device::cpu(), own.data(), device, x.size_bytes());
  problem.copy(own.data(), x.data());
  if (!device.host_memory()) gpu::synchronize(options.stream);
}

// Who builds a better operator meanwhile copies and starts kernels on the default stream: iterations that were queued
// there as well would wait for all of it.
template <class V>
void solve_there(const Action<V>& A, std::span<const V> b, std::span<V> x, const SolveOptions<V>& options,
                 Preparation<V>& preparation, Report& report) {
  const bool apart = options.better && A.device().kind == Device::Kind::gpu && options.stream.handle == nullptr;
  if (!apart) return solve_on_stream(A, b, x, options, preparation, report);
  const gpu::Current current(A.device());
  gpu::synchronize(Stream{});
  const gpu::OwnStream own;
  SolveOptions<V> there = options;
  there.stream = own.stream();
  solve_on_stream(A, b, x, there, preparation, report);
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
    case Status::not_finite: return "not_finite";
    case Status::stopped: break;
  }
  return "stopped";
}

std::string to_string(const Report& report) {
  std::string text = fmt::format("{} after {}, preconditioner {}, plan {}\n{}\n", name_of(report.status),
                                 course_of(report), report.preconditioner, report.plan, report.reason);
  if (report.minres_from >= 0)
    text += fmt::format(
        "cg found after {} iterations that a matrix or preconditioner is not positive definite, and minres went on\n",
        report.minres_from);
  if (!report.preconditioner_reason.empty()) text += "preconditioner: " + report.preconditioner_reason + "\n";
  text += fmt::format("residual {:.3g}, recomputed {:.3g} (relative to |b| = {:.3g})\n", report.residual,
                      report.true_residual, report.rhs_norm);
  return text;
}

template <class V>
std::string method_for(const Csr<V>& given) {
  const Csr<V> A = solve_method::on_host(given);
  if (!measure_symmetry(A.view()).numerical) return "gmres";
  for (std::int64_t row = 0; row < A.rows; ++row) {
    const auto first = A.col.begin() + A.ptr[row], last = A.col.begin() + A.ptr[row + 1];
    const auto found = std::lower_bound(first, last, static_cast<Index>(row));
    if (found == last || *found != row || !(A.val[found - A.col.begin()] > V(0))) return "minres";
  }
  return "cg";
}

namespace solve_method {

template <class V>
Report solve_prepared(const Action<V>& A, std::span<const V> b, std::span<V> x, const SolveOptions<V>& options,
                      Preparation<V>& preparation) {
  check_vectors<V>(A.size(), b, x);
  Report report;
  report.method = options.method;
  report.preconditioner = options.own_preconditioner ? options.own_preconditioner->name() : options.preconditioner;
  report.plan = A.plan();
  solve_there<V>(A, b, x, options, preparation, report);
  return report;
}

template <class V>
void check_system(const Operator<V>& A, const SolveOptions<V>& options) {
  if (A.rows() != A.cols())
    fail(ErrorKind::input, At{"solve", "a system of equations needs a square matrix"}, "the matrix is {} x {}",
         A.rows(), A.cols());
  check_options(options);
}

}  // namespace solve_method

template <class V>
Report solve(const Operator<V>& A, std::type_identity_t<std::span<const V>> b, std::type_identity_t<std::span<V>> x,
             const std::type_identity_t<SolveOptions<V>>& options) {
  return with_memory_errors([&] {
    using namespace solve_method;
    check_system(A, options);
    Preparation<V> preparation(A, options);
    return solve_prepared<V>(A, b, x, options, preparation);
  });
}

template <class V>
Report solve(const MatrixFree<V>& A, std::type_identity_t<std::span<const V>> b, std::type_identity_t<std::span<V>> x,
             const std::type_identity_t<SolveOptions<V>>& options) {
  return with_memory_errors([&] {
    using namespace solve_method;
    check_options(options);
    check_function(A, options);
    Preparation<V> preparation(A, options);
    return solve_prepared<V>(A, b, x, options, preparation);
  });
}

template <class V>
std::vector<Report> solve_many(const Operator<V>& A, std::type_identity_t<std::span<const V>> B,
                               std::type_identity_t<std::span<V>> X,
                               const std::type_identity_t<SolveOptions<V>>& options) {
  return with_memory_errors([&] {
    using namespace solve_method;
    check_system(A, options);
    const auto n = static_cast<std::size_t>(A.rows());
    check(B.size() == X.size(), ErrorKind::input, "B has {} numbers, X {}", B.size(), X.size());
    check(n == 0 ? B.empty() : B.size() % n == 0, ErrorKind::input, "{} numbers are no columns of {} rows", B.size(),
          n);
    Preparation<V> preparation(A, options);
    std::vector<Report> reports;
    for (std::size_t at = 0; at < B.size(); at += n)
      reports.push_back(solve_prepared<V>(A, B.subspan(at, n), X.subspan(at, n), options, preparation));
    return reports;
  });
}

template std::string method_for(const Csr<float>&);
template std::string method_for(const Csr<double>&);
template Report solve(const Operator<float>&, std::span<const float>, std::span<float>, const SolveOptions<float>&);
template Report solve(const Operator<double>&, std::span<const double>, std::span<double>, const SolveOptions<double>&);
template Report solve(const MatrixFree<float>&, std::span<const float>, std::span<float>, const SolveOptions<float>&);
template Report solve(const MatrixFree<double>&, std::span<const double>, std::span<double>,
                      const SolveOptions<double>&);
template std::vector<Report> solve_many(const Operator<float>&, std::span<const float>, std::span<float>,
                                        const SolveOptions<float>&);
template std::vector<Report> solve_many(const Operator<double>&, std::span<const double>, std::span<double>,
                                        const SolveOptions<double>&);

}  // namespace heddle
