// mpiaijheddle: an MPIAIJ matrix whose two local blocks are seqaijheddle.
#include "mat_types.hpp"
#include "products.hpp"

namespace heddle::petsc {

namespace {

AijOperations aij;

PetscErrorCode take_over(Mat block, PetscBool* taken) {
  PetscFunctionBegin;
  *taken = PETSC_TRUE;
  PetscCall(convert_to_seqaijheddle(block, MATSEQAIJHEDDLE, MAT_INPLACE_MATRIX, &block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr AijOperations heddle = ParallelProducts<aij, take_over>::operations;

PetscErrorCode convert_block_back(Mat block) {
  PetscBool ours = PETSC_FALSE;
  PetscFunctionBegin;
  if (!block) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare(as_object(block), MATSEQAIJHEDDLE, &ours));
  if (ours) PetscCall(MatConvert(block, MATSEQAIJ, MAT_INPLACE_MATRIX, &block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode convert_to_mpiaij(Mat A, MatType, MatReuse reuse, Mat* made) {
  Mat B = *made, diagonal = nullptr, off_diagonal = nullptr;
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(MatMPIAIJGetSeqAIJ(B, &diagonal, &off_diagonal, nullptr));
  PetscCall(convert_block_back(diagonal));
  PetscCall(convert_block_back(off_diagonal));
  PetscCall(aij.write(B));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatConvert_mpiaijheddle_mpiaij_C", nullptr));
  PetscCall(forget_settings(B));
  PetscCall(PetscObjectChangeTypeName(as_object(B), MATMPIAIJ));
  *made = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc knows the product of an MPIAIJ and a dense matrix by these two names only.
PetscErrorCode set_parallel_dense_products(Mat C) {
  Mat A = nullptr, B = nullptr;
  PetscErrorCode (*known)(Mat) = nullptr;
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(PetscObjectQueryFunction(as_object(B), "MatProductSetFromOptions_mpiaij_mpidense_C", &known));
  if (known) PetscCall(known(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode convert_to_mpiaijheddle(Mat A, MatType, MatReuse reuse, Mat* made) {
  Mat B = *made;
  PetscBool ours = PETSC_FALSE;
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  *made = B;
  PetscCall(PetscObjectTypeCompare(as_object(B), MATMPIAIJHEDDLE, &ours));
  if (ours) PetscFunctionReturn(PETSC_SUCCESS);
  if (!aij.mult) PetscCall(aij.read(B));
  PetscCall(heddle.write(B));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatConvert_mpiaijheddle_mpiaij_C", convert_to_mpiaij));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatConvert_mpiaij_mpiaijheddle_C", convert_to_mpiaijheddle));
  PetscCall(share_functions(B, MATMPIAIJ, MATMPIAIJHEDDLE));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatProductSetFromOptions_mpiaijheddle_mpidense_C",
                                       set_parallel_dense_products));
  PetscCall(PetscObjectChangeTypeName(as_object(B), MATMPIAIJHEDDLE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode create_mpiaijheddle(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATMPIAIJ));
  PetscCall(convert_to_mpiaijheddle(A, MATMPIAIJHEDDLE, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
