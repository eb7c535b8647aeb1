// The Mat types: AIJ of PETSc with products by Heddle.
#pragma once

#include "heddle_petsc.h"
#include "petsc_releases.hpp"

namespace heddle::petsc {

// In place these change operations and the name of the type; assembly, factorisation and the rest stay AIJ's.
PetscErrorCode convert_to_seqaijheddle(Mat A, MatType type, MatReuse reuse, Mat* made);
PetscErrorCode convert_to_mpiaijheddle(Mat A, MatType type, MatReuse reuse, Mat* made);

PetscErrorCode create_seqaijheddle(Mat A);
PetscErrorCode create_mpiaijheddle(Mat A);

// A PETSc with CUDA: aijcusparse with products by Heddle. PETSc knows its own by name, so that the matrix keeps the
// type name aijcusparse; these names are for asking.
PetscErrorCode register_aijcusparseheddle();

// What AIJ does, where Heddle does something else.
struct AijOperations {
  PetscErrorCode (*mult)(Mat, Vec, Vec) = nullptr;
  PetscErrorCode (*mult_add)(Mat, Vec, Vec, Vec) = nullptr;
  PetscErrorCode (*mult_transpose)(Mat, Vec, Vec) = nullptr;
  PetscErrorCode (*mult_transpose_add)(Mat, Vec, Vec, Vec) = nullptr;
  PetscErrorCode (*view)(Mat, PetscViewer) = nullptr;

  PetscErrorCode read(Mat A);
  PetscErrorCode write(Mat A) const;
};

// A matrix of this type of PETSc whatever -mat_seqaij_type says: for its operations.
PetscErrorCode create_plain(MatType type, Mat* made);
// In place: of a type derived from `plain` one of that type, assembled or not.
PetscErrorCode make_plain(Mat A, MatType plain);

// What MatConvert asks for: a matrix of this type, of which `change` makes one in place.
template <class Change>
PetscErrorCode convert(Mat A, MatType type, MatReuse reuse, Mat* made, Change&& change) {
  PetscBool already = PETSC_FALSE;
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, *made, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, made));
  PetscCall(PetscObjectTypeCompare(as_object(*made), type, &already));
  if (already) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(change(*made));
  PetscCall(PetscObjectChangeTypeName(as_object(*made), type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Converters and products that AIJ has under its own name are found under ours as well.
PetscErrorCode share_functions(Mat A, const char* aij, const char* ours);

// Both blocks of a matrix of type mpiaijheddle are Heddle's, and up to date.
PetscErrorCode prepare_mpiaijheddle(Mat A);

// For products with dense matrices: composed with a Mat of type seqaijheddle and of type mpiaijheddle.
PetscErrorCode set_dense_products(Mat C);
PetscErrorCode set_parallel_dense_products(Mat C);
// AIJ's own products with a matrix of another type: for several unknowns a node, of hypre, or dense from the left.
PetscErrorCode set_aij_products(Mat C);

// Whether the viewer prints facts about a matrix, not its entries.
PetscErrorCode views_facts(PetscViewer viewer, PetscBool* facts, PetscBool* of_all_ranks);

}  // namespace heddle::petsc
