// What a solve decides by itself, and what its caller may do while it runs.
#include <gtest/gtest.h>

#include <cmath>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>
#include <heddle/solve.hpp>

#include "solve/loading.hpp"
#include "solve/precondition/preconditioners.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

using Numbers = std::vector<double>;
constexpr const char* methods[] = {"cg", "minres", "bicgstab", "gmres"};

Numbers wavy(std::int64_t n) {
  Numbers b(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1 + std::sin(0.7 * static_cast<double>(i));
  return b;
}

// 2 on the diagonal and -1 next to it.
Csr<double> path(Index n) {
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    if (i > 0) entries.push_back({i, static_cast<Index>(i - 1), -1.0});
    entries.push_back({i, i, 2.0});
    if (i + 1 < n) entries.push_back({i, static_cast<Index>(i + 1), -1.0});
  }
  return from_entries(n, n, entries);
}

// A grid whose diagonal is positive, but too small for all of its eigenvalues to be.
Csr<double> shifted(const char* name, double shift) {
  Csr<double> A = generate<double>(name);
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      if (A.col[k] == row) A.val[k] -= shift;
  return A;
}

// ---------------------------------------------------------------------------------- stopping and looking

TEST(SolveOptions, keep_going_that_gives_false_stops_with_the_history_and_the_x_so_far) {
  const Csr<double> A = generate<double>("stencil2d5,n=30");
  const auto op = build(A);
  const Numbers b = wavy(A.rows);
  for (const double size : {1.0, 0x1p-700})
    for (const char* method : methods) {
      Numbers scaled = b, x(b.size(), 0.0), seven(b.size(), 0.0);
      for (double& v : scaled) v *= size;
      const Report stopped = solve(
          op, scaled, x, {.method = method, .keep_going = [](const SolveProgress& now) { return now.iteration < 7; }});
      EXPECT_EQ(stopped.status, Status::stopped) << method;
      EXPECT_STREQ(name_of(stopped.status), "stopped");
      EXPECT_EQ(stopped.iterations, 7);
      EXPECT_EQ(stopped.history.size(), 8u);
      EXPECT_NEAR(stopped.true_residual, stopped.residual, 1e-9);
      const Report limited = solve(op, scaled, seven, {.method = method, .max_iterations = 7});
      EXPECT_EQ(limited.status, Status::max_iterations);
      EXPECT_EQ(x, seven) << method;
    }
}

TEST(SolveOptions, keep_going_is_asked_before_and_after_the_set_up) {
  const Csr<double> A = generate<double>("stencil2d5,n=9");
  const auto op = build(A);
  for (const int allowed : {0, 1}) {
    int asked = 0;
    Numbers x(81, 0.5);
    const Report report =
        solve(op, wavy(81), x, {.preconditioner = "jacobi", .keep_going = [&](const SolveProgress& now) {
                                  EXPECT_EQ(now.iteration, 0);
                                  return ++asked <= allowed;
                                }});
    EXPECT_EQ(report.status, Status::stopped);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(asked, allowed + 1);
    EXPECT_EQ(x, Numbers(81, 0.5));
  }
}

TEST(SolveOptions, keep_going_is_asked_during_the_set_up_of_grids) {
  const auto op = build(generate<double>("stencil3d7,n=20"));
  int asked = 0;
  Numbers x(8000, 0.5);
  const Report report = solve(
      op, wavy(8000), x, {.preconditioner = "amg", .keep_going = [&](const SolveProgress&) { return ++asked < 3; }});
  EXPECT_EQ(report.status, Status::stopped);
  EXPECT_EQ(asked, 3);
  EXPECT_TRUE(report.grids.empty()) << "the set-up came to its end";
  EXPECT_EQ(x, Numbers(8000, 0.5));
}

