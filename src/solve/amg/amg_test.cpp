// amg: how far it brings a solve, that it is symmetric, repeatable and free of allocations, and what it refuses.
#include <heddle/solve.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>

#include "support/amg_solves.hpp"
#include "support/dense_matrix.hpp"
#include "support/guarded_memory.hpp"
#include "support/stored_matrices.hpp"

namespace heddle::test {
namespace {

double dot(const Numbers& a, const Numbers& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// -u_xx - epsilon u_yy
Csr<double> anisotropic(Index n, double epsilon) {
  std::vector<Entry> entries;
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x) {
      const auto at = static_cast<Index>(y * n + x);
      entries.push_back({at, at, 2 + 2 * epsilon});
      if (x > 0) entries.push_back({at, at - 1, -1.0});
      if (x + 1 < n) entries.push_back({at, at + 1, -1.0});
      if (y > 0) entries.push_back({at, at - n, -epsilon});
      if (y + 1 < n) entries.push_back({at, at + n, -epsilon});
    }
  return from_entries(n * n, n * n, entries);
}

// The Laplacian of a graph, plus `shift` on its diagonal.
Csr<double> laplacian(Index nodes, const std::vector<std::pair<Index, Index>>& edges, double shift = 0) {
  std::vector<Entry> entries;
  for (const auto& [a, b] : edges) {
    entries.insert(entries.end(), {{a, b, -1.0}, {b, a, -1.0}, {a, a, 1.0}, {b, b, 1.0}});
  }
  for (Index i = 0; i < nodes && shift != 0; ++i) entries.push_back({i, i, shift});
  return from_entries(nodes, nodes, entries);
}

// A ring of `n` nodes, with a chord from every fifth one.
std::vector<std::pair<Index, Index>> ring(Index first, Index n) {
  std::vector<std::pair<Index, Index>> edges;
  for (Index i = 0; i < n; ++i) edges.push_back({first + i, first + (i + 1) % n});
  for (Index i = 0; i + n / 3 < n; i += 5) edges.push_back({first + i, first + i + n / 3});
  return edges;
}

// ------------------------------------------------------------------------------------------------ what it is good for

TEST(Amg, needs_as_many_iterations_for_a_large_grid_as_for_a_small_one) {
  for (const auto& [kind, sizes] :
       {std::pair("stencil2d5", std::vector{30, 60, 120}), std::pair("stencil2d9", std::vector{30, 60}),
        std::pair("stencil3d7", std::vector{8, 16, 32}), std::pair("stencil3d27", std::vector{8, 16})}) {
    std::int64_t least = 1000, most = 0;
    for (const int n : sizes) {
      const std::int64_t done = iterations(generate<double>(std::string(kind) + ",n=" + std::to_string(n)));
      least = std::min(least, done), most = std::max(most, done);
    }
    EXPECT_LE(most, 12) << kind;
    EXPECT_LE(most - least, 3) << kind;
  }
}

TEST(Amg, follows_the_strong_couplings_of_an_anisotropic_grid) {
  const Csr<double> A = anisotropic(60, 0.001);
  const std::int64_t along = iterations(A), everywhere = iterations(A, {.strength = 0});
  EXPECT_LE(along, 20);
  EXPECT_LT(3 * along, 2 * everywhere);
  EXPECT_NEAR(static_cast<double>(along), static_cast<double>(iterations(anisotropic(30, 0.001))), 4);
}

TEST(Amg, takes_coefficients_that_jump) {
  EXPECT_LE(iterations(generate<double>("stencil2d5,n=70,coefficients=varying")), 14);
  EXPECT_LE(iterations(generate<double>("stencil3d7,n=14,coefficients=varying")), 14);
}

TEST(Amg, keeps_the_unknowns_of_a_node_together) {
  const Csr<double> A = generate<double>("elasticity,nx=9,ny=5,nz=5");
  const auto op = build(A);
  const auto M = make_preconditioner("amg", op, A);
  EXPECT_NE(M->name().find("blocks of 3"), std::string::npos) << M->name();
  for (const GridInfo& grid : M->grids()) EXPECT_EQ(grid.rows % 3, 0);
  EXPECT_LE(iterations(A), 30);
  EXPECT_LT(iterations(A), iterations(A, {.block = 1}));
}

TEST(Amg, solves_singular_laplacians_for_right_hand_sides_in_their_range) {
  // Of three parts one becomes a single unknown before the others have been coarsened.
  auto edges = ring(0, 700);
  for (const auto& more : {ring(700, 4), ring(704, 90)}) edges.insert(edges.end(), more.begin(), more.end());
  const Csr<double> A = laplacian(794, edges);
  Numbers b(794);
  build(A).multiply(uneven(794), b);
  for (const int coarsest : {10, 60, 300}) {
    const Report report = solved(A, {.coarsest = coarsest}, "cg", {}, b);
    EXPECT_TRUE(report.converged()) << report.reason;
    EXPECT_LE(report.iterations, 20);
  }
}

TEST(Amg, does_not_fill_the_grids_of_a_graph_with_hubs) {
  // Each hub is a neighbour of a quarter of the others, so that smoothing would couple nearly all aggregates.
  std::vector<std::pair<Index, Index>> edges = ring(0, 4000);
  for (Index i = 0; i < 4000; ++i)
    for (Index hub = 0; hub < 4000; hub += 250)
      if ((i * 7 + hub / 250 * 3) % 29 == 0 && std::abs(i - hub) > 1) edges.push_back({hub, i});
  const Csr<double> A = laplacian(4000, edges, 0.01);
  const auto op = build(A);
  const auto M = make_preconditioner("amg", op, A, {.coarsest = 50});
  std::int64_t entries = 0;
  for (const GridInfo& grid : M->grids()) entries += grid.nnz;
  EXPECT_LT(entries, 2 * A.nnz());
  EXPECT_LE(iterations(A, {.coarsest = 50}), 40);
}

TEST(Amg, smooths_where_there_is_nothing_to_coarsen) {
  std::vector<Entry> entries;
  for (Index i = 0; i < 900; ++i) entries.push_back({i, i, 1.0 + i});
  const Csr<double> A = from_entries(900, 900, entries);
  const auto op = build(A);
  EXPECT_EQ(make_preconditioner("amg", op, A)->grids().size(), 1u);
  EXPECT_LE(iterations(A), 3);
}

TEST(Amg, helps_gmres_and_bicgstab_with_a_matrix_that_is_not_symmetric) {
  std::vector<Entry> entries;
  constexpr Index n = 40;
  for (Index at = 0; at < n * n; ++at) {
    entries.push_back({at, at, 4.6});
    if (at % n > 0) entries.push_back({at, at - 1, -1.5});
    if (at % n + 1 < n) entries.push_back({at, at + 1, -1.0});
    if (at >= n) entries.push_back({at, at - n, -1.1});
    if (at + n < n * n) entries.push_back({at, at + n, -1.0});
  }
  const Csr<double> A = from_entries(n * n, n * n, entries);
  for (const char* method : {"gmres", "bicgstab"}) {
    Numbers x(static_cast<std::size_t>(A.rows), 0.0);
    const Report plain = solve(build(A), uneven(A.rows), x, {.method = method});
    EXPECT_LT(2 * iterations(A, {.coarsest = 20}, method), plain.iterations) << method;
  }
}

class RealMatrix : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(RealMatrix, needs_fewer_iterations_than_with_jacobi_by_a_large_factor) {
  const auto& [name, factor] = GetParam();
  const auto found = stored_matrix(name);
  if (!found) GTEST_SKIP() << "there is no " << stored_file(name);
  const Csr<double>& A = *found;
  Numbers x(static_cast<std::size_t>(A.rows), 0.0);
  const Report jacobi = solve(build(A), uneven(A.rows), x, {.method = "cg", .preconditioner = "jacobi"});
  EXPECT_TRUE(jacobi.converged());
  EXPECT_LT(factor * iterations(A), jacobi.iterations);
}
INSTANTIATE_TEST_SUITE_P(Amg, RealMatrix,
                         testing::Values(std::pair("1138_bus", 30), std::pair("bcsstk13", 3), std::pair("bcsstk16", 5)),
                         [](const auto& matrix) { return std::string(matrix.param.first); });

// ----------------------------------------------------------------------------------------------------- what it is

TEST(Amg, is_the_inverse_of_a_matrix_that_is_small_enough) {
  const Csr<double> A = dense(3, {4, 2, 0, 2, 5, 2, 0, 2, 5});
  const Numbers inverse = {21, -10, 4, -10, 20, -8, 4, -8, 16};
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    const auto op = build(A, {}, {.device = device});
    const auto M = make_preconditioner("amg", op, A);
    for (std::size_t c = 0; c < 3; ++c) {
      Numbers unit(3, 0.0), column(3);
      unit[c] = 1;
      M->apply(unit, column, {});
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(column[i], inverse[3 * c + i] / 64, 1e-15) << i;
    }
  }
  const Csr<double> none = from_entries(0, 0, {}), one = dense(1, {4});
  EXPECT_NE(make_preconditioner("amg", build(none), none), nullptr);
  EXPECT_EQ(iterations(one), 1);
}

TEST(Amg, is_symmetric_and_positive_definite_on_every_device) {
  const Csr<double> A = generate<double>("stencil2d5,n=17,coefficients=varying");
  const Numbers u = uneven(A.rows, 1), v = uneven(A.rows, 2);
  for (const Device device : {Device::cpu(), Device::emulator()})
    for (const int smoothing : {1, 2, 3}) {
      const auto op = build(A, {}, {.device = device});
      const auto M = make_preconditioner("amg", op, A, {.smoothing = smoothing, .coarsest = 10, .double_cycle = true});
      EXPECT_GE(M->grids().size(), 3u);
      Numbers Mu(u.size()), Mv(v.size());
      M->apply(u, Mu, {});
      M->apply(v, Mv, {});
      EXPECT_NEAR(dot(v, Mu), dot(u, Mv), 1e-13 * std::sqrt(dot(Mu, Mu) * dot(v, v)));
      EXPECT_GT(dot(u, Mu), 0);
      EXPECT_GT(dot(v, Mv), 0);
    }
}

TEST(Amg, has_the_same_grids_and_iterations_on_every_device_and_in_single_precision) {
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  const PreconditionerOptions options{.coarsest = 20};
  const std::int64_t usual = iterations(A, options);
  const Report emulated = solved(A, options, "cg", Device::emulator());
  EXPECT_TRUE(emulated.converged()) << emulated.reason;
  EXPECT_EQ(emulated.iterations, usual);
  const Csr<float> narrow = convert<float>(A.view());
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    const auto op = build(narrow, {}, {.device = device});
    const auto grids = make_preconditioner("amg", op, narrow, options)->grids();
    const auto wide = build(A);
    const auto others = make_preconditioner("amg", wide, A, options)->grids();
    ASSERT_EQ(grids.size(), others.size());
    for (std::size_t i = 0; i < grids.size(); ++i) EXPECT_EQ(grids[i].nnz, others[i].nnz);
    const Report report = solved<float>(narrow, options, "cg", device);
    EXPECT_TRUE(report.converged()) << report.reason;
    EXPECT_LE(report.iterations, usual);
  }
}

