// The PC type of Heddle, on one process: solutions, what it does when the matrix changes, what programs say of it.
#include <vector>

#include "read_distributed.hpp"
#include "solving.hpp"

namespace heddle::petsc::test {

namespace {

void precondition_on_one_process() {
  for (const char* kind : {"none", "jacobi", "block_jacobi", "chebyshev", "fsai", "amg"}) {
    const Problem problem(Shape::symmetric);
    const Options options{
        {"-ksp_type", "cg"}, {"-ksp_norm_type", "unpreconditioned"}, {"-pc_type", "heddle"}, {"-pc_heddle_type", kind}};
    expect_solution(solve(problem.A, problem.b), std::string("cg of PETSc with ") + kind);
    must(MatScale(problem.A, 3));
    expect_solution(solve(problem.A, problem.b), std::string("the same with other values, ") + kind);
  }
  const Problem problem(Shape::unsymmetric);
  const Options options(
      {{"-ksp_type", "gmres"}, {"-ksp_pc_side", "right"}, {"-pc_type", "heddle"}, {"-pc_heddle_type", "spai"}});
  expect_solution(solve(problem.A, problem.b), "gmres of PETSc with spai");
}

// amg takes the near null space of the matrix: up to eight vectors.
void near_null_spaces() {
  for (const PetscInt count : {1, 3, 9}) {
    const Problem problem(Shape::symmetric);
    const Options options{{"-ksp_type", "heddle"}, {"-pc_type", "heddle"}, {"-pc_heddle_type", "amg"}};
    std::vector<Vec> basis(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < basis.size(); ++i) {
      must(VecDuplicate(problem.b, &basis[i]));
      for (PetscInt row = static_cast<PetscInt>(i); row < 900; row += count)
        must(VecSetValue(basis[i], row, 1, INSERT_VALUES));
      must(VecAssemblyBegin(basis[i]));
      must(VecAssemblyEnd(basis[i]));
      must(VecNormalize(basis[i], nullptr));
    }
    MatNullSpace space = nullptr;
    must(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_FALSE, count, basis.data(), &space));
    must(MatSetNearNullSpace(problem.A, space));
    const Solved solved = solve(problem.A, problem.b);
    if (count <= 8)
      expect_solution(solved, "a near null space of " + std::to_string(count));
    else
      tally.check(solved.reason <= 0, "a near null space of too many vectors");
    must(MatNullSpaceDestroy(&space));
    for (Vec& vector : basis) must(VecDestroy(&vector));
  }
}

// amg keeps its aggregates for new values on the old pattern from the third set-up on, and only where a new set-up
// would give the same.
void set_up_again(const char* double_cycle) {
  const Problem problem(Shape::symmetric);
  const Options options{{"-ksp_type", "cg"},
                        {"-ksp_norm_type", "unpreconditioned"},
                        {"-pc_type", "heddle"},
                        {"-pc_heddle_double_cycle", double_cycle}};
  KSP ksp = nullptr;
  Vec x = nullptr;
  must(VecDuplicate(problem.b, &x));
  must(KSPCreate(PETSC_COMM_WORLD, &ksp));
  must(KSPSetOperators(ksp, problem.A, problem.A));
  must(KSPSetTolerances(ksp, 1e-8, 1e-50, PETSC_DEFAULT, 3000));
  const auto solve_again = [&](int set_ups, int updates, const std::string& what) {
    const int set_up = events("HeddlePCSetUp"), updated = events("HeddlePCUpdate");
    PetscInt iterations = 0;
    must(KSPSetFromOptions(ksp));
    must(KSPSolve(ksp, problem.b, x));
    must(KSPGetIterationNumber(ksp, &iterations));
    const int more_set_ups = events("HeddlePCSetUp") - set_up, more_updates = events("HeddlePCUpdate") - updated;
    const Solved anew = solve(problem.A, problem.b);
    tally.check(more_set_ups == set_ups && more_updates == updates && iterations == anew.iterations &&
                    true_residual(problem.A, problem.b, x) <= 1e-8,
                what + ": " + std::to_string(more_set_ups) + " set-ups, " + std::to_string(more_updates) +
                    " updates, " + std::to_string(iterations) + " iterations, anew " + std::to_string(anew.iterations));
  };
  solve_again(1, 0, "the first set-up");
  must(MatScale(problem.A, 2));
  solve_again(1, 0, "the second set-up");
  for (const PetscScalar factor : {3.0, 0.5}) {
    must(MatScale(problem.A, factor));
    solve_again(0, 1, "new values");
  }
  must(PetscOptionsSetValue(nullptr, "-pc_heddle_smoothing", "3"));
  must(MatScale(problem.A, 2));
  solve_again(1, 0, "another option");
  must(PetscOptionsClearValue(nullptr, "-pc_heddle_smoothing"));
  must(KSPDestroy(&ksp));
  must(VecDestroy(&x));
}

void preconditioners_that_fail() {
  const Problem problem(Shape::indefinite);
  for (const char* method : {"gmres", "heddle"}) {
    const Options options{{"-ksp_type", method}, {"-pc_type", "heddle"}, {"-pc_heddle_type", "fsai"}};
    expect_reason(solve(problem.A, problem.b), KSP_DIVERGED_PC_FAILED,
                  std::string("fsai of an indefinite matrix, ") + method);
  }
}

// A cycle in float multiplies with an operator of its own: there is no other. The iterations are the same.
void operator_where_it_is_applied() {
  const Problem problem(Shape::symmetric);
  const auto builds = [&](const char* kind, const char* double_cycle) {
    const Options options{{"-ksp_type", "cg"},
                          {"-ksp_norm_type", "unpreconditioned"},
                          {"-pc_type", "heddle"},
                          {"-pc_heddle_type", kind},
                          {"-pc_heddle_double_cycle", double_cycle}};
    const int before = events("HeddleBuild");
    expect_solution(solve(problem.A, problem.b), std::string(kind) + ", cycle in double: " + double_cycle);
    return events("HeddleBuild") - before;
  };
  tally.check(builds("jacobi", "no") == 0, "jacobi needs no operator");
  tally.check(builds("amg", "no") == 0, "a cycle in float needs no operator in double");
  tally.check(builds("amg", "yes") == 1, "a cycle in double needs one");
  tally.check(builds("chebyshev", "no") == 1, "chebyshev needs one");
}

void chosen_by_the_matrix() {
  for (const Shape shape : {Shape::symmetric, Shape::unsymmetric, Shape::indefinite}) {
    const Problem problem(shape);
    const Options options{{"-ksp_type", "heddle"}, {"-pc_type", "heddle"}, {"-pc_heddle_type", "auto"}};
    expect_solution(solve(problem.A, problem.b), "auto");
  }
}

// Iterations for a beam that is clamped at one end; of the coordinates of its nodes amg makes rigid motions.
PetscInt iterations_for_a_beam(Mat A, bool coordinates) {
  constexpr int length = 30, edge = 2;
  std::vector<PetscReal> at;
  for (int x = 1; x <= length; ++x)
    for (int y = 0; y <= edge; ++y)
      for (int z = 0; z <= edge; ++z)
        for (const int place : {x, y, z}) at.push_back(place);
  const Options options{
      {"-ksp_type", "heddle"}, {"-pc_type", "heddle"}, {"-pc_heddle_block", "3"}, {"-pc_heddle_coarsest", "60"}};
  KSP ksp = nullptr;
  PC pc = nullptr;
  Vec x = nullptr, b = nullptr;
  PetscInt iterations = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  must(MatCreateVecs(A, &x, &b));
  must(VecSet(b, 1));
  must(KSPCreate(PETSC_COMM_WORLD, &ksp));
  must(KSPSetOperators(ksp, A, A));
  must(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 3000));
  must(KSPSetFromOptions(ksp));
  must(KSPGetPC(ksp, &pc));
  if (coordinates) must(PCSetCoordinates(pc, 3, static_cast<PetscInt>(at.size()) / 3, at.data()));
  must(KSPSolve(ksp, b, x));
  must(KSPGetIterationNumber(ksp, &iterations));
  must(KSPGetConvergedReason(ksp, &reason));
  tally.check(reason == KSP_CONVERGED_RTOL, "a beam: " + std::string(KSPConvergedReasons[reason]));
  must(KSPDestroy(&ksp));
  must(VecDestroy(&x));
  must(VecDestroy(&b));
  return iterations;
}

void coordinates_of_the_program() {
  Mat A = bench::read_distributed("gen:elasticity,nx=30,ny=2,nz=2");
  const PetscInt without = iterations_for_a_beam(A, false), with = iterations_for_a_beam(A, true);
  tally.check(with > 0 && 2 * with < without,
              "iterations with coordinates " + std::to_string(with) + ", without " + std::to_string(without));
  must(MatDestroy(&A));
}

void run() {
  precondition_on_one_process();
  near_null_spaces();
  for (const char* double_cycle : {"no", "yes"}) set_up_again(double_cycle);
  preconditioners_that_fail();
  operator_where_it_is_applied();
  chosen_by_the_matrix();
  coordinates_of_the_program();
  tally.check_events({"HeddlePCSetUp", "HeddlePCUpdate", "HeddlePCApply"});
}

}  // namespace

}  // namespace heddle::petsc::test

int main(int argc, char** argv) {
  using namespace heddle::petsc::test;
  return program(argc, argv, "preconditioners", tally, run);
}