TEST(SolveOptions, making_a_preconditioner_can_be_stopped) {
  const Csr<double> A = generate<double>("stencil2d5,n=9");
  const auto op = build(A);
  for (const char* name : {"jacobi", "fsai", "amg"}) {
    const KeepGoing stop = [](std::string_view stage, double) { return stage != "set up"; };
    try {
      make_preconditioner(name, op, A, {.keep_going = stop});
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::stopped) << error.what();
    }
  }
}

TEST(SolveOptions, a_solution_that_is_there_when_it_is_stopped_is_one) {
  const Csr<double> A = generate<double>("stencil2d5,n=9");
  Numbers x(81, 0.0);
  double last = 1;
  const Report report = solve(build(A), wavy(81), x, {.method = "cg", .keep_going = [&](const SolveProgress& now) {
                                                        last = now.residual;
                                                        return now.residual > now.target;
                                                      }});
  EXPECT_TRUE(report.converged()) << report.reason << last;
}

TEST(SolveOptions, iterate_gets_the_x_of_every_look_and_changes_no_bit) {
  const Csr<double> A = generate<double>("stencil2d5,n=12,coefficients=varying");
  const auto op = build(A);
  for (const double size : {1.0, 0x1p-700})
    for (const char* method : methods)
      for (const char* preconditioner : {"none", "block_jacobi"}) {
        Numbers b = wavy(A.rows), plain(b.size(), 0.0), watched(b.size(), 0.0), last;
        for (double& v : b) v *= size;
        SolveOptions<double> options{.method = method, .preconditioner = preconditioner, .restart = 8};
        const Report one = solve(op, b, plain, options);
        std::int64_t looks = 0;
        options.iterate = [&](const SolveProgress& now, std::span<const double> x) {
          last.assign(x.begin(), x.end());
          EXPECT_EQ(now.iteration, ++looks);
          Numbers reached(b.size(), 0.0);
          if (looks == 5) {
            solve(op, b, reached,
                  {.method = method, .preconditioner = preconditioner, .max_iterations = 5, .restart = 8});
            EXPECT_EQ(last, reached) << method << " " << preconditioner;
          }
        };
        const Report two = solve(op, b, watched, options);
        EXPECT_EQ(plain, watched) << method;
        EXPECT_EQ(one.history, two.history);
        EXPECT_EQ(looks, two.iterations);
        EXPECT_EQ(last, watched) << method;
      }
}

TEST(SolveOptions, every_setting_of_a_preconditioner_reaches_it) {
  const Csr<double> A = generate<double>("stencil2d5,n=30");
  const auto op = build(A);
  const auto iterations = [&](const std::string& name, const PreconditionerOptions& settings) {
    Numbers x(900, 0.0);
    return solve(op, wavy(900), x, {.method = "cg", .preconditioner = name, .preconditioner_options = settings})
        .iterations;
  };
  EXPECT_LT(iterations("chebyshev", {.degree = 8}), iterations("chebyshev", {.degree = 2}));
  EXPECT_LT(iterations("fsai", {.power = 3}), iterations("fsai", {}));
  EXPECT_LT(iterations("amg", {.smoothing = 4}), iterations("amg", {.smoothing = 1}));
  Numbers x(900, 0.0);
  const Report report = solve(op, wavy(900), x, {.preconditioner = "amg", .preconditioner_options = {.coarsest = 20}});
  EXPECT_GE(report.grids.size(), 3u);
  EXPECT_EQ(report.grids.front().rows, 900);
}

// ---------------------------------------------------------------------------------- cg that becomes minres

