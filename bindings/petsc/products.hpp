// Products by Heddle in the place of those of a type of PETSc, whose operations are `base`: of AIJ on the host, and of
// AIJ where a PETSc with CUDA keeps it on a GPU.
#pragma once

#include "guarded.hpp"
#include "local_operator.hpp"
#include "mat_types.hpp"
#include "vector_arrays.hpp"

namespace heddle::petsc {

using Product = void (LocalOperator::*)(const VectorArrays&, bool add);

// y = A x or y = y + A x.
inline PetscErrorCode multiply_with(Mat A, LocalOperator& op, Product product, Vec x, Vec y, bool add) {
  const Access access = add ? Access::read_and_write : Access::write;
  VectorArrays arrays;
  PetscFunctionBegin;
  PetscCall(hold_vectors(x, y, access, op.device(), arrays));
  const PetscErrorCode multiplied = guarded(PetscObjectComm(as_object(A)), [&] { (op.*product)(arrays, add); });
  PetscCall(release_vectors(x, y, access, arrays));
  PetscCall(multiplied);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <AijOperations& base>
struct SequentialProducts {
  static PetscErrorCode mult(Mat A, Vec x, Vec y) {
    LocalOperator* op = nullptr;
    PetscFunctionBegin;
    PetscCall(LocalOperator::current(A, op));
    if (!op->usable()) PetscFunctionReturn(base.mult(A, x, y));
    PetscCall(multiply_with(A, *op, &LocalOperator::multiply, x, y, false));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode mult_add(Mat A, Vec x, Vec y, Vec z) {
    LocalOperator* op = nullptr;
    PetscFunctionBegin;
    PetscCall(LocalOperator::current(A, op));
    if (!op->usable()) PetscFunctionReturn(base.mult_add(A, x, y, z));
    if (y != z) PetscCall(VecCopy(y, z));
    PetscCall(multiply_with(A, *op, &LocalOperator::multiply, x, z, true));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode mult_transpose(Mat A, Vec x, Vec y) {
    LocalOperator* op = nullptr;
    PetscFunctionBegin;
    PetscCall(LocalOperator::current_transposed(A, op));
    if (!op->usable()) PetscFunctionReturn(base.mult_transpose(A, x, y));
    PetscCall(multiply_with(A, *op, &LocalOperator::multiply_transposed, x, y, false));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode mult_transpose_add(Mat A, Vec x, Vec y, Vec z) {
    LocalOperator* op = nullptr;
    PetscFunctionBegin;
    PetscCall(LocalOperator::current_transposed(A, op));
    if (!op->usable()) PetscFunctionReturn(base.mult_transpose_add(A, x, y, z));
    if (y != z) PetscCall(VecCopy(y, z));
    PetscCall(multiply_with(A, *op, &LocalOperator::multiply_transposed, x, z, true));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode view(Mat A, PetscViewer viewer) {
    PetscBool facts = PETSC_FALSE, all_ranks = PETSC_FALSE;
    PetscFunctionBegin;
    PetscCall(base.view(A, viewer));
    PetscCall(views_facts(viewer, &facts, &all_ranks));
    if (!facts) PetscFunctionReturn(PETSC_SUCCESS);
    LocalOperator* op = nullptr;
    PetscCall(LocalOperator::existing(A, op));
    PetscCall(PetscViewerASCIIPrintf(viewer, "Heddle: %s\n", op ? op->describe().c_str() : "no product yet"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static constexpr AijOperations operations{mult, mult_add, mult_transpose, mult_transpose_add, view};
};

// Gives the products of a local block to Heddle where they are not yet; false where the program wants PETSc's.
using TakeOver = PetscErrorCode(Mat block, PetscBool* taken);
using Bring = PetscErrorCode(Mat, LocalOperator*&);

// The operators of both blocks, up to date. They are built here and not during the product: an error then leaves no
// message on its way. PETSc makes the blocks anew now and then, so this is called before each product.
PetscErrorCode prepare_blocks(Mat A, TakeOver* take_over, Bring* up_to_date);
PetscErrorCode view_blocks(Mat A, PetscViewer viewer);
// What prepare_blocks read from the options.
PetscErrorCode forget_settings(Mat A);

// PETSc's own products send and receive x while the diagonal block multiplies, then call the off-diagonal one.
template <AijOperations& base, TakeOver* take_over>
struct ParallelProducts {
  static PetscErrorCode mult(Mat A, Vec x, Vec y) {
    PetscFunctionBegin;
    PetscCall(prepare_blocks(A, take_over, LocalOperator::current));
    PetscCall(base.mult(A, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode mult_add(Mat A, Vec x, Vec y, Vec z) {
    PetscFunctionBegin;
    PetscCall(prepare_blocks(A, take_over, LocalOperator::current));
    PetscCall(base.mult_add(A, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode mult_transpose(Mat A, Vec x, Vec y) {
    PetscFunctionBegin;
    PetscCall(prepare_blocks(A, take_over, LocalOperator::current_transposed));
    PetscCall(base.mult_transpose(A, x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode mult_transpose_add(Mat A, Vec x, Vec y, Vec z) {
    PetscFunctionBegin;
    PetscCall(prepare_blocks(A, take_over, LocalOperator::current_transposed));
    PetscCall(base.mult_transpose_add(A, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode view(Mat A, PetscViewer viewer) {
    PetscBool facts = PETSC_FALSE, all_ranks = PETSC_FALSE;
    PetscFunctionBegin;
    PetscCall(base.view(A, viewer));
    PetscCall(views_facts(viewer, &facts, &all_ranks));
    if (facts) PetscCall(view_blocks(A, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static constexpr AijOperations operations{mult, mult_add, mult_transpose, mult_transpose_add, view};
};

}  // namespace heddle::petsc
