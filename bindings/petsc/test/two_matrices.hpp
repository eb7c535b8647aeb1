// A matrix of type aij and the same one of ours, and their products, for the tests of products.
#pragma once

#include <string>

#include "comparison.hpp"

namespace heddle::petsc::test {

inline Tally tally;

struct Two {
  Mat aij = nullptr, ours = nullptr;
};

inline void destroy(Two& two) {
  must(MatDestroy(&two.aij));
  must(MatDestroy(&two.ours));
}

inline Two make(Shape shape, bool uneven = false) {
  return {integer_matrix(usual_type(), shape, 240, uneven), integer_matrix(our_type(), shape, 240, uneven)};
}

inline bool equal(Vec a, Vec b) {
  PetscBool same = PETSC_FALSE;
  must(VecEqual(a, b, &same));
  return same == PETSC_TRUE;
}

enum class Product { mult, mult_add, mult_add_in_place, transpose, transpose_add, transpose_add_in_place };

// On a GPU MatMultTransposeAdd of aijcusparse adds y to A' x and to what z held before, where y is not z (3.26.1,
// MatMultAddKernel_SeqAIJCUSPARSE: beta is 1, then y is added), so z is cleared for it.
inline Vec product(Mat A, Product which) {
  const bool forward = which <= Product::mult_add_in_place;
  Vec x = integer_vector(A, !forward, 1), y = integer_vector(A, forward, 2), z = nullptr;
  must(VecDuplicate(y, &z));
  must(VecCopy(y, z));
  if (which == Product::transpose_add && on_gpu() && !multiplied_by_heddle(A)) must(VecZeroEntries(z));
  switch (which) {
    case Product::mult: must(MatMult(A, x, z)); break;
    case Product::mult_add: must(MatMultAdd(A, x, y, z)); break;
    case Product::mult_add_in_place: must(MatMultAdd(A, x, z, z)); break;
    case Product::transpose: must(MatMultTranspose(A, x, z)); break;
    case Product::transpose_add: must(MatMultTransposeAdd(A, x, y, z)); break;
    case Product::transpose_add_in_place: must(MatMultTransposeAdd(A, x, z, z)); break;
  }
  must(VecDestroy(&x));
  must(VecDestroy(&y));
  return z;
}

// Of small integers, with as many rows or columns on each process as said.
inline Mat dense_matrix(MPI_Comm comm, PetscInt local_rows, PetscInt local_cols, PetscInt rows, PetscInt cols) {
  Mat dense = nullptr;
  must(MatCreateDense(comm, local_rows, local_cols, rows, cols, nullptr, &dense));
  PetscInt begin = 0, end = 0, all_cols = 0;
  must(MatGetOwnershipRange(dense, &begin, &end));
  must(MatGetSize(dense, nullptr, &all_cols));
  for (PetscInt i = begin; i < end; ++i)
    for (PetscInt j = 0; j < all_cols; ++j)
      must(MatSetValue(dense, i, j, static_cast<PetscScalar>((i + 3 * j) % 7 - 3), INSERT_VALUES));
  must(MatAssemblyBegin(dense, MAT_FINAL_ASSEMBLY));
  must(MatAssemblyEnd(dense, MAT_FINAL_ASSEMBLY));
  return dense;
}

enum class DenseProduct { from_right, from_right_transposed, from_left };

// With a dense matrix B: A B, A' B, or B A.
inline bool same_dense_product(const Two& two, DenseProduct which) {
  PetscInt rows = 0, cols = 0;
  must(MatGetLocalSize(two.aij, &rows, &cols));
  const MPI_Comm comm = PetscObjectComm(as_object(two.aij));
  const bool left = which == DenseProduct::from_left;
  const PetscInt inner = which == DenseProduct::from_right ? cols : rows;
  Mat dense = left ? dense_matrix(comm, PETSC_DECIDE, inner, 5, PETSC_DETERMINE)
                   : dense_matrix(comm, inner, PETSC_DECIDE, PETSC_DETERMINE, 5);
  const auto multiply = [&](Mat A, MatReuse reuse, Mat* made) {
    if (which == DenseProduct::from_right_transposed)
      must(MatTransposeMatMult(A, dense, reuse, PETSC_DEFAULT, made));
    else
      must(MatMatMult(left ? dense : A, left ? A : dense, reuse, PETSC_DEFAULT, made));
  };
  Mat a = nullptr, b = nullptr;
  multiply(two.aij, MAT_INITIAL_MATRIX, &a);
  multiply(two.ours, MAT_INITIAL_MATRIX, &b);
  multiply(two.ours, MAT_REUSE_MATRIX, &b);
  PetscBool same = PETSC_FALSE;
  must(MatEqual(a, b, &same));
  for (Mat* made : {&dense, &a, &b}) must(MatDestroy(made));
  return same == PETSC_TRUE;
}

inline void compare(const Two& two, const std::string& after) {
  static constexpr const char* names[] = {"MatMult",          "MatMultAdd",          "MatMultAdd in place",
                                          "MatMultTranspose", "MatMultTransposeAdd", "MatMultTransposeAdd in place"};
  for (int which = 0; which < 6; ++which) {
    Vec a = product(two.aij, static_cast<Product>(which)), b = product(two.ours, static_cast<Product>(which));
    tally.check(equal(a, b), std::string(names[which]) + " after " + after);
    must(VecDestroy(&a));
    must(VecDestroy(&b));
  }
  tally.check(same_dense_product(two, DenseProduct::from_right), "MatMatMult after " + after);
  tally.check(same_dense_product(two, DenseProduct::from_right_transposed), "MatTransposeMatMult after " + after);
}

}  // namespace heddle::petsc::test