TEST(Amg, gives_the_same_bits_every_time_and_on_any_number_of_threads) {
  for (const char* name : {"stencil3d7,n=17,coefficients=varying", "elasticity,nx=9,ny=5,nz=5"}) {
    const Csr<double> A = generate<double>(name);  // several tasks of the set-up
    const auto op = build(A);
    const Numbers r = uneven(A.rows);
    std::vector<Numbers> all;
    for (const int count : {1, 5, 5}) {
      set_threads(count);
      Numbers z(r.size());
      const auto M = make_preconditioner("amg", op, A);
      for (int again = 0; again < 2; ++again) {
        M->apply(r, z, {});
        all.push_back(z);
      }
    }
    for (const Numbers& z : all) EXPECT_EQ(z, all.front()) << name;
  }
}

TEST(Amg, allocates_nothing_when_it_is_applied) {
  const Csr<double> A = generate<double>("stencil3d7,n=10");
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    const auto op = build(A, {}, {.device = device});
    const auto M = make_preconditioner("amg", op, A, {.coarsest = 30});
    const Numbers r = uneven(A.rows);
    Numbers z(r.size());
    M->apply(r, z, {});
    const GuardedMemory memory;
    M->apply(r, z, {});
    EXPECT_EQ(GuardedMemory::allocations(), 0) << to_string(device);
  }
}

