// fsai and spai: what they are, how far they bring a solve, and what they refuse.
#include <heddle/solve.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>

#include "support/dense_matrix.hpp"
#include "support/guarded_memory.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

using Numbers = std::vector<double>;

std::int64_t iterations(const Csr<double>& A, const std::string& method, const std::string& preconditioner,
                        int power = 1) {
  Numbers b(static_cast<std::size_t>(A.rows)), x(b.size(), 0.0);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1 + std::sin(0.7 * static_cast<double>(i));
  const Report report = solve(
      build(A), b, x,
      {.method = method, .preconditioner = preconditioner, .preconditioner_options = {.power = power}, .matrix = &A});
  EXPECT_TRUE(report.converged()) << preconditioner << ": " << report.reason;
  return report.iterations;
}

// The columns of M^-1.
Numbers columns(const Csr<double>& A, const std::string& name, Device device = {}) {
  const auto op = build(A, {}, {.device = device});
  const auto M = make_preconditioner(name, op, A);
  const auto n = static_cast<std::size_t>(A.rows);
  Numbers all;
  for (std::size_t c = 0; c < n; ++c) {
    Numbers unit(n, 0.0), column(n);
    unit[c] = 1;
    M->apply(unit, column, {});
    all.insert(all.end(), column.begin(), column.end());
  }
  return all;
}

// Transport against the stream, unsymmetric.
Csr<double> transport(Index n) {
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, 2.5});
    if (i > 0) entries.push_back({i, i - 1, -1.9});
    if (i + 1 < n) entries.push_back({i, i + 1, -0.5});
  }
  return from_entries(n, n, entries);
}

std::string error_of(const Csr<double>& A, const std::string& name) {
  try {
    make_preconditioner(name, build(A), A);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.message();
  }
  return "no error";
}

TEST(ApproximateInverse, fsai_on_a_full_pattern_is_the_inverse) {
  // A^-1 of [4 2 0; 2 5 2; 0 2 5] with zeros stored
  const Csr<double> A = from_entries(
      3, 3, {{0, 0, 4}, {0, 1, 2}, {0, 2, 0}, {1, 0, 2}, {1, 1, 5}, {1, 2, 2}, {2, 0, 0}, {2, 1, 2}, {2, 2, 5}});
  const Numbers inverse = {21, -10, 4, -10, 20, -8, 4, -8, 16};
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    const Numbers got = columns(A, "fsai", device);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], inverse[i] / 64, 1e-15) << i;
  }
}

TEST(ApproximateInverse, spai_is_the_inverse_where_the_pattern_has_room_for_it) {
  const Csr<double> A = dense(4, {0, 2, 0, 0,  //
                                  1, 3, 0, 0,  //
                                  0, 0, 5, 0,  //
                                  0, 0, 4, 2});
  const Numbers by_columns = {-1.5, 0.5, 0, 0, 1, 0, 0, 0, 0, 0, 0.2, -0.4, 0, 0, 0, 0.5};
  const Numbers got = columns(A, "spai");
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], by_columns[i], 1e-14) << i;
}

TEST(ApproximateInverse, the_diagonal_of_the_preconditioned_matrix_is_one) {
  const Csr<double> A = generate<double>("fem,n=3,dof=3");
  const auto op = build(A);
  const auto n = static_cast<std::size_t>(A.rows);
  const Numbers M = columns(A, "fsai");
  // trace(M^-1 A) = trace(G A G^T) = n
  double trace = 0;
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      trace += A.val[k] * M[static_cast<std::size_t>(row) * n + static_cast<std::size_t>(A.col[k])];
  EXPECT_NEAR(trace, static_cast<double>(n), 1e-9);
}

TEST(ApproximateInverse, fsai_needs_fewer_iterations_than_jacobi_and_a_wider_pattern_fewer_still) {
  for (const char* name :
       {"stencil2d5,n=40", "stencil2d9,n=25,coefficients=varying", "stencil3d7,n=12", "elasticity,nx=5,ny=4,nz=4"}) {
    const Csr<double> A = generate<double>(name);
    const std::int64_t jacobi = iterations(A, "cg", "jacobi"), first = iterations(A, "cg", "fsai"),
                       second = iterations(A, "cg", "fsai", 2);
    EXPECT_LT(static_cast<double>(first), 0.75 * static_cast<double>(jacobi)) << name;
    EXPECT_LT(second, first) << name;
  }
}

TEST(ApproximateInverse, spai_needs_fewer_iterations_than_jacobi) {
  const Csr<double> A = transport(400);
  for (const char* method : {"bicgstab", "gmres"})
    EXPECT_LT(iterations(A, method, "spai"), iterations(A, method, "jacobi")) << method;
}

TEST(ApproximateInverse, long_rows_keep_their_largest_entries) {
  constexpr Index n = 1000;
  std::vector<Entry> entries{{n / 2, n / 2, 4.0 * n}};  // an arrow: one row and one column are full
  for (Index i = 0; i < n; ++i)
    if (i != n / 2) {
      entries.push_back({i, i, 3.0});
      entries.push_back({i, n / 2, 1.0});
      entries.push_back({n / 2, i, 1.0});
    }
  const Csr<double> A = from_entries(n, n, entries);
  for (const int power : {1, 2}) EXPECT_LE(iterations(A, "cg", "fsai", power), 8) << power;
  EXPECT_LE(iterations(A, "gmres", "spai"), 20);
}

