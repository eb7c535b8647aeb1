// The parts of the set-up of amg: sparse products, the largest eigenvalue, the inverse of the coarsest matrix, P.
#include "solve/amg/grids.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <heddle/device.hpp>
#include <heddle/generate.hpp>
#include <heddle/operator.hpp>

#include "solve/amg/dense_inverse.hpp"
#include "solve/amg/sparse_rows.hpp"
#include "support/dense_matrix.hpp"

namespace heddle::test {
namespace {

using namespace solve_method;
using Numbers = std::vector<double>;

double eigenvalue(const Csr<double>& A, const Buffer<double>& inverse) {
  return steps_on_host()->largest_eigenvalue(A.view(), nullptr, inverse);
}

TEST(Aggregation, sparse_products_are_those_of_full_matrices) {
  const Csr<double> A = dense(3, {1, 0, 2, 0, 0, 0, 3, 4, 0}), B = dense(3, {0, 5, 0, 6, 0, 7, 1, 0, -1});
  EXPECT_TRUE(identical(product(A.view(), B.view()), dense(3, {2, 5, -2, 0, 0, 0, 24, 15, 28})));
  EXPECT_EQ(steps_on_host()->product_work(A.view(), B.view()), 1 + 2 + 1 + 2);
  // Many tasks: A (A x) = (A A) x, in whole numbers
  const Csr<double> large = generate<double>("stencil3d7,n=20");
  Numbers x(8000), y(8000), z(8000), direct(8000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * i % 17) - 8;
  build(large).multiply(x, y);
  build(large).multiply(y, z);
  build(product(large.view(), large.view())).multiply(x, direct);
  EXPECT_EQ(z, direct);
}

TEST(Aggregation, rows_of_a_product_that_one_thread_makes_lie_without_gaps) {
  const Csr<double> A = generate<double>("stencil3d7,n=20");
  const CsrView<double> view = A.view();
  set_threads(1);
  const LooseRows made = loose_rows(A.rows, A.cols, ProductRows{MatrixRows(view), view}, InRows::as_they_come);
  EXPECT_EQ(made.ptr[0], 0);
  std::int64_t gaps = 0;
  for (std::int64_t row = 0; row + 1 < A.rows; ++row) gaps += made.ptr[row + 1] != made.ptr[row] + made.length[row];
  EXPECT_EQ(gaps, 0);
  EXPECT_LT(made.ptr[A.rows - 1], made.col.size() * 3 / 4);  // there was room for gaps
}

TEST(Aggregation, the_largest_eigenvalue_is_never_far_below_the_truth) {
  for (const Index n : {2, 30, 3000}) {
    std::vector<Entry> entries;
    for (Index i = 0; i < n; ++i) {
      entries.push_back({i, i, 2.0});
      if (i > 0) entries.push_back({i, i - 1, -1.0}), entries.push_back({i - 1, i, -1.0});
    }
    const double truth = 1 + std::cos(std::acos(-1.0) / (n + 1));
    const Csr<double> A = from_entries(n, n, entries);
    Buffer<double> half(n);
    std::fill(half.begin(), half.end(), 0.5);
    const double found = eigenvalue(A, half);
    EXPECT_GE(found, 0.999 * truth);
    EXPECT_LE(found, 1.11 * truth);
  }
  // One eigenvector that lives in a corner, which a random start hardly touches: 1 + sqrt(4 * 0.99)
  std::vector<Entry> entries;
  for (Index i = 0; i < 3000; ++i) entries.push_back({i, i, 1.0});
  for (Index i = 1; i < 5; ++i) entries.push_back({0, i, 0.995}), entries.push_back({i, 0, 0.995});
  Buffer<double> ones(3000);
  std::fill(ones.begin(), ones.end(), 1.0);
  EXPECT_NEAR(eigenvalue(from_entries(3000, 3000, entries), ones), 1.1 * 2.99, 0.02);
}

TEST(Aggregation, the_inverse_of_a_singular_matrix_solves_what_can_be_solved) {
  const Csr<double> A = dense(4, {1, -1, 0, 0, -1, 2, -1, 0, 0, -1, 1, 0, 0, 0, 0, 1e-30});
  const Csr<double> inverse = dense_inverse(A.view(), Buffer<double>{1, 0.5, 1, 0});
  const Numbers b = {3, -1, -2, 0};
  Numbers x(4), back(4);
  build(inverse).multiply(b, x);
  build(A).multiply(x, back);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(back[i], b[i], 1e-14);
  EXPECT_EQ(x[3], 0);
  // Not symmetric: rows are not exchanged, pivots of any sign are taken
  const Csr<double> unsymmetric = dense(2, {1, 3, 2, 2});
  EXPECT_TRUE(identical(dense_inverse(unsymmetric.view(), Buffer<double>{1, 0.5}), dense(2, {-0.5, 0.75, 0.5, -0.25})));
}

TEST(Aggregation, every_unknown_with_a_coupling_is_interpolated_and_constants_are_exact) {
  const Csr<double> A = generate<double>("stencil2d5,n=40,coefficients=varying");
  // Without its boundary: row sums of zero, as those of a Laplacian
  Csr<double> closed = A;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    double sum = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) sum += A.col[k] == row ? 0 : A.val[k];
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      if (A.col[k] == row) closed.val[k] = -sum;
  }
  const Grids grids = make_grids(*steps_on_host(), closed.view(), {.coarsest = 30});
  ASSERT_GE(grids.all.size(), 3u);
  for (const Grid& grid : grids.all) {
    if (grid.is_last()) continue;
    const auto P = grid.P.view();
    for (std::int64_t row = 0; row < P.rows; ++row) {
      double sum = 0;
      for (Offset k = P.ptr[row]; k < P.ptr[row + 1]; ++k) sum += P.val[k];
      EXPECT_NEAR(sum, 1, 1e-9);
    }
  }
}

}  // namespace
}  // namespace heddle::test
