// What PETSc calls when it has loaded the library, and a linked program calls itself.
#include <heddle/version.hpp>

#include "guarded.hpp"
#include "log_events.hpp"
#include "mat_types.hpp"
#include "settings.hpp"
#include "solver_types.hpp"

namespace heddle::petsc {

namespace {

// What this was compiled for. Types of PETSc differ between releases; patches keep them.
#ifndef HEDDLE_PETSC_COMPILED_MINOR
#define HEDDLE_PETSC_COMPILED_MINOR PETSC_VERSION_MINOR
#endif
#ifndef HEDDLE_PETSC_COMPILED_INT_BYTES
#define HEDDLE_PETSC_COMPILED_INT_BYTES sizeof(PetscInt)
#endif
#ifndef HEDDLE_PETSC_COMPILED_SCALAR
#define HEDDLE_PETSC_COMPILED_SCALAR PETSC_SCALAR
#endif

// In this order: each question uses types that those before it have confirmed.
PetscErrorCode check_petsc() {
  std::size_t int_bytes = 0;
  PetscInt major = 0, minor = 0, patch = 0;
  PetscDataType scalar = PETSC_DATATYPE_UNKNOWN;
  PetscBool known = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscDataTypeGetSize(PETSC_INT, &int_bytes));
  PetscCheck(int_bytes == HEDDLE_PETSC_COMPILED_INT_BYTES, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Heddle %s was compiled for a PETSc whose PetscInt has %d bytes and is loaded by one with %d; build "
             "bindings/petsc for this one",
             version, static_cast<int>(HEDDLE_PETSC_COMPILED_INT_BYTES), static_cast<int>(int_bytes));
  PetscCall(PetscGetVersionNumber(&major, &minor, &patch, nullptr));
  PetscCheck(major == PETSC_VERSION_MAJOR && minor == HEDDLE_PETSC_COMPILED_MINOR, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Heddle %s was compiled for PETSc %d.%d and is loaded by PETSc %d.%d; build bindings/petsc for this one",
             version, PETSC_VERSION_MAJOR, HEDDLE_PETSC_COMPILED_MINOR, static_cast<int>(major),
             static_cast<int>(minor));
  PetscCall(PetscDataTypeFromString("scalar", &scalar, &known));
  PetscCheck(known && scalar == HEDDLE_PETSC_COMPILED_SCALAR, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Heddle %s was compiled for a PETSc with numbers of type %s and is loaded by one with %s; build "
             "bindings/petsc for this one",
             version, PetscDataTypes[HEDDLE_PETSC_COMPILED_SCALAR], PetscDataTypes[scalar]);
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

bool registered = false;

// In PetscFinalize, which destroys the lists of types and the log: a next PetscInitialize has neither.
PetscErrorCode forget_registration() {
  registered = false;
  return PETSC_SUCCESS;
}

PetscErrorCode register_once() {
  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_petsc());
  PetscCall(register_log_events());
  PetscCall(share_the_node());
  PetscCall(register_types());
  PetscCall(PetscRegisterFinalize(forget_registration));
  registered = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

}  // namespace heddle::petsc

PetscErrorCode HeddlePetscRegister(void) {
  PetscFunctionBegin;
  PetscCall(heddle::petsc::register_once());
  PetscFunctionReturn(PETSC_SUCCESS);
}

// By the name of the library: libheddle_petsc.
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_heddle_petsc(void) {
  PetscFunctionBegin;
  PetscCall(HeddlePetscRegister());
  PetscFunctionReturn(PETSC_SUCCESS);
}