TEST(Amg, goes_on_with_a_better_operator_of_the_same_matrix) {
  const Csr<double> A = generate<double>("stencil2d5,n=40");
  const auto op = build(A), better = build(A, Plan::parse("sell C=8"));
  const auto M = make_preconditioner("amg", op, A, {.double_cycle = true});
  const Numbers r = uneven(A.rows);
  Numbers before(r.size()), after(r.size());
  M->apply(r, before, {});
  M->use(better);
  EXPECT_TRUE(M->grids().front().plan.starts_with("sell"));
  M->apply(r, after, {});
  for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-12);
}

// ------------------------------------------------------------------------------------------------ what it refuses

struct Refusal {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
};
Refusal refusal(const Csr<double>& A, const PreconditionerOptions& options = {}) {
  try {
    make_preconditioner("amg", build(A), A, options);
  } catch (const Error& error) {
    EXPECT_FALSE(error.kind() == ErrorKind::input && error.where() == "amg" && error.hint().empty()) << error.what();
    return {error.kind(), error.message()};
  }
  return {ErrorKind::internal, "no error"};
}

TEST(Amg, refuses_a_diagonal_that_is_not_positive_and_names_the_row) {
  for (const double bad : Numbers{0.0, -2.0, NAN, HUGE_VAL}) {
    const Refusal made = refusal(from_entries(3, 3, {{0, 0, 1}, {1, 1, bad}, {2, 2, 1}, {1, 2, 1}, {2, 1, 1}}));
    EXPECT_EQ(made.kind, ErrorKind::input);
    EXPECT_NE(made.message.find("row 2"), std::string::npos) << made.message;
  }
  EXPECT_NE(refusal(from_entries(2, 2, {{0, 0, 1}, {0, 1, 1}})).message.find("row 2"), std::string::npos);
}