TEST(SolveAuto, goes_on_with_minres_where_cg_finds_the_matrix_indefinite) {
  const Csr<double> A = shifted("stencil2d5,n=12", 1.3);
  EXPECT_EQ(method_for(A), "cg");
  const Numbers b = wavy(A.rows);
  for (const Device device : {Device::cpu(), Device::emulator()})
    for (const char* preconditioner : {"none", "jacobi"}) {
      const auto op = build(A, {}, {.device = device});
      Numbers x(b.size(), 0.0);
      const Report report = solve(op, b, x, {.preconditioner = preconditioner, .tolerance = 1e-6});
      EXPECT_TRUE(report.converged()) << preconditioner << ": " << report.reason;
      EXPECT_EQ(report.method, "minres");
      EXPECT_GE(report.minres_from, 0);
      EXPECT_LT(report.minres_from, report.iterations);
      EXPECT_EQ(report.history.size(), static_cast<std::size_t>(report.iterations + 1));
      EXPECT_NE(to_string(report).find("minres went on"), std::string::npos);
      Numbers alone(b.size(), 0.0);
      EXPECT_EQ(solve(op, b, alone, {.method = "cg", .preconditioner = preconditioner}).status, Status::indefinite);
    }
}

TEST(SolveAuto, drops_a_preconditioner_that_is_not_positive_definite) {
  const Csr<double> A = shifted("stencil2d5,n=12", 3.5);
  Numbers x(144, 0.0);
  const Report report =
      solve(build(A), wavy(144), x, {.preconditioner = "block_jacobi", .preconditioner_options = {.block = 12}});
  EXPECT_TRUE(report.converged()) << report.reason;
  EXPECT_EQ(report.method, "minres");
  EXPECT_EQ(report.preconditioner, "none");
  EXPECT_NE(report.preconditioner_reason.find("block_jacobi 12"), std::string::npos) << report.preconditioner_reason;
}

TEST(SolveAuto, remembers_for_the_next_right_hand_side_what_cg_has_found) {
  const Csr<double> A = shifted("stencil2d5,n=12", 1.3);
  Numbers B = wavy(288), X(288, 0.0);
  const std::vector<Report> reports = solve_many(build(A), B, X);
  EXPECT_GE(reports[0].minres_from, 0);
  EXPECT_EQ(reports[1].minres_from, -1);
  for (const Report& report : reports) {
    EXPECT_TRUE(report.converged());
    EXPECT_EQ(report.method, "minres");
  }
}

TEST(SolveAuto, keeps_to_the_limit_of_iterations_when_it_changes) {
  const Csr<double> A = shifted("stencil2d5,n=12", 1.3);
  for (const std::int64_t limit : {1, 5, 30, 60}) {
    Numbers x(144, 0.0);
    EXPECT_LE(solve(build(A), wavy(144), x, {.tolerance = 1e-14, .max_iterations = limit}).iterations, limit);
  }
}

// ---------------------------------------------------------------------------------- the preconditioner "auto"

std::string chosen(const std::string& name, const std::string& method = "cg", Device device = {}) {
  const PreconditionerChoice choice = preconditioner_for(generate<double>(name), method, device);
  EXPECT_EQ(choice.reason.find('\n'), std::string::npos);
  EXPECT_FALSE(choice.reason.empty());
  return choice.name;
}

TEST(AutoPreconditioner, takes_multigrid_where_a_number_has_far_to_travel) {
  EXPECT_EQ(chosen("stencil2d5,n=400"), "amg");
  EXPECT_EQ(chosen("stencil2d5,n=400,coefficients=varying"), "amg");
  EXPECT_EQ(preconditioner_for(path(200000), "cg").name, "amg");
}

TEST(AutoPreconditioner, takes_jacobi_or_none_where_cg_is_done_before_the_grids_are) {
  EXPECT_EQ(chosen("stencil2d5,n=40"), "none");
  EXPECT_EQ(chosen("stencil2d5,n=40,coefficients=varying"), "jacobi");
  EXPECT_EQ(chosen("stencil3d27,n=20"), "none");
}

