// What PETSc calls when it has loaded the library, and a linked program calls itself.
#include <heddle/version.hpp>

#include "guarded.hpp"
#include "log_events.hpp"
#include "mat_types.hpp"
#include "settings.hpp"
#include "solver_types.hpp"

namespace heddle::petsc {

namespace {

// The release whose headers this was compiled with. Types of PETSc differ between releases; patches keep them.
#ifndef HEDDLE_PETSC_COMPILED_MINOR
#define HEDDLE_PETSC_COMPILED_MINOR PETSC_VERSION_MINOR
#endif

PetscErrorCode check_release() {
  PetscInt major = 0, minor = 0, patch = 0;
  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(&major, &minor, &patch, nullptr));
  PetscCheck(major == PETSC_VERSION_MAJOR && minor == HEDDLE_PETSC_COMPILED_MINOR, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Heddle %s was compiled for PETSc %d.%d and is loaded by PETSc %d.%d; build bindings/petsc for this one",
             version, PETSC_VERSION_MAJOR, HEDDLE_PETSC_COMPILED_MINOR, static_cast<int>(major),
             static_cast<int>(minor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode register_types() {
  PetscFunctionBegin;
  PetscCall(MatRegister(MATSEQAIJHEDDLE, create_seqaijheddle));
  PetscCall(MatRegister(MATMPIAIJHEDDLE, create_mpiaijheddle));
  PetscCall(MatRegisterRootName(MATHEDDLE, MATSEQAIJHEDDLE, MATMPIAIJHEDDLE));
  PetscCall(MatSeqAIJRegister(MATSEQAIJHEDDLE, convert_to_seqaijheddle));
  PetscCall(register_aijcusparseheddle());
  PetscCall(KSPRegister(KSPHEDDLE, create_ksp));
  PetscCall(PCRegister(PCHEDDLE, create_pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

}  // namespace heddle::petsc

PetscErrorCode HeddlePetscRegister(void) {
  static PetscBool registered = PETSC_FALSE;
  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(heddle::petsc::check_release());
  PetscCall(heddle::petsc::register_log_events());
  PetscCall(heddle::petsc::share_the_node());
  PetscCall(heddle::petsc::register_types());
  registered = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// By the name of the library: libheddle_petsc.
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_heddle_petsc(void) {
  PetscFunctionBegin;
  PetscCall(HeddlePetscRegister());
  PetscFunctionReturn(PETSC_SUCCESS);
}
