/* The largest eigenvalues of -u'' on a square grid by SLEPc; the products are those of -mat_type.

     mpirun -n 2 ./eigenvalues -n 60 -eps_nev 4 -dll_append libheddle_petsc.so -mat_type aijheddle */
#include <slepceps.h>

static PetscErrorCode Assemble(PetscInt n, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 5, NULL, 5, NULL));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt row = begin; row < end; row++) {
    const PetscInt i = row / n, j = row % n;
    if (i > 0) PetscCall(MatSetValue(*A, row, row - n, -1.0, INSERT_VALUES));
    if (j > 0) PetscCall(MatSetValue(*A, row, row - 1, -1.0, INSERT_VALUES));
    PetscCall(MatSetValue(*A, row, row, 4.0, INSERT_VALUES));
    if (j < n - 1) PetscCall(MatSetValue(*A, row, row + 1, -1.0, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*A, row, row + n, -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  Mat         A;
  EPS         eps;
  PetscInt    n = 60, found;
  PetscScalar value;
  PetscReal   known;

  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(Assemble(n, &A));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  if (found > 0) {
    PetscCall(EPSGetEigenvalue(eps, 0, &value, NULL));
    known = 4 + 4 * PetscCosReal(PETSC_PI / (n + 1));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "largest eigenvalue %.10f, error %.1e\n", (double)PetscRealPart(value), (double)PetscAbsReal(PetscRealPart(value) - known)));
  }
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(SlepcFinalize());
  return found > 0 ? 0 : 1;
}
