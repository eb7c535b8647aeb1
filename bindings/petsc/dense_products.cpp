// MatMatMult(seqaijheddle, seqdense): all columns in one call of Heddle.
#include "guarded.hpp"
#include "local_operator.hpp"
#include "mat_types.hpp"

namespace heddle::petsc {

namespace {

PetscErrorCode (*aij_symbolic)(Mat) = nullptr;
PetscErrorCode (*aij_numeric)(Mat) = nullptr;

PetscErrorCode multiply_dense(LocalOperator& op, Mat B, Mat C) {
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscInt stride_from = 0, stride_to = 0, count = 0;
  PetscFunctionBegin;
  PetscCall(MatGetSize(C, nullptr, &count));
  if (count == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDenseGetLDA(B, &stride_from));
  PetscCall(MatDenseGetLDA(C, &stride_to));
  PetscCall(MatDenseGetArrayRead(B, &from));
  PetscCall(MatDenseGetArrayWrite(C, &to));
  const PetscErrorCode multiplied =
      guarded(PetscObjectComm(as_object(C)), [&] { op.multiply_many(from, stride_from, to, stride_to, count); });
  PetscCall(MatDenseRestoreArrayWrite(C, &to));
  PetscCall(MatDenseRestoreArrayRead(B, &from));
  PetscCall(multiplied);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode numeric(Mat C) {
  Mat A = nullptr, B = nullptr;
  LocalOperator* op = nullptr;
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(LocalOperator::current(A, op));
  if (op->usable())
    PetscCall(multiply_dense(*op, B, C));
  else
    PetscCall(aij_numeric(C));
  PetscCall(PetscObjectStateIncrease(as_object(C)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode symbolic(Mat C) {
  PetscFunctionBegin;
  PetscCall(aij_symbolic(C));
  PetscCall(get_operation(C, MATOP_PRODUCTNUMERIC, aij_numeric));
  PetscCall(set_operation(C, MATOP_PRODUCTNUMERIC, numeric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode set_dense_products(Mat C) {
  Mat A = nullptr, B = nullptr;
  MatProductType type = MATPRODUCT_UNSPECIFIED;
  PetscErrorCode (*known)(Mat) = nullptr;
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(MatProductGetType(C, &type));
  PetscCall(PetscObjectQueryFunction(as_object(B), "MatProductSetFromOptions_seqaij_seqdense_C", &known));
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(known(C));
  if (type != MATPRODUCT_AB) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(get_operation(C, MATOP_PRODUCTSYMBOLIC, aij_symbolic));
  PetscCall(set_operation(C, MATOP_PRODUCTSYMBOLIC, symbolic));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
