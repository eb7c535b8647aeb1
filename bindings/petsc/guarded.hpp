// Exceptions of Heddle end here and become errors of PETSc.
#pragma once

#include <exception>

#include "petsc_releases.hpp"

namespace heddle::petsc {

// Thrown where a function of PETSc fails inside a callback of Heddle; the error has been reported already.
struct PetscFailure {
  PetscErrorCode code;
};
inline void must(PetscErrorCode code) {
  if (code != PETSC_SUCCESS) throw PetscFailure{code};
}

// Reports the exception that is being handled as an error of PETSc.
PetscErrorCode report_exception(MPI_Comm comm) noexcept;

template <class Body>
PetscErrorCode guarded(MPI_Comm comm, Body&& body) noexcept {
  try {
    body();
    return PETSC_SUCCESS;
  } catch (...) {
    return report_exception(comm);
  }
}

}  // namespace heddle::petsc
