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

PetscErrorCode change_block_back(Mat block) {
  PetscBool ours = PETSC_FALSE;
  PetscFunctionBegin;
  if (!block) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare(as_object(block), MATSEQAIJHEDDLE, &ours));
  if (ours) PetscCall(MatConvert(block, MATSEQAIJ, MAT_INPLACE_MATRIX, &block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode change_to_aij(Mat A) {
  Mat diagonal = nullptr, off_diagonal = nullptr;
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off_diagonal, nullptr));
  PetscCall(change_block_back(diagonal));
  PetscCall(change_block_back(off_diagonal));
  PetscCall(aij.write(A));
  PetscCall(PetscObjectComposeFunction(as_object(A), "MatConvert_mpiaijheddle_mpiaij_C", nullptr));
  PetscCall(forget_settings(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode convert_to_mpiaij(Mat A, MatType, MatReuse reuse, Mat* made) {
  return convert(A, MATMPIAIJ, reuse, made, change_to_aij);
}

PetscErrorCode read_aij() {
  Mat plain = nullptr;
  PetscFunctionBegin;
  if (aij.mult) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create_plain(MATMPIAIJ, &plain));
  PetscCall(aij.read(plain));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode change_to_heddle(Mat A) {
  PetscFunctionBegin;
  PetscCall(read_aij());
  PetscCall(ParallelProducts<aij, take_over>::operations.write(A));
  PetscCall(PetscObjectComposeFunction(as_object(A), "MatConvert_mpiaijheddle_mpiaij_C", convert_to_mpiaij));
  PetscCall(PetscObjectComposeFunction(as_object(A), "MatConvert_mpiaij_mpiaijheddle_C", convert_to_mpiaijheddle));
  PetscCall(share_functions(A, MATMPIAIJ, MATMPIAIJHEDDLE));
  PetscCall(PetscObjectComposeFunction(as_object(A), "MatProductSetFromOptions_mpiaijheddle_mpidense_C",
                                       set_parallel_dense_products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode prepare_mpiaijheddle(Mat A) {
  PetscFunctionBegin;
  PetscCall(prepare_blocks(A, take_over, LocalOperator::current));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode convert_to_mpiaijheddle(Mat A, MatType, MatReuse reuse, Mat* made) {
  return convert(A, MATMPIAIJHEDDLE, reuse, made, change_to_heddle);
}

PetscErrorCode create_mpiaijheddle(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATMPIAIJ));
  PetscCall(convert_to_mpiaijheddle(A, MATMPIAIJHEDDLE, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
