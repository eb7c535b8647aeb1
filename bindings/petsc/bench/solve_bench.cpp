// KSPSetUp and KSPSolve by the options of PETSc: the medians of several rounds, each with a KSP of its own; a first
// round is not counted. b is A times ones.
//   petsc_solve_bench -matrix gen:stencil2d5,n=1000 -mat_type aijcusparse -ksp_type cg -pc_type jacobi [-rounds 5]
#include <petscksp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/stopwatch.hpp"
#include "heddle_petsc.h"
#include "read_distributed.hpp"

using namespace heddle::petsc::bench;

namespace {

using heddle::median;

struct Round {
  double set_up = 0, solve = 0;
  PetscInt iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
};

double now() {
  MPI_Barrier(PETSC_COMM_WORLD);
  return MPI_Wtime();
}

// The norm of the solution is asked for within the time: it waits for a GPU.
Round solve(Mat A, Vec b, Vec x) {
  Round round;
  KSP ksp = nullptr;
  PetscReal norm = 0;
  must(KSPCreate(PETSC_COMM_WORLD, &ksp));
  must(KSPSetOperators(ksp, A, A));
  must(KSPSetFromOptions(ksp));
  must(VecSet(x, 0));
  must(VecNorm(x, NORM_2, &norm));
  const double begin = now();
  must(KSPSetUp(ksp));
  const double ready = now();
  must(KSPSolve(ksp, b, x));
  must(VecNorm(x, NORM_2, &norm));
  round.solve = now() - ready;
  round.set_up = ready - begin;
  must(KSPGetIterationNumber(ksp, &round.iterations));
  must(KSPGetConvergedReason(ksp, &round.reason));
  must(KSPDestroy(&ksp));
  return round;
}

double true_residual(Mat A, Vec b, Vec x) {
  Vec r = nullptr;
  PetscReal left = 0, size = 0;
  must(VecDuplicate(b, &r));
  must(MatMult(A, x, r));
  must(VecAYPX(r, -1, b));
  must(VecNorm(r, NORM_2, &left));
  must(VecNorm(b, NORM_2, &size));
  must(VecDestroy(&r));
  return left / size;
}

}  // namespace

int main(int argc, char** argv) {
  must(PetscInitialize(&argc, &argv, nullptr, nullptr));
  must(HeddlePetscRegister());
  char name[512] = "gen:stencil2d5,n=1000", type[64] = MATAIJ;
  PetscInt rounds = 5;
  must(PetscOptionsGetString(nullptr, nullptr, "-matrix", name, sizeof name, nullptr));
  must(PetscOptionsGetString(nullptr, nullptr, "-mat_type", type, sizeof type, nullptr));
  must(PetscOptionsGetInt(nullptr, nullptr, "-rounds", &rounds, nullptr));
  Mat A = read_distributed(name);
  must(MatConvert(A, type, MAT_INPLACE_MATRIX, &A));
  must(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  Vec x = nullptr, b = nullptr;
  must(MatCreateVecs(A, &x, &b));
  must(VecSet(x, 1));
  must(MatMult(A, x, b));
  std::vector<double> set_up, solved, both;
  Round last = solve(A, b, x);
  for (PetscInt i = 0; i < rounds; ++i) {
    last = solve(A, b, x);
    set_up.push_back(last.set_up);
    solved.push_back(last.solve);
    both.push_back(last.set_up + last.solve);
  }
  must(PetscPrintf(
      PETSC_COMM_WORLD,
      "set-up %.2f ms, solve %.2f ms, both %.2f ms; %d iterations, %.1f us each; %s, |b - A x| / |b| %.1e\n",
      1e3 * median(set_up), 1e3 * median(solved), 1e3 * median(both), static_cast<int>(last.iterations),
      1e6 * median(solved) / std::max(1, static_cast<int>(last.iterations)), KSPConvergedReasons[last.reason],
      true_residual(A, b, x)));
  must(VecDestroy(&x));
  must(VecDestroy(&b));
  must(MatDestroy(&A));
  must(PetscFinalize());
  return 0;
}