TEST(Amg, refuses_a_symmetric_matrix_that_is_not_positive_definite) {
  EXPECT_EQ(refusal(dense(2, {1, 3, 3, 1})).kind, ErrorKind::input);
  // Couplings that outweigh the diagonal: a sum over neighbours has a negative energy.
  std::vector<std::pair<Index, Index>> edges = ring(0, 600);
  const Csr<double> A = laplacian(600, edges, -0.5);
  EXPECT_NE(refusal(A, {.coarsest = 30}).message.find("not positive definite"), std::string::npos);
  EXPECT_NE(refusal(A, {.coarsest = 4000}).message.find("not positive definite"), std::string::npos);
}

TEST(Amg, refuses_inf_and_nan_beside_the_diagonal) {
  for (const double bad : Numbers{NAN, HUGE_VAL}) {
    Csr<double> A = generate<double>("stencil2d5,n=20");
    A.val[11] = bad;
    EXPECT_EQ(refusal(A).kind, ErrorKind::input);
    EXPECT_EQ(refusal(A, {.coarsest = 1000}).kind, ErrorKind::input);
  }
}

TEST(Amg, refuses_a_matrix_whose_columns_are_out_of_order_or_outside) {
  const Csr<double> A = generate<double>("stencil2d5,n=30");
  const auto op = build(A);
  Csr<double> out_of_order = A, outside = A;
  std::swap(out_of_order.col[1], out_of_order.col[2]);
  outside.col[2] = static_cast<Index>(A.cols);
  for (const bool double_cycle : {false, true}) {
    EXPECT_THROW(make_preconditioner("amg", op, out_of_order, {.double_cycle = double_cycle}), Error);
    EXPECT_THROW(make_preconditioner("amg", op, outside, {.double_cycle = double_cycle}), Error);
  }
}

