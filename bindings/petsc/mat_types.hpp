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

// Converters and products that AIJ has under its own name are found under ours as well.
PetscErrorCode share_functions(Mat A, const char* aij, const char* ours);

// For MatMatMult with dense matrices: composed with a Mat of type seqaijheddle.
PetscErrorCode set_dense_products(Mat C);

// Whether the viewer prints facts about a matrix, not its entries.
PetscErrorCode views_facts(PetscViewer viewer, PetscBool* facts, PetscBool* of_all_ranks);

}  // namespace heddle::petsc
