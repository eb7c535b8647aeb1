#include "bench/matrix_class.hpp"

#include <gtest/gtest.h>

#include <heddle/io.hpp>

namespace heddle::bench {
namespace {

std::string class_of_generated(const std::string& source) {
  const Csr<double> A = read_matrix<double>(source);
  return class_of(A.view(), analyze(A, Detail::planning));
}

TEST(MatrixClass, tells_generated_families_apart) {
  EXPECT_EQ(class_of_generated("gen:stencil2d5,n=60"), "diagonals");
  EXPECT_EQ(class_of_generated("gen:stencil3d27,n=12"), "diagonals");
  EXPECT_EQ(class_of_generated("gen:fem,n=8,dof=3"), "blocks");
  EXPECT_EQ(class_of_generated("gen:rmat,scale=12"), "skewed");
  EXPECT_EQ(class_of_generated("gen:random,rows=5000,cols=5000,per_row=8"), "scattered");
  EXPECT_EQ(class_of_generated("gen:band,rows=20000,width=60,fill=0.2"), "banded");
  EXPECT_EQ(class_of_generated("gen:dense,rows=50"), "dense");
}

TEST(MatrixClass, sees_entries_far_from_the_diagonal_on_either_side) {
  const auto with_entry = [](Index row, Index col) {
    const Structure facts{.rows = 100, .cols = 100, .nnz = 2};
    const Coo<double> entries{100, 100, {50, row}, {50, col}, {1.0, 2.0}};
    const Csr<double> A = to_csr(entries);
    return class_of(A.view(), facts);
  };
  EXPECT_EQ(with_entry(10, 15), "banded");
  EXPECT_EQ(with_entry(10, 16), "scattered");
  EXPECT_EQ(with_entry(16, 10), "scattered");
}

TEST(MatrixClass, of_a_matrix_without_entries_is_empty) { EXPECT_EQ(class_of({}, {}), "empty"); }

}  // namespace
}  // namespace heddle::bench
