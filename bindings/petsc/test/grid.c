/* An ordinary program whose matrix comes from a grid of PETSc: -dm_mat_type decides. */
#include <petscdmda.h>
#include <petscksp.h>

/* -u'' of one point, and 1 for it on the right. */
static PetscErrorCode Assemble(DM grid, Mat A)
{
  DMDALocalInfo info;

  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(grid, &info));
  for (PetscInt j = info.ys; j < info.ys + info.ym; j++)
    for (PetscInt i = info.xs; i < info.xs + info.xm; i++) {
      const PetscInt    at[5][2] = {{i, j}, {i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}};
      const PetscScalar value[5] = {4.0, -1.0, -1.0, -1.0, -1.0};
      for (int k = 0; k < 5; k++) {
        MatStencil row, column;
        if (at[k][0] < 0 || at[k][0] >= info.mx || at[k][1] < 0 || at[k][1] >= info.my) continue;
        row.i = i, row.j = j, row.k = 0, row.c = 0;
        column.i = at[k][0], column.j = at[k][1], column.k = 0, column.c = 0;
        PetscCall(MatSetValuesStencil(A, 1, &row, 1, &column, &value[k], INSERT_VALUES));
      }
    }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  DM                 grid;
  Mat                A;
  MatType            type;
  Vec                x, b;
  KSP                ksp;
  PetscInt           iterations;
  KSPConvergedReason reason;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 40, 40, PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, &grid));
  PetscCall(DMSetFromOptions(grid));
  PetscCall(DMSetUp(grid));
  PetscCall(DMCreateMatrix(grid, &A));
  PetscCall(Assemble(grid, A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s after %d iterations, a matrix of type %s\n", KSPConvergedReasons[reason], (int)iterations, type));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&grid));
  PetscCall(PetscFinalize());
  return reason > 0 ? 0 : 1;
}