// (No GPU is asked: the figures are built in.)
TEST(AutoPreconditioner, knows_what_the_set_up_costs_where_it_runs) {
  const Csr<double> A = generate<double>("stencil2d5,n=1000");
  const auto on_gpu = [&](bool host_setup) {
    return solve_method::choose_preconditioner(A, "cg", Device::gpu(), 1e-8, host_setup);
  };
  const PreconditionerChoice there = on_gpu(false), host = on_gpu(true);
  EXPECT_EQ(there.name, "amg");
  EXPECT_NE(there.reason.find("ms of set-up on the GPU"), std::string::npos) << there.reason;
  EXPECT_EQ(host.name, "none");
  EXPECT_NE(host.reason.find("ms of set-up on the host"), std::string::npos) << host.reason;
  EXPECT_EQ(preconditioner_for(A, "cg", Device::gpu()).name, "amg");
}

TEST(AutoPreconditioner, takes_multigrid_on_a_gpu_from_a_larger_size_on_than_on_the_host) {
  const Device gpu = Device::gpu();
  EXPECT_EQ(chosen("stencil2d5,n=200", "cg"), "amg");
  EXPECT_EQ(chosen("stencil2d5,n=200", "cg", gpu), "none");
  EXPECT_EQ(chosen("stencil3d7,n=50", "cg", gpu), "none");
  EXPECT_EQ(chosen("stencil3d7,n=50,coefficients=varying", "cg", gpu), "jacobi");
  EXPECT_EQ(preconditioner_for(path(200000), "cg", gpu).name, "amg");
}

// A row that is too long for the kernels brings the set-up to the host.
TEST(AutoPreconditioner, knows_which_rows_are_set_up_on_the_host) {
  const auto arrow = [](Index n) {
    std::vector<Entry> entries;
    for (Index i = 0; i < n; ++i) {
      entries.push_back({i, i, i == 0 ? 4.0 * n : 4.0});
      if (i > 0) entries.insert(entries.end(), {{0, i, -1}, {i, 0, -1}});
    }
    return from_entries(n, n, entries);
  };
  const auto place = [&](Index n) { return preconditioner_for(arrow(n), "cg", Device::gpu()).reason; };
  EXPECT_NE(place(4096).find("on the GPU"), std::string::npos) << place(4096);
  EXPECT_NE(place(4097).find("on the host"), std::string::npos) << place(4097);
}

TEST(AutoPreconditioner, knows_that_a_strong_diagonal_needs_no_multigrid) {
  Csr<double> A = shifted("stencil2d5,n=400", -8);
  EXPECT_EQ(preconditioner_for(A, "cg").name, "none");
  for (std::int64_t k = 0; k < A.nnz(); k += 3) A.val[k] *= A.val[k] > 0 ? 2 : 1;
  EXPECT_EQ(preconditioner_for(A, "cg").name, "jacobi");
}

TEST(AutoPreconditioner, does_not_take_multigrid_for_other_methods_or_without_a_diagonal) {
  for (const char* method : {"minres", "bicgstab", "gmres"}) {
    EXPECT_EQ(chosen("stencil2d5,n=400", method), "none") << method;
    EXPECT_EQ(chosen("stencil2d5,n=400,coefficients=varying", method), "jacobi") << method;
  }
  EXPECT_EQ(preconditioner_for(from_entries(2, 2, {{0, 1, 1}, {1, 0, 1}}), "cg").name, "none");
  EXPECT_EQ(preconditioner_for(from_entries(0, 0, {}), "cg").name, "none");
  EXPECT_THROW(preconditioner_for(from_entries(1, 2, {{0, 0, 1}}), "cg"), Error);
}

TEST(AutoPreconditioner, does_not_depend_on_the_number_of_threads) {
  const Csr<double> A = generate<double>("stencil2d9,n=200,coefficients=varying");
  set_threads(1);
  const PreconditionerChoice one = preconditioner_for(A, "cg");
  set_threads(5);
  const PreconditionerChoice five = preconditioner_for(A, "cg");
  EXPECT_EQ(one.name, five.name);
  EXPECT_EQ(one.reason, five.reason);
}

