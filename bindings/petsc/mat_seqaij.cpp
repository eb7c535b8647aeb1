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

PetscErrorCode change_to_aij(Mat A) {
  PetscFunctionBegin;
  PetscCall(aij.write(A));
  PetscCall(PetscObjectComposeFunction(as_object(A), "MatRetrieveValues_C", aij_retrieve_values));
  PetscCall(PetscObjectComposeFunction(as_object(A), "MatConvert_seqaijheddle_seqaij_C", nullptr));
  PetscCall(LocalOperator::forget(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode convert_to_seqaij(Mat A, MatType, MatReuse reuse, Mat* made) {
  return convert(A, MATSEQAIJ, reuse, made, change_to_aij);
}

PetscErrorCode read_aij() {
  Mat plain = nullptr;
  PetscFunctionBegin;
  if (aij.mult) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(create_plain(MATSEQAIJ, &plain));
  PetscCall(aij.read(plain));
  PetscCall(PetscObjectQueryFunction(as_object(plain), "MatRetrieveValues_C", &aij_retrieve_values));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Of AIJ, or of what -mat_seqaij_type has made of it.
PetscErrorCode change_to_heddle(Mat A) {
  PetscFunctionBegin;
  PetscCall(read_aij());
  PetscCall(make_plain(A, MATSEQAIJ));
  PetscCall(SequentialProducts<aij>::operations.write(A));
  PetscCall(PetscObjectComposeFunction(as_object(A), "MatRetrieveValues_C", retrieve_values));
  PetscCall(PetscObjectComposeFunction(as_object(A), "MatConvert_seqaijheddle_seqaij_C", convert_to_seqaij));
  PetscCall(PetscObjectComposeFunction(as_object(A), "MatConvert_seqaij_seqaijheddle_C", convert_to_seqaijheddle));
  PetscCall(share_functions(A, MATSEQAIJ, MATSEQAIJHEDDLE));
  PetscCall(
      PetscObjectComposeFunction(as_object(A), "MatProductSetFromOptions_seqaijheddle_seqdense_C", set_dense_products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode convert_to_seqaijheddle(Mat A, MatType, MatReuse reuse, Mat* made) {
  return convert(A, MATSEQAIJHEDDLE, reuse, made, change_to_heddle);
}

PetscErrorCode create_seqaijheddle(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(convert_to_seqaijheddle(A, MATSEQAIJHEDDLE, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
