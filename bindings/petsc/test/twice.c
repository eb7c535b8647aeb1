/* A program that owns MPI starts PETSc twice. Each time the options have Heddle multiply; what they say of KSP and PC
   must do. With HEDDLE_LINKED the program links the library, else it loads it by -dll_append. */
#include <petscksp.h>
#ifdef HEDDLE_LINKED
  #include "heddle_petsc.h"
#endif

static PetscErrorCode Assemble(PetscInt n, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 3, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 3, NULL, 2, NULL));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt row = begin; row < end; row++) {
    if (row > 0) PetscCall(MatSetValue(*A, row, row - 1, -1.0, INSERT_VALUES));
    PetscCall(MatSetValue(*A, row, row, 2.5, INSERT_VALUES));
    if (row < n - 1) PetscCall(MatSetValue(*A, row, row + 1, -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* Whether the solve converges and Heddle has multiplied. */
static PetscErrorCode Solve(PetscBool *good)
{
  Mat                A;
  Vec                x, b;
  KSP                ksp;
  KSPConvergedReason reason;
  PetscLogEvent      product;
  PetscEventPerfInfo info;

  PetscFunctionBeginUser;
  PetscCall(Assemble(100000, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(MatMult(A, b, x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PetscLogEventGetId("HeddleMatMult", &product));
  PetscCall(PetscLogEventGetPerfInfo(PETSC_DETERMINE, product, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %d products by Heddle\n", KSPConvergedReasons[reason], info.count));
  *good = reason > 0 && info.count > 0 ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  PetscBool good = PETSC_TRUE, once;

  MPI_Init(&argc, &argv);
  for (int round = 0; round < 2; round++) {
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscLogDefaultBegin());
#ifdef HEDDLE_LINKED
    PetscCall(HeddlePetscRegister());
#endif
    PetscCall(Solve(&once));
    if (!once) good = PETSC_FALSE;
    PetscCall(PetscFinalize());
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
