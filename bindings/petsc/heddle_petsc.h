/* Heddle inside PETSc, for programs that link libheddle_petsc. Programs that load it (-dll_append) need no header. */
#pragma once

#include <petscsys.h>

#define MATHEDDLE "aijheddle" /* seqaijheddle on one process, mpiaijheddle on several */
#define MATSEQAIJHEDDLE "seqaijheddle"
#define MATMPIAIJHEDDLE "mpiaijheddle"
/* Where PETSc has CUDA: aijcusparse with products by Heddle. MatGetType then says seqaijcusparse or mpiaijcusparse. */
#define MATAIJCUSPARSEHEDDLE "aijcusparseheddle"
#define MATSEQAIJCUSPARSEHEDDLE "seqaijcusparseheddle"
#define MATMPIAIJCUSPARSEHEDDLE "mpiaijcusparseheddle"
#define KSPHEDDLE "heddle"
#define PCHEDDLE "heddle"

/* Registers the types above. Collective on PETSC_COMM_WORLD, after PetscInitialize; calling it again does nothing. */
PETSC_EXTERN PetscErrorCode HeddlePetscRegister(void);
