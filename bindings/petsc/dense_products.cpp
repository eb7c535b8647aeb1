// Products with a dense matrix, all columns in one call of Heddle: A B and A' B on one process; on several the diagonal
// block's part of A B. PETSc asks the type of that block who multiplies it; what the off-diagonal block adds is AIJ's.
// Products with a matrix of yet another type are AIJ's.
#include <string>

#include "guarded.hpp"
#include "local_operator.hpp"
#include "mat_types.hpp"

namespace heddle::petsc {

namespace {

using Step = PetscErrorCode(Mat C);
// `petscs` is what PETSc would do.
using Multiply = PetscErrorCode(Mat A, Mat B, Mat C, Step* petscs);

// Its numeric step in the place of PETSc's.
template <Multiply* multiply>
struct DenseProduct {
  static inline Step *petscs_symbolic = nullptr, *petscs_numeric = nullptr;

  static PetscErrorCode numeric(Mat C) {
    Mat A = nullptr, B = nullptr;
    PetscFunctionBegin;
    PetscCall(MatProductGetMats(C, &A, &B, nullptr));
    PetscCall(multiply(A, B, C, petscs_numeric));
    PetscCall(PetscObjectStateIncrease(as_object(C)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static PetscErrorCode symbolic(Mat C) {
    PetscFunctionBegin;
    PetscCall(petscs_symbolic(C));
    PetscCall(get_operation(C, MATOP_PRODUCTNUMERIC, petscs_numeric));
    PetscCall(set_operation(C, MATOP_PRODUCTNUMERIC, numeric));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static PetscErrorCode set(Mat C) {
    PetscFunctionBegin;
    PetscCall(get_operation(C, MATOP_PRODUCTSYMBOLIC, petscs_symbolic));
    PetscCall(set_operation(C, MATOP_PRODUCTSYMBOLIC, symbolic));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

PetscErrorCode multiply_columns(LocalOperator& op, bool transposed, Mat B, Mat C) {
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
  const PetscErrorCode multiplied = guarded(
      PetscObjectComm(as_object(C)), [&] { op.multiply_many(transposed, from, stride_from, to, stride_to, count); });
  PetscCall(MatDenseRestoreArrayWrite(C, &to));
  PetscCall(MatDenseRestoreArrayRead(B, &from));
  PetscCall(multiplied);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool transposed>
PetscErrorCode multiply(Mat A, Mat B, Mat C, Step* petscs) {
  LocalOperator* op = nullptr;
  PetscFunctionBegin;
  PetscCall(transposed ? LocalOperator::current_transposed(A, op) : LocalOperator::current(A, op));
  PetscCall(op->multiplies_many() ? multiply_columns(*op, transposed, B, C) : petscs(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode multiply_parallel(Mat A, Mat, Mat C, Step* petscs) {
  PetscFunctionBegin;
  PetscCall(prepare_mpiaijheddle(A));
  PetscCall(petscs(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode name_as_aij(Mat A, std::string& name) {
  MatType type = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  name = type;
  if (name == MATSEQAIJHEDDLE) name = MATSEQAIJ;
  if (name == MATMPIAIJHEDDLE) name = MATMPIAIJ;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc knows the product by the names of its own types, at either of the two matrices.
PetscErrorCode set_petscs(Mat C, MatProductType& type) {
  Mat A = nullptr, B = nullptr;
  std::string first, second;
  PetscErrorCode (*known)(Mat) = nullptr;
  PetscFunctionBegin;
  type = MATPRODUCT_UNSPECIFIED;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(name_as_aij(A, first));
  PetscCall(name_as_aij(B, second));
  const std::string name = "MatProductSetFromOptions_" + first + "_" + second + "_C";
  PetscCall(PetscObjectQueryFunction(as_object(A), name.c_str(), &known));
  if (!known) PetscCall(PetscObjectQueryFunction(as_object(B), name.c_str(), &known));
  if (!known) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(known(C));
  PetscCall(MatProductGetType(C, &type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode set_dense_products(Mat C) {
  MatProductType type = MATPRODUCT_UNSPECIFIED;
  PetscFunctionBegin;
  PetscCall(set_petscs(C, type));
  if (type == MATPRODUCT_AB) PetscCall(DenseProduct<multiply<false>>::set(C));
  if (type == MATPRODUCT_AtB) PetscCall(DenseProduct<multiply<true>>::set(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_parallel_dense_products(Mat C) {
  MatProductType type = MATPRODUCT_UNSPECIFIED;
  PetscFunctionBegin;
  PetscCall(set_petscs(C, type));
  if (type == MATPRODUCT_AB) PetscCall(DenseProduct<multiply_parallel>::set(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_aij_products(Mat C) {
  MatProductType type = MATPRODUCT_UNSPECIFIED;
  PetscFunctionBegin;
  PetscCall(set_petscs(C, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
