// A solve by the options of PETSc and what is expected of it, for the tests of solvers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "comparison.hpp"

namespace heddle::petsc::test {

inline Tally tally;

// Options of one solve, taken away again.
class Options {
 public:
  using Pair = std::pair<std::string, std::string>;
  Options(std::initializer_list<Pair> given) : given_(given) {
    for (const auto& [name, value] : given_) must(PetscOptionsSetValue(nullptr, name.c_str(), value.c_str()));
  }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  ~Options() {
    for (const auto& [name, value] : given_) must(PetscOptionsClearValue(nullptr, name.c_str()));
  }

 private:
  std::vector<Pair> given_;
};

struct Solved {
  PetscErrorCode code = PETSC_SUCCESS;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0, monitored = 0, history = 0;
  double residual = 0;  // |b - A x| / |b|
};

inline PetscErrorCode count_call(KSP, PetscInt, PetscReal, void* count) {
  ++*static_cast<PetscInt*>(count);
  return PETSC_SUCCESS;
}

inline double true_residual(Mat A, Vec b, Vec x) {
  Vec r = nullptr;
  PetscReal size = 0, left = 0;
  must(VecDuplicate(b, &r));
  must(MatMult(A, x, r));
  must(VecAYPX(r, -1, b));
  must(VecNorm(r, NORM_2, &left));
  must(VecNorm(b, NORM_2, &size));
  must(VecDestroy(&r));
  return left / size;
}

// Errors of PETSc come back as codes.
inline Solved solve(Mat A, Vec b, bool monitored = false, PetscScalar guess = 0) {
  Solved solved;
  KSP ksp = nullptr;
  Vec x = nullptr;
  must(MatCreateVecs(A, &x, nullptr));
  must(VecSet(x, guess));
  must(KSPCreate(PETSC_COMM_WORLD, &ksp));
  must(KSPSetOperators(ksp, A, A));
  must(KSPSetTolerances(ksp, 1e-8, 1e-50, PETSC_DEFAULT, 3000));
  must(KSPSetInitialGuessNonzero(ksp, guess != PetscScalar(0) ? PETSC_TRUE : PETSC_FALSE));
  must(KSPSetResidualHistory(ksp, nullptr, 4000, PETSC_TRUE));
  if (monitored) must(KSPMonitorSet(ksp, count_call, &solved.monitored, nullptr));
  must(KSPSetFromOptions(ksp));
  must(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  solved.code = KSPSolve(ksp, b, x);
  must(PetscPopErrorHandler());
  if (solved.code == PETSC_SUCCESS) {
    must(KSPGetConvergedReason(ksp, &solved.reason));
    must(KSPGetIterationNumber(ksp, &solved.iterations));
    must(KSPGetResidualHistory(ksp, nullptr, &solved.history));
    solved.residual = true_residual(A, b, x);
  }
  must(KSPDestroy(&ksp));
  must(VecDestroy(&x));
  return solved;
}

inline void expect_solution(const Solved& solved, const std::string& what) {
  tally.check(solved.code == PETSC_SUCCESS && solved.reason == KSP_CONVERGED_RTOL && solved.residual <= 1e-8 &&
                  solved.iterations > 0 &&
                  (solved.history == solved.iterations + 1 || (on_gpu() && solved.history > 0)),
              what + ": code " + std::to_string(static_cast<int>(solved.code)) + ", reason " +
                  std::to_string(solved.reason) + ", iterations " + std::to_string(solved.iterations) + ", history " +
                  std::to_string(solved.history) + ", residual " + std::to_string(solved.residual));
}

inline void expect_reason(const Solved& solved, KSPConvergedReason reason, const std::string& what) {
  tally.check(solved.code == PETSC_SUCCESS && solved.reason == reason,
              what + ": " + std::to_string(static_cast<int>(solved.code)) + ", " + KSPConvergedReasons[solved.reason]);
}

struct Problem {
  Mat A;
  Vec b;
  explicit Problem(Shape shape, const char* type = usual_type())
      : A(integer_matrix(type, shape, 900)), b(integer_vector(A, true, 3)) {}
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  ~Problem() {
    must(MatDestroy(&A));
    must(VecDestroy(&b));
  }
};

}  // namespace heddle::petsc::test
