// The generators that promise a symmetric positive definite matrix: a dense Cholesky factorisation is the judge.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <heddle/generate.hpp>

namespace heddle {
namespace {

// The least pivot of A = L L^T, or a negative number where there is none.
double least_pivot(const Csr<double>& A) {
  const std::size_t n = static_cast<std::size_t>(A.rows);
  std::vector<double> L(n * n);
  for (std::size_t row = 0; row < n; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) L[row * n + static_cast<std::size_t>(A.col[k])] = A.val[k];
  double least = INFINITY;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = L[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= L[i * n + k] * L[j * n + k];
      if (i == j) {
        if (sum <= 0) return sum - 1;
        least = std::min(least, sum);
        L[j * n + j] = std::sqrt(sum);
      } else {
        L[i * n + j] = sum / L[j * n + j];
      }
    }
  }
  return least;
}

// max over rows of (sum of the off-diagonal sizes) / diagonal: at most 1 when diagonally dominant.
double dominance(const Csr<double>& A) {
  double worst = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    double others = 0, diagonal = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      if (A.col[k] == row)
        diagonal = A.val[k];
      else
        others += std::abs(A.val[k]);
    worst = std::max(worst, others / diagonal);
  }
  return worst;
}

class Definite : public testing::TestWithParam<const char*> {};

TEST_P(Definite, is_symmetric_and_has_a_cholesky_factor) {
  FileFacts facts;
  const Csr<double> A = generate<double>(GetParam(), &facts);
  EXPECT_EQ(facts.symmetry, "symmetric");
  EXPECT_TRUE(identical(A, transpose(A.view())));
  EXPECT_GT(least_pivot(A), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(
    Generate, Definite,
    testing::Values("stencil2d5,n=1", "stencil2d5,n=12", "stencil2d9,nx=9,ny=14", "stencil3d7,n=6", "stencil3d27,n=6",
                    "stencil2d5,n=12,coefficients=varying", "stencil2d9,n=11,coefficients=varying",
                    "stencil3d7,n=6,coefficients=varying,seed=9", "stencil3d27,n=6,coefficients=varying",
                    "fem,n=4,dof=3", "fem,n=5,dof=2,irregular=0.3", "elasticity,nx=1,ny=1,nz=1",
                    "elasticity,nx=6,ny=2,nz=3", "elasticity,nx=3,ny=2,nz=2,nu=0.45,E=10", "arrow,rows=60",
                    "arrow,rows=60,tip=last", "laplacian,shift=0.1,of=gen:rmat,scale=7,edges=4"));

class Dominant : public testing::TestWithParam<const char*> {};

TEST_P(Dominant, no_row_outweighs_its_diagonal) { EXPECT_LE(dominance(generate<double>(GetParam())), 1 + 1e-14); }

INSTANTIATE_TEST_SUITE_P(Generate, Dominant,
                         testing::Values("stencil2d5,n=50", "stencil3d27,n=12,coefficients=varying",
                                         "fem,n=6,dof=3,irregular=0.1", "arrow,rows=1000",
                                         "laplacian,of=gen:web,rows=2000"));

// Rigid motions cost no energy: without the clamp the stiffness of a beam would annihilate them. Rows whose node has no
// clamped neighbour do so.
TEST(Elasticity, rows_away_from_the_clamp_annihilate_rigid_motions) {
  const std::int64_t ny = 2, nz = 3, section = (ny + 1) * (nz + 1);
  const Csr<double> A = generate<double>("elasticity,nx=5,ny=2,nz=3");
  for (std::int64_t row = 3 * section; row < A.rows; ++row) {
    double shift[3] = {}, turn = 0;  // translations, and the rotation (-y, x, 0)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const std::int64_t node = A.col[k] / 3, direction = A.col[k] % 3;
      const double x = static_cast<double>(node / section + 1), y = static_cast<double>(node / (nz + 1) % (ny + 1));
      shift[direction] += A.val[k];
      turn += A.val[k] * (direction == 0 ? -y : direction == 1 ? x : 0);
    }
    for (const double s : shift) EXPECT_NEAR(s, 0, 1e-13) << row;
    EXPECT_NEAR(turn, 0, 1e-12) << row;
  }
}

// A bar with nu = 0 under tension is one-dimensional: u_x = x at E = 1 and unit force per area at the free end.
TEST(Elasticity, stretches_a_bar_as_the_textbook_says) {
  const std::int64_t nx = 4, ny = 2, nz = 1, section = (ny + 1) * (nz + 1);
  const Csr<double> A = generate<double>("elasticity,nx=4,ny=2,nz=1,nu=0");
  double end_force = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    double force = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      if (A.col[k] % 3 == 0) force += A.val[k] * static_cast<double>(A.col[k] / 3 / section + 1);
    if (row / 3 / section < nx - 1)
      EXPECT_NEAR(force, 0, 1e-13) << row;
    else
      end_force += force;
  }
  EXPECT_NEAR(end_force, static_cast<double>(ny * nz), 1e-12);
}

}  // namespace
}  // namespace heddle
