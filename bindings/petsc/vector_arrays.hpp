// The arrays of two vectors of PETSc, as long as they are held: in host memory, or where a PETSc with CUDA keeps them
// on the GPU of the operator and nothing needs to travel.
#pragma once

#include <heddle/operator.hpp>

#include "petsc_releases.hpp"

namespace heddle::petsc {

struct VectorArrays {
  const PetscScalar* x = nullptr;
  PetscScalar* y = nullptr;
  bool on_device = false;
  Stream stream;  // of PETSc, where the arrays are on the device

  Memory memory() const { return on_device ? Memory::device : Memory::host; }
};

enum class Access { write, read_and_write };

// For an operator on `device`; y by `access`, x is read.
PetscErrorCode hold_vectors(Vec x, Vec y, Access access, Device device, VectorArrays& arrays);
PetscErrorCode release_vectors(Vec x, Vec y, Access access, VectorArrays& arrays);

}  // namespace heddle::petsc
