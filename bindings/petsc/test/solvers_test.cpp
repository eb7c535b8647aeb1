// The KSP type of Heddle, and its PC with it: solutions, what PETSc is told about them, and what is refused.
#include <cmath>
#include <limits>
#include <vector>

#include "solving.hpp"

namespace heddle::petsc::test {

namespace {

void solve_on_one_process() {
  for (const char* type : {usual_type(), our_type()})
    for (const Shape shape : {Shape::symmetric, Shape::unsymmetric})
      for (const char* method : {"auto", "cg", "minres", "bicgstab", "gmres"})
        for (const char* preconditioner : {"none", "jacobi", "ilu", "heddle"}) {
          const bool needs_symmetry = method[0] == 'c' || method[0] == 'm';
          if (needs_symmetry && shape == Shape::unsymmetric) continue;
          const Problem problem(shape, type);
          const Options options(
              {{"-ksp_type", "heddle"}, {"-ksp_heddle_method", method}, {"-pc_type", preconditioner}});
          const Solved solved = solve(problem.A, problem.b, true);
          expect_solution(solved, std::string(method) + " " + preconditioner);
          tally.check(solved.monitored == solved.iterations + 1, "a monitor sees every iteration");
          expect_solution(solve(problem.A, problem.b, false, 2), std::string("with a guess, ") + method);
        }
}

void follow_the_matrix() {
  const Problem problem(Shape::symmetric);
  const Options options{{"-ksp_type", "heddle"}, {"-pc_type", "heddle"}};
  expect_solution(solve(problem.A, problem.b), "before a change");
  must(MatShift(problem.A, 5));
  expect_solution(solve(problem.A, problem.b), "after MatShift");
}

void on_the_emulator() {
  const Problem problem(Shape::symmetric);
  for (const char* preconditioner : {"heddle", "sor", "none"}) {
    const Options options{{"-ksp_type", "heddle"},
                          {"-ksp_heddle_device", "emulator"},
                          {"-pc_type", preconditioner},
                          {"-pc_heddle_device", "emulator"},
                          {"-pc_heddle_type", "jacobi"}};
    expect_solution(solve(problem.A, problem.b), std::string("on the emulator with ") + preconditioner);
  }
}

void reasons() {
  const Problem problem(Shape::symmetric);
  const auto with = [&](const char* name, const char* value, PetscScalar guess = 0) {
    const Options options{{"-ksp_type", "heddle"}, {"-pc_type", "none"}, {name, value}};
    return solve(problem.A, problem.b, false, guess);
  };
  expect_reason(with("-ksp_max_it", "3"), KSP_DIVERGED_ITS, "too few iterations");
  expect_reason(with("-ksp_atol", "1e3"), KSP_CONVERGED_ATOL, "a large absolute tolerance");
  expect_reason(with("-ksp_divtol", "100", 1e6), KSP_DIVERGED_DTOL, "a guess far away");
  {
    const Options options(
        {{"-ksp_type", "heddle"}, {"-ksp_norm_type", "none"}, {"-ksp_max_it", "5"}, {"-pc_type", "none"}});
    const Solved solved = solve(problem.A, problem.b);
    expect_reason(solved, KSP_CONVERGED_ITS, "a number of iterations");
    tally.check(solved.iterations == 5, "exactly that number");
  }
  must(VecSetValue(problem.b, 4, std::numeric_limits<PetscScalar>::quiet_NaN(), INSERT_VALUES));
  must(VecAssemblyBegin(problem.b));
  must(VecAssemblyEnd(problem.b));
  expect_reason(with("-ksp_max_it", "99"), KSP_DIVERGED_NANORINF, "a NaN in b");
  const Problem indefinite(Shape::indefinite);
  {
    const Options options{{"-ksp_type", "heddle"}, {"-ksp_heddle_method", "cg"}, {"-pc_type", "none"}};
    expect_reason(solve(indefinite.A, indefinite.b), KSP_DIVERGED_INDEFINITE_MAT, "cg of an indefinite matrix");
  }
  const Options automatic{{"-ksp_type", "heddle"}, {"-pc_type", "none"}};
  expect_solution(solve(indefinite.A, indefinite.b), "auto of an indefinite matrix");
  must(MatSetOption(indefinite.A, MAT_SPD, PETSC_TRUE));  // not so
  expect_reason(solve(indefinite.A, indefinite.b), KSP_DIVERGED_INDEFINITE_MAT, "auto does as the program promises");
}

PetscErrorCode stop_after_seven(KSP, PetscInt iteration, PetscReal, KSPConvergedReason* reason, void*) {
  *reason = iteration < 7 ? KSP_CONVERGED_ITERATING : KSP_CONVERGED_STEP_LENGTH;
  return PETSC_SUCCESS;
}

void convergence_test_of_the_program() {
  const Problem problem(Shape::symmetric);
  KSP ksp = nullptr;
  Vec x = nullptr;
  PetscInt iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  must(VecDuplicate(problem.b, &x));
  must(KSPCreate(PETSC_COMM_WORLD, &ksp));
  must(KSPSetOperators(ksp, problem.A, problem.A));
  must(KSPSetType(ksp, KSPHEDDLE));
  PC pc = nullptr;
  must(KSPGetPC(ksp, &pc));
  must(PCSetType(pc, PCNONE));
  must(KSPSetConvergenceTest(ksp, stop_after_seven, nullptr, nullptr));
  must(KSPSolve(ksp, problem.b, x));
  must(KSPGetIterationNumber(ksp, &iterations));
  must(KSPGetConvergedReason(ksp, &reason));
  const double residual = true_residual(problem.A, problem.b, x);
  tally.check(iterations == 7 && reason == KSP_CONVERGED_STEP_LENGTH && residual > 0 && residual < 1e-2,
              "a convergence test of the program: " + std::to_string(iterations));
  must(KSPDestroy(&ksp));
  must(VecDestroy(&x));
}

// The largest difference between the norm that a monitor gets and that of the residual it asks for.
PetscErrorCode compare_residuals(KSP ksp, PetscInt, PetscReal norm, void* apart) {
  Vec r = nullptr;
  PetscReal built = 0;
  PetscFunctionBegin;
  PetscCall(KSPBuildResidual(ksp, nullptr, nullptr, &r));
  PetscCall(VecNorm(r, NORM_2, &built));
  PetscCall(VecDestroy(&r));
  double& largest = *static_cast<double*>(apart);
  largest = std::fmax(largest, std::fabs(built - norm) / norm);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// As PETSc's own methods: x is 0 at once, from any guess.
void zero_right_side() {
  for (const char* method : {"cg", "gmres", "heddle"})
    for (const PetscScalar guess : {0, 2}) {
      if (guess != PetscScalar(0) && method[0] != 'h') continue;
      const Problem problem(Shape::symmetric);
      must(VecSet(problem.b, 0));
      const Options options{{"-ksp_type", method}, {"-pc_type", "jacobi"}};
      KSP ksp = nullptr;
      Vec x = nullptr;
      PetscInt iterations = -1;
      PetscReal size = -1;
      KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
      must(VecDuplicate(problem.b, &x));
      must(VecSet(x, guess));
      must(KSPCreate(PETSC_COMM_WORLD, &ksp));
      must(KSPSetOperators(ksp, problem.A, problem.A));
      must(KSPSetInitialGuessNonzero(ksp, guess != PetscScalar(0) ? PETSC_TRUE : PETSC_FALSE));
      must(KSPSetFromOptions(ksp));
      must(KSPSolve(ksp, problem.b, x));
      must(KSPGetIterationNumber(ksp, &iterations));
      must(KSPGetConvergedReason(ksp, &reason));
      must(VecNorm(x, NORM_INFINITY, &size));
      tally.check(reason == KSP_CONVERGED_ATOL && iterations == 0 && size == 0,
                  std::string("b = 0, ") + method + ": " + KSPConvergedReasons[reason] + " after " +
                      std::to_string(iterations) + ", x " + std::to_string(size));
      must(KSPDestroy(&ksp));
      must(VecDestroy(&x));
    }
}

// A program that sets the restart of gmres reaches Heddle's.
void restart_of_the_program() {
  const Problem problem(Shape::unsymmetric);
  std::vector<PetscInt> taken;
  for (const PetscInt restart : {2, 40}) {
    KSP ksp = nullptr;
    Vec x = nullptr;
    PetscInt iterations = 0, told = 0;
    const Options options{{"-ksp_type", "heddle"}, {"-ksp_heddle_method", "gmres"}, {"-pc_type", "none"}};
    must(VecDuplicate(problem.b, &x));
    must(KSPCreate(PETSC_COMM_WORLD, &ksp));
    must(KSPSetOperators(ksp, problem.A, problem.A));
    must(KSPSetFromOptions(ksp));
    must(KSPGMRESSetRestart(ksp, restart));
    must(KSPGMRESGetRestart(ksp, &told));
    must(KSPSolve(ksp, problem.b, x));
    must(KSPGetIterationNumber(ksp, &iterations));
    tally.check(told == restart, "the restart that was set");
    taken.push_back(iterations);
    must(KSPDestroy(&ksp));
    must(VecDestroy(&x));
  }
  tally.check(taken[0] > taken[1],
              "iterations with restart 2 and 40: " + std::to_string(taken[0]) + ", " + std::to_string(taken[1]));
}

void solutions_for_monitors() {
  for (const char* method : {"cg", "gmres", "bicgstab"})
    for (const bool asked : {true, false}) {
      const Problem problem(Shape::symmetric);
      const Options options{{"-ksp_type", "heddle"},
                            {"-ksp_heddle_method", method},
                            {"-ksp_heddle_monitor_solution", asked ? "yes" : "no"},
                            {"-pc_type", "jacobi"}};
      KSP ksp = nullptr;
      Vec x = nullptr;
      double apart = 0;
      must(VecDuplicate(problem.b, &x));
      must(KSPCreate(PETSC_COMM_WORLD, &ksp));
      must(KSPSetOperators(ksp, problem.A, problem.A));
      must(KSPSetFromOptions(ksp));
      must(KSPMonitorSet(ksp, compare_residuals, &apart, nullptr));
      must(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
      const PetscErrorCode code = KSPSolve(ksp, problem.b, x);
      must(PetscPopErrorHandler());
      tally.check(asked ? code == PETSC_SUCCESS && apart < 1e-6 : code == PETSC_ERR_SUP,
                  std::string("a monitor asks for the residual of ") + method + ": " + std::to_string(apart));
      must(KSPDestroy(&ksp));
      must(VecDestroy(&x));
    }
}

PetscErrorCode multiply_by_another(Mat shell, Vec x, Vec y) {
  Mat A = nullptr;
  PetscFunctionBegin;
  PetscCall(MatShellGetContext(shell, &A));
  PetscCall(MatMult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void matrix_known_by_products() {
  const Problem problem(Shape::symmetric);
  PetscInt n = 0;
  Mat shell = nullptr;
  must(MatGetSize(problem.A, &n, nullptr));
  must(MatCreateShell(PETSC_COMM_WORLD, n, n, n, n, problem.A, &shell));
  must(MatShellSetOperation(shell, MATOP_MULT, reinterpret_cast<OperationSlot>(multiply_by_another)));
  for (const char* method : {"auto", "cg"}) {
    const Options options{{"-ksp_type", "heddle"}, {"-ksp_heddle_method", method}, {"-pc_type", "none"}};
    expect_solution(solve(shell, problem.b), std::string("a shell matrix, ") + method);
  }
  must(MatDestroy(&shell));
}

PetscErrorCode product(const Problem& problem) {
  Vec y = nullptr;
  must(VecDuplicate(problem.b, &y));
  must(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  const PetscErrorCode code = MatMult(problem.A, problem.b, y);
  must(PetscPopErrorHandler());
  must(VecDestroy(&y));
  return code;
}

// On any number of processes; each leaves the matrix usable.
void refusals() {
  const auto refused = [](const char* name, const char* value, PetscErrorCode expected) {
    const Problem problem(Shape::symmetric, MATHEDDLE);
    {
      const Options options{{name, value}};
      const PetscErrorCode code = product(problem);
      tally.check(code == expected,
                  std::string(name) + " " + value + ": error " + std::to_string(static_cast<int>(code)));
    }
  };
  refused("-mat_heddle_plan", "nonsense C=3", PETSC_ERR_USER_INPUT);
  refused("-mat_heddle_plan", "sell C=", PETSC_ERR_USER_INPUT);
  refused("-mat_heddle_plan", "sell C=banana", PETSC_ERR_USER_INPUT);
  refused("-mat_heddle_effort", "much", PETSC_ERR_USER_INPUT);
  refused("-mat_heddle_device", "abacus", PETSC_ERR_USER_INPUT);
  refused("-mat_heddle_plan", "sell C=32", PETSC_SUCCESS);
}

void refusals_of_solvers() {
  const Problem problem(Shape::symmetric);
  const Options options{{"-ksp_type", "heddle"}, {"-ksp_heddle_method", "prayer"}};
  tally.check(solve(problem.A, problem.b).code == PETSC_ERR_USER_INPUT, "an unknown method");
  const Options preconditioner{{"-ksp_type", "cg"}, {"-pc_type", "heddle"}, {"-pc_heddle_type", "hope"}};
  tally.check(solve(problem.A, problem.b).code == PETSC_ERR_USER_INPUT, "an unknown preconditioner");
}

void on_several_processes() {
  const Problem problem(Shape::symmetric);
  {
    const Options options{{"-ksp_type", "heddle"}, {"-pc_type", "none"}};
    tally.check(solve(problem.A, problem.b).code == PETSC_ERR_SUP, "KSP heddle is refused");
  }
  {
    const Options options{{"-ksp_type", "cg"}, {"-pc_type", "heddle"}};
    tally.check(solve(problem.A, problem.b).code == PETSC_ERR_SUP, "PC heddle is refused");
  }
  for (const char* blocks : {"bjacobi", "asm"})
    for (const char* method : {"preonly", "heddle"}) {
      const Options options{{"-ksp_type", "fgmres"},
                            {"-pc_type", blocks},
                            {"-sub_ksp_type", method},
                            {"-sub_ksp_rtol", "1e-3"},
                            {"-sub_pc_type", "heddle"}};
      const int before = events(method == std::string("heddle") ? "HeddleSolve" : "HeddlePCApply");
      const Solved solved = solve(problem.A, problem.b);
      expect_solution(solved, std::string(blocks) + " with " + method);
      const int after = events(method == std::string("heddle") ? "HeddleSolve" : "HeddlePCApply");
      tally.check(after > before, std::string("Heddle was called by ") + blocks + " with " + method);
    }
}

// -u'' on a ring: constants are its null space.
void singular() {
  const PetscInt n = 200;
  Mat A = nullptr;
  MatNullSpace constants = nullptr;
  must(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, nullptr, &A));
  for (PetscInt i = 0; i < n; ++i)
    for (const PetscInt j : {i + n - 1, i, i + 1}) must(MatSetValue(A, i, j % n, j == i ? 2 : -1, INSERT_VALUES));
  must(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  must(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  must(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, nullptr, &constants));
  must(MatSetNullSpace(A, constants));
  must(MatSetTransposeNullSpace(A, constants));
  Vec b = nullptr;
  must(MatCreateVecs(A, nullptr, &b));
  must(VecSetValue(b, 3, 1, INSERT_VALUES));
  must(VecSetValue(b, 150, -1, INSERT_VALUES));
  must(VecAssemblyBegin(b));
  must(VecAssemblyEnd(b));
  const Options options{{"-ksp_type", "heddle"}, {"-ksp_heddle_method", "cg"}, {"-pc_type", "none"}};
  expect_solution(solve(A, b), "a singular matrix with its null space");
  must(VecDestroy(&b));
  must(MatNullSpaceDestroy(&constants));
  must(MatDestroy(&A));
}

void run() {
  refusals();
  if (PetscGlobalSize == 1) {
    solve_on_one_process();
    follow_the_matrix();
    on_the_emulator();
    reasons();
    refusals_of_solvers();
    convergence_test_of_the_program();
    solutions_for_monitors();
    zero_right_side();
    restart_of_the_program();
    if (!on_gpu()) matrix_known_by_products();  // on the CPU
    singular();
    for (const char* event : {"HeddleSolve", "HeddlePCSetUp"})
      tally.check(events(event) > 0, std::string("Heddle was called: ") + event);
  } else {
    on_several_processes();
  }
}

}  // namespace

}  // namespace heddle::petsc::test

int main(int argc, char** argv) {
  using namespace heddle::petsc::test;
  return program(argc, argv, "solvers", tally, run);
}