TEST(Amg, refuses_what_is_no_square_matrix_and_options_out_of_range) {
  EXPECT_EQ(refusal(from_entries(2, 3, {{0, 0, 1}})).kind, ErrorKind::input);
  const Csr<double> A = generate<double>("stencil2d5,n=5");
  EXPECT_EQ(refusal(A, {.block = 2}).kind, ErrorKind::usage);
  EXPECT_EQ(refusal(A, {.block = 33}).kind, ErrorKind::usage);
  EXPECT_EQ(refusal(A, {.strength = 1.5}).kind, ErrorKind::usage);
  EXPECT_EQ(refusal(A, {.smoothing = 0}).kind, ErrorKind::usage);
  EXPECT_EQ(refusal(A, {.coarsest = 0}).kind, ErrorKind::usage);
  EXPECT_EQ(refusal(A, {.block = 5}).message, "no error");
}

// Beside the matrix and its operator. (n=40: 257 for the grids and 398 while the operators of the cycle are built.)
TEST(Amg, holds_at_most_400_bytes_a_row_at_the_peak_of_its_set_up_on_a_device) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const char* name = "stencil3d7,n=24";  // takes a tenth of the time
  constexpr std::int64_t most = 430;
#else
  const char* name = "stencil3d7,n=40";
  constexpr std::int64_t most = 400;
#endif
  const Csr<double> A = generate<double>(name);
  const auto op = build(A, Plan{"csr", {}}, {.device = Device::emulator()});
  const GuardedMemory memory;
  const auto M = make_preconditioner("amg", op, A);
  EXPECT_LE(GuardedMemory::most_bytes(), most * A.rows);
  EXPECT_GE(GuardedMemory::most_bytes(), GuardedMemory::live_bytes());
}

TEST(Amg, is_set_up_on_the_host_where_the_device_has_not_enough_memory_and_says_so) {
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  const auto op = build(A, Plan{"csr", {}}, {.device = Device::emulator()});
  const std::string usual = make_preconditioner("amg", op, A, {.coarsest = 50})->name();
  EXPECT_EQ(usual.find("host"), std::string::npos) << usual;
  const GuardedMemory memory;
  int said = 0;
  std::string name;
  for (std::int64_t at = 0; name != usual && at < 5000; at += 31) {
    GuardedMemory::fail_at(at, GuardedMemory::Fault::once);
    try {
      name = make_preconditioner("amg", op, A, {.coarsest = 50})->name();
      said += name.starts_with(usual + ", set up on the host: out of memory");
    } catch (const Error& error) {  // of what the host needs in any case
      EXPECT_EQ(error.kind(), ErrorKind::unavailable) << error.what();
    }
  }
  EXPECT_EQ(name, usual);  // fewer allocations than that
  EXPECT_GT(said, 3);
}

TEST(Amg, no_allocation_that_fails_leaks) {
  const Csr<double> A = generate<double>("stencil2d5,n=8");
  const auto op = build(A);
  const GuardedMemory memory;
  bool done = false;
  std::int64_t at = 0;
  for (; !done && at < 2000; ++at) {
    GuardedMemory::fail_at(at, GuardedMemory::Fault::once);
    try {
      done = make_preconditioner("amg", op, A, {.coarsest = 20}) != nullptr;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable) << error.what();
    } catch (const std::bad_alloc&) {
    }
    EXPECT_EQ(GuardedMemory::live_bytes(), 0) << at;
  }
  EXPECT_TRUE(done);
  EXPECT_GT(at, 20);
}

}  // namespace
}  // namespace heddle::test
