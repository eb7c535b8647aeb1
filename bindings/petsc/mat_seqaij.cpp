// seqaijheddle: a SeqAIJ matrix whose products are Heddle's.
#include "guarded.hpp"
#include "local_operator.hpp"
#include "mat_types.hpp"
#include "vector_arrays.hpp"

namespace heddle::petsc {

namespace {

AijOperations aij;
PetscErrorCode (*aij_retrieve_values)(Mat) = nullptr;

using Product = void (LocalOperator::*)(const VectorArrays&, bool add);

// y = A x or y = y + A x.
PetscErrorCode with_arrays(Mat A, LocalOperator& op, Product product, Vec x, Vec y, bool add) {
  const Access access = add ? Access::read_and_write : Access::write;
  VectorArrays arrays;
  PetscFunctionBegin;
  PetscCall(hold_vectors(x, y, access, op.device(), arrays));
  const PetscErrorCode multiplied = guarded(PetscObjectComm(as_object(A)), [&] { (op.*product)(arrays, add); });
  PetscCall(release_vectors(x, y, access, arrays));
  PetscCall(multiplied);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode mult(Mat A, Vec x, Vec y) {
  LocalOperator* op = nullptr;
  PetscFunctionBegin;
  PetscCall(LocalOperator::current(A, op));
  if (!op->usable()) PetscFunctionReturn(aij.mult(A, x, y));
  PetscCall(with_arrays(A, *op, &LocalOperator::multiply, x, y, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode mult_add(Mat A, Vec x, Vec y, Vec z) {
  LocalOperator* op = nullptr;
  PetscFunctionBegin;
  PetscCall(LocalOperator::current(A, op));
  if (!op->usable()) PetscFunctionReturn(aij.mult_add(A, x, y, z));
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(with_arrays(A, *op, &LocalOperator::multiply, x, z, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode mult_transpose(Mat A, Vec x, Vec y) {
  LocalOperator* op = nullptr;
  PetscFunctionBegin;
  PetscCall(LocalOperator::current_transposed(A, op));
  if (!op->usable()) PetscFunctionReturn(aij.mult_transpose(A, x, y));
  PetscCall(with_arrays(A, *op, &LocalOperator::multiply_transposed, x, y, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode mult_transpose_add(Mat A, Vec x, Vec y, Vec z) {
  LocalOperator* op = nullptr;
  PetscFunctionBegin;
  PetscCall(LocalOperator::current_transposed(A, op));
  if (!op->usable()) PetscFunctionReturn(aij.mult_transpose_add(A, x, y, z));
  if (y != z) PetscCall(VecCopy(y, z));
  PetscCall(with_arrays(A, *op, &LocalOperator::multiply_transposed, x, z, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view(Mat A, PetscViewer viewer) {
  PetscBool facts = PETSC_FALSE, all_ranks = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(aij.view(A, viewer));
  PetscCall(views_facts(viewer, &facts, &all_ranks));
  if (!facts) PetscFunctionReturn(PETSC_SUCCESS);
  LocalOperator* op = nullptr;
  PetscCall(LocalOperator::existing(A, op));
  PetscCall(PetscViewerASCIIPrintf(viewer, "Heddle: %s\n", op ? op->describe().c_str() : "no product yet"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc's own does not say that values have changed.
PetscErrorCode retrieve_values(Mat A) {
  PetscFunctionBegin;
  PetscCall(aij_retrieve_values(A));
  PetscCall(PetscObjectStateIncrease(as_object(A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr AijOperations heddle{mult, mult_add, mult_transpose, mult_transpose_add, view};

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
