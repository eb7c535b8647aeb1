// Products by Heddle in the place of those of a type of PETSc, whose operations are `base`: of AIJ on the host, and of
// AIJ where a PETSc with CUDA keeps it on a GPU.
#pragma once

#include "guarded.hpp"
#include "local_operator.hpp"
#include "mat_types.hpp"
#include "vector_arrays.hpp"

namespace heddle::petsc {

using Bring = PetscErrorCode(Mat, LocalOperator*&);
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
  // `petscs` is the member of `base` for this product.
  template <auto petscs, Bring* up_to_date, Product product>
  static PetscErrorCode multiply(Mat A, Vec x, Vec y) {
    LocalOperator* op = nullptr;
    PetscFunctionBegin;
    PetscCall(up_to_date(A, op));
    if (!op->usable()) PetscFunctionReturn((base.*petscs)(A, x, y));
    PetscCall(multiply_with(A, *op, product, x, y, false));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  template <auto petscs, Bring* up_to_date, Product product>
  static PetscErrorCode multiply_add(Mat A, Vec x, Vec y, Vec z) {
    LocalOperator* op = nullptr;
    PetscFunctionBegin;
    PetscCall(up_to_date(A, op));
    if (!op->usable()) PetscFunctionReturn((base.*petscs)(A, x, y, z));
    if (y != z) PetscCall(VecCopy(y, z));
    PetscCall(multiply_with(A, *op, product, x, z, true));
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

  static constexpr AijOperations operations{
      multiply<&AijOperations::mult, LocalOperator::current, &LocalOperator::multiply>,
      multiply_add<&AijOperations::mult_add, LocalOperator::current, &LocalOperator::multiply>,
      multiply<&AijOperations::mult_transpose, LocalOperator::current_transposed, &LocalOperator::multiply_transposed>,
      multiply_add<&AijOperations::mult_transpose_add, LocalOperator::current_transposed,
                   &LocalOperator::multiply_transposed>,
      view};
};

// Gives the products of a local block to Heddle where they are not yet; false where the program wants PETSc's.
using TakeOver = PetscErrorCode(Mat block, PetscBool* taken);

// The operators of both blocks, up to date. They are built here and not during the product: an error then leaves no
// message on its way. PETSc makes the blocks anew now and then, so this is called before each product.
PetscErrorCode prepare_blocks(Mat A, TakeOver* take_over, Bring* up_to_date);
PetscErrorCode view_blocks(Mat A, PetscViewer viewer);
// What prepare_blocks read from the options.
PetscErrorCode forget_settings(Mat A);

// PETSc's own products send and receive x while the diagonal block multiplies, then call the off-diagonal one.
template <AijOperations& base, TakeOver* take_over>
struct ParallelProducts {
  template <auto petscs, Bring* up_to_date, class... Vecs>
  static PetscErrorCode multiply(Mat A, Vecs... vectors) {
    PetscFunctionBegin;
    PetscCall(prepare_blocks(A, take_over, up_to_date));
    PetscCall((base.*petscs)(A, vectors...));
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

  static constexpr AijOperations operations{
      multiply<&AijOperations::mult, LocalOperator::current>,
      multiply<&AijOperations::mult_add, LocalOperator::current>,
      multiply<&AijOperations::mult_transpose, LocalOperator::current_transposed>,
      multiply<&AijOperations::mult_transpose_add, LocalOperator::current_transposed>, view};
};

}  // namespace heddle::petsc
