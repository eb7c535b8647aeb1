// The KSP and PC types, both named heddle.
#pragma once

#include <heddle/solve.hpp>
#include <memory>

#include "heddle_petsc.h"
#include "petsc_releases.hpp"

namespace heddle::petsc {

PetscErrorCode create_ksp(KSP ksp);
PetscErrorCode create_pc(PC pc);

// What a PC of type heddle has set up, and the device it lives on.
struct DevicePreconditioner {
  std::shared_ptr<Preconditioner<PetscScalar>> made;
  Device device;
};
PetscErrorCode preconditioner_of(PC pc, DevicePreconditioner& found);

}  // namespace heddle::petsc