// What takes seconds here took a minute when every column that meets the full one read all of it.
TEST(ApproximateInverse, a_full_row_and_column_do_not_make_it_quadratic) {
  const Csr<double> A = generate<double>("arrow,rows=60000");
  const auto op = build(A);
  const auto begun = std::chrono::steady_clock::now();
  for (const int power : {1, 2}) {
    EXPECT_EQ(make_preconditioner("spai", op, A, {.power = power})->name(),
              std::string(power == 1 ? "spai" : "spai 2") + ", 1 column of more than 1024 entries aside");
    make_preconditioner("fsai", op, A, {.power = power});
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
  EXPECT_LT(seconds.count(), 10);
  EXPECT_LE(iterations(A, "gmres", "spai"), 30);
}

TEST(ApproximateInverse, does_not_depend_on_the_number_of_threads) {
  const Csr<double> A = generate<double>("stencil2d9,n=30,coefficients=varying");  // four pieces
  Numbers r(static_cast<std::size_t>(A.rows)), one(r.size()), five(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::cos(static_cast<double>(i));
  const auto op = build(A);
  for (const char* name : {"fsai", "spai"}) {
    set_threads(1);
    make_preconditioner(name, op, A)->apply(r, one, {});
    set_threads(5);
    make_preconditioner(name, op, A)->apply(r, five, {});
    EXPECT_EQ(one, five) << name;
  }
}

TEST(ApproximateInverse, is_stored_in_the_format_of_the_matrix_or_in_csr) {
  const Csr<double> A = generate<double>("stencil2d5,n=12");
  Numbers r(144, 1.0), as_csr(144), z(144);
  make_preconditioner("fsai", build(A), A)->apply(r, as_csr, {});
  for (const FormatInfo& format : formats()) {
    const Plan plan{format.name, {}};
    if (!footprint(A.view(), plan).fits) continue;
    make_preconditioner("fsai", build(A, plan), A)->apply(r, z, {});
    for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(z[i], as_csr[i], 1e-13) << format.name;
  }
}

TEST(ApproximateInverse, a_matrix_that_is_not_positive_definite_is_an_error_that_names_the_row) {
  EXPECT_NE(error_of(dense(3, {1, 0, 0, 0, 2, 3, 0, 3, 4}), "fsai").find("pivot of row 3 is -0.5"), std::string::npos);
  EXPECT_NE(error_of(dense(2, {1, 0, 0, -2}), "fsai").find("row 2"), std::string::npos);
  EXPECT_NE(error_of(dense(2, {0, 1, 1, 0}), "fsai").find("row 1"), std::string::npos);
  EXPECT_NE(error_of(dense(2, {1, NAN, NAN, 1}), "fsai").find("row 2"), std::string::npos);
}

TEST(ApproximateInverse, a_singular_matrix_is_an_error_that_names_the_column) {
  EXPECT_NE(error_of(dense(3, {1, 0, 0, 0, 1, 2, 0, 2, 4}), "spai").find("column 3"), std::string::npos);
  EXPECT_NE(error_of(dense(2, {1, 0, 1, 0}), "spai").find("column 2"), std::string::npos);
}

TEST(ApproximateInverse, takes_the_smallest_matrices) {
  const Csr<double> none = from_entries(0, 0, {}), one = dense(1, {4});
  for (const char* name : {"fsai", "spai"}) {
    EXPECT_NE(make_preconditioner(name, build(none), none), nullptr);
    EXPECT_EQ(columns(one, name), Numbers{0.25}) << name;
  }
}

TEST(ApproximateInverse, methods_for_symmetric_matrices_refuse_spai) {
  const Csr<double> A = generate<double>("stencil2d5,n=4");
  Numbers b(16, 1.0), x(16, 0.0);
  for (const char* method : {"cg", "minres", "auto"})
    EXPECT_THROW(solve(build(A), b, x, {.method = method, .preconditioner = "spai"}), Error) << method;
  EXPECT_THROW(make_preconditioner("fsai", build(A), A, {.power = 4}), Error);
  EXPECT_EQ(make_preconditioner("fsai", build(A), A, {.power = 2})->name(), "fsai 2");
}

TEST(ApproximateInverse, no_allocation_that_fails_leaks) {
  const Csr<double> A = generate<double>("stencil2d5,n=6");
  const auto op = build(A);
  for (const char* name : {"fsai", "spai"}) {
    const GuardedMemory memory;
    bool done = false;
    std::int64_t at = 0;
    for (; !done && at < 200; ++at) {
      GuardedMemory::fail_at(at, GuardedMemory::Fault::once);
      try {
        done = make_preconditioner(name, op, A) != nullptr;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable) << error.what();
      } catch (const std::bad_alloc&) {
      }
      EXPECT_EQ(GuardedMemory::live_bytes(), 0) << name << " " << at;
    }
    EXPECT_TRUE(done);
    EXPECT_GT(at, 5);
  }
}

}  // namespace
}  // namespace heddle::test