TEST(AutoPreconditioner, is_taken_by_solve_which_says_why) {
  const Csr<double> A = generate<double>("stencil2d5,n=200");
  Numbers x(40000, 0.0);
  const Report report = solve(build(A), wavy(40000), x, {.preconditioner = "auto", .matrix = &A});
  EXPECT_TRUE(report.converged());
  EXPECT_TRUE(report.preconditioner.starts_with("amg")) << report.preconditioner;
  EXPECT_NE(report.preconditioner_reason.find("iterations"), std::string::npos);
  EXPECT_NE(to_string(report).find(report.preconditioner_reason), std::string::npos);
  EXPECT_LE(report.iterations, 12);
}

TEST(AutoPreconditioner, takes_jacobi_where_multigrid_cannot_be_set_up_and_minres_where_that_was_why) {
  const Csr<double> A = shifted("stencil2d5,n=200,coefficients=varying", 1);
  Numbers x(40000, 0.0);
  const Report report = solve(build(A), wavy(40000), x, {.preconditioner = "auto", .max_iterations = 50, .matrix = &A});
  EXPECT_EQ(report.status, Status::max_iterations) << report.reason;
  EXPECT_EQ(report.preconditioner, "jacobi");
  EXPECT_NE(report.preconditioner_reason.find("amg cannot be set up"), std::string::npos)
      << report.preconditioner_reason;
  EXPECT_EQ(report.method, "minres");
}

// A matrix that lies on a GPU is fetched. Where there is none, reading it there would give an answer instead of an error.
TEST(AutoPreconditioner, and_the_method_read_no_memory_of_a_gpu_on_the_host) {
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  if (gpu_available()) {
    const Csr<double> there = A.to(Device::gpu());
    EXPECT_EQ(method_for(there), "cg");
    EXPECT_EQ(preconditioner_for(there, "cg").reason, preconditioner_for(A, "cg").reason);
    return;
  }
  const auto claimed = [](const auto& of) { return std::decay_t<decltype(of)>::borrow(of, Device::gpu()); };
  const Csr<double> there{A.rows, A.cols, claimed(A.ptr), claimed(A.col), claimed(A.val)};
  EXPECT_THROW(method_for(there), Error);
  EXPECT_THROW(preconditioner_for(there, "cg"), Error);
}

// ---------------------------------------------------------------------------------- loading kernels beforehand

TEST(Loading, rehearses_every_method_with_every_preconditioner) {
  using solve_method::rehearse;
  for (const char* method : methods)
    for (const char* preconditioner : {"none", "jacobi", "block_jacobi", "chebyshev", "fsai", "amg"}) {
      const Report report = rehearse<double>({Device::cpu(), method, preconditioner});
      EXPECT_TRUE(report.true_residual < 1e-12 || report.iterations == 65) << method << " " << preconditioner;
    }
  EXPECT_LT(rehearse<float>({Device::emulator(), "cg", "amg"}).true_residual, 1e-4);
}

TEST(Loading, is_done_once_for_each_way_of_solving) {
  using solve_method::load_kernels;
  EXPECT_GT(load_kernels<double>({Device::cpu(), "cg", "jacobi"}), 0);
  EXPECT_EQ(load_kernels<double>({Device::cpu(), "cg", "jacobi"}), 0);
  EXPECT_GT(load_kernels<float>({Device::cpu(), "cg", "jacobi"}), 0);
  EXPECT_GT(load_kernels<double>({Device::cpu(), "minres", "jacobi"}), 0);
  EXPECT_GT(load_kernels<double>({Device::cpu(), "cg", "no such preconditioner"}), 0) << "the solve itself says so";
}

TEST(Loading, is_for_gpus_alone) {
  Numbers x(81, 0.0);
  EXPECT_EQ(solve(build(generate<double>("stencil2d5,n=9")), wavy(81), x).loading_seconds, 0);
}

}  // namespace
}  // namespace heddle::test
