// seqaijheddle: a SeqAIJ matrix whose products are Heddle's.
#include "local_operator.hpp"
#include "mat_types.hpp"
#include "products.hpp"

namespace heddle::petsc {

namespace {

AijOperations aij;
PetscErrorCode (*aij_retrieve_values)(Mat) = nullptr;

// PETSc's own does not say that values have changed.
PetscErrorCode retrieve_values(Mat A) {
  PetscFunctionBegin;
  PetscCall(aij_retrieve_values(A));
  PetscCall(PetscObjectStateIncrease(as_object(A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr AijOperations heddle = SequentialProducts<aij>::operations;

PetscErrorCode convert_to_seqaij(Mat A, MatType, MatReuse reuse, Mat* made) {
  Mat B = *made;
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(aij.write(B));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatRetrieveValues_C", aij_retrieve_values));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatConvert_seqaijheddle_seqaij_C", nullptr));
  PetscCall(LocalOperator::forget(B));
  PetscCall(PetscObjectChangeTypeName(as_object(B), MATSEQAIJ));
  *made = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode convert_to_seqaijheddle(Mat A, MatType, MatReuse reuse, Mat* made) {
  Mat B = *made;
  PetscBool ours = PETSC_FALSE;
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  *made = B;
  PetscCall(PetscObjectTypeCompare(as_object(B), MATSEQAIJHEDDLE, &ours));
  if (ours) PetscFunctionReturn(PETSC_SUCCESS);
  if (!aij.mult) {
    PetscCall(aij.read(B));
    PetscCall(PetscObjectQueryFunction(as_object(B), "MatRetrieveValues_C", &aij_retrieve_values));
  }
  PetscCall(heddle.write(B));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatRetrieveValues_C", retrieve_values));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatConvert_seqaijheddle_seqaij_C", convert_to_seqaij));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatConvert_seqaij_seqaijheddle_C", convert_to_seqaijheddle));
  PetscCall(share_functions(B, MATSEQAIJ, MATSEQAIJHEDDLE));
  PetscCall(
      PetscObjectComposeFunction(as_object(B), "MatProductSetFromOptions_seqaijheddle_seqdense_C", set_dense_products));
  PetscCall(PetscObjectChangeTypeName(as_object(B), MATSEQAIJHEDDLE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode create_seqaijheddle(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(convert_to_seqaijheddle(A, MATSEQAIJHEDDLE, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
