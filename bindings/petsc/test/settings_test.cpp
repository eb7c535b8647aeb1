// The same iterations and solutions as aij, for methods and preconditioners of PETSc: 20 settings, or all with -all, of
// which -part symmetric, unsymmetric and others are the three parts.
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include "comparison.hpp"

namespace heddle::petsc::test {

namespace {

Tally tally;

struct Setting {
  Shape shape;
  std::string method, preconditioner, more;
};

struct Outcome {
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt iterations = 0;
  Vec x = nullptr;
};

// lsqr preconditions the normal equations.
Mat to_precondition(Mat A, const Setting& setting) {
  Mat made = A;
  if (setting.method == "lsqr" && setting.preconditioner != "none")
    must(MatTransposeMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &made));
  else
    must(PetscObjectReference(as_object(A)));
  return made;
}

Outcome solve(const char* type, const Setting& setting) {
  Mat A = integer_matrix(type, setting.shape, 900);
  if (setting.shape == Shape::symmetric || setting.shape == Shape::indefinite)
    must(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  Vec b = integer_vector(A, true, 11);
  Outcome outcome;
  must(MatCreateVecs(A, &outcome.x, nullptr));
  KSP ksp = nullptr;
  must(KSPCreate(PETSC_COMM_WORLD, &ksp));
  must(KSPSetOptionsPrefix(ksp, "case_"));
  Mat P = to_precondition(A, setting);
  must(KSPSetOperators(ksp, A, P));
  must(MatDestroy(&P));
  must(KSPSetTolerances(ksp, 1e-8, 1e-30, PETSC_DEFAULT, 2000));
  must(KSPSetFromOptions(ksp));
  must(KSPSolve(ksp, b, outcome.x));
  must(KSPGetConvergedReason(ksp, &outcome.reason));
  must(KSPGetIterationNumber(ksp, &outcome.iterations));
  must(KSPDestroy(&ksp));
  must(VecDestroy(&b));
  must(MatDestroy(&A));
  return outcome;
}

std::string words(const Setting& setting) {
  return "-case_ksp_type " + setting.method + " -case_pc_type " + setting.preconditioner + " " + setting.more;
}

double difference(Vec a, Vec b) {
  PetscReal size = 0, apart = 0;
  must(VecNorm(b, NORM_2, &size));
  must(VecAXPY(a, -1, b));
  must(VecNorm(a, NORM_2, &apart));
  return size > 0 ? apart / size : apart;
}

void compare(const Setting& setting) {
  const std::string text = words(setting);
  must(PetscOptionsInsertString(nullptr, text.c_str()));
  must(PetscPrintf(PETSC_COMM_WORLD, "%s", text.c_str()));  // first: an error of PETSc ends the program
  Outcome aij = solve(usual_type(), setting), ours = solve(our_type(), setting);
  const double apart = difference(ours.x, aij.x);
  // Sums are in another order on a GPU, and lsqr on the normal equations makes iterations of roundings.
  const PetscInt spread = setting.method == "lsqr" ? 3 : on_gpu() ? 1 : 0;
  const bool same = aij.reason == ours.reason && std::abs(aij.iterations - ours.iterations) <= spread;
  tally.check(same && aij.reason > 0 && apart < 1e-7,
              text + ": " + KSPConvergedReasons[ours.reason] + " after " + std::to_string(ours.iterations) + ", aij " +
                  KSPConvergedReasons[aij.reason] + " after " + std::to_string(aij.iterations) + ", solutions " +
                  std::to_string(apart) + " apart");
  must(PetscPrintf(PETSC_COMM_WORLD, ": %d iterations\n", static_cast<int>(aij.iterations)));
  must(VecDestroy(&aij.x));
  must(VecDestroy(&ours.x));
  for (const char* name : {"-case_ksp_type", "-case_pc_type"}) must(PetscOptionsClearValue(nullptr, name));
  for (std::size_t at = setting.more.find('-'); at != std::string::npos; at = setting.more.find(" -", at + 1)) {
    const std::size_t begin = setting.more[at] == ' ' ? at + 1 : at;
    must(PetscOptionsClearValue(nullptr, setting.more.substr(begin, setting.more.find(' ', begin) - begin).c_str()));
  }
}

bool parallel() { return PetscGlobalSize > 1; }

// Packages that this PETSc has.
std::vector<std::string> factorisations() {
  std::vector<std::string> found;
#if defined(PETSC_HAVE_MUMPS)
  found.emplace_back("mumps");
#endif
#if defined(PETSC_HAVE_SUPERLU_DIST)
  found.emplace_back("superlu_dist");
#endif
  return found;
}

std::vector<Setting> preconditioners(Shape shape, const std::string& method) {
  std::vector<Setting> made = {{shape, method, "none", ""},
                               {shape, method, "jacobi", ""},
                               {shape, method, "bjacobi", "-case_sub_pc_type ilu"},
                               {shape, method, "asm", "-case_sub_pc_type lu"}};
  // PETSc transposes sor for symmetric matrices alone, and bicg needs it transposed.
  if (shape == Shape::symmetric || method != "bicg") made.push_back({shape, method, "sor", ""});
  if (!parallel()) made.push_back({shape, method, "ilu", ""});
  if (shape == Shape::symmetric) {
    made.push_back({shape, method, "gamg", ""});
    made.push_back({shape, method, "mg", "-case_pc_mg_levels 1"});
#if defined(PETSC_HAVE_HYPRE)
    made.push_back({shape, method, "hypre", "-case_pc_hypre_type boomeramg"});
#endif
  }
  for (const std::string& package : factorisations())
    made.push_back({shape, method, "lu", "-case_pc_factor_mat_solver_type " + package});
  return made;
}

using Settings = std::vector<Setting>;

void add_methods(Settings& all, Shape shape, std::initializer_list<const char*> methods) {
  for (const char* method : methods)
    for (const Setting& setting : preconditioners(shape, method)) all.push_back(setting);
}

void add_symmetric(Settings& all) {
  add_methods(all, Shape::symmetric, {"cg", "gmres", "bcgs", "fgmres", "pipecg", "chebyshev"});
  // minres wants a symmetric positive definite preconditioner: not the restricted asm.
  for (const Setting& setting : preconditioners(Shape::symmetric, "minres"))
    if (setting.preconditioner != "asm") all.push_back(setting);
}

void add_unsymmetric(Settings& all) {
  add_methods(all, Shape::unsymmetric, {"gmres", "bcgs", "bicg", "tfqmr", "cgs", "qmrcgs"});
  all.push_back({Shape::unsymmetric, "cgne", "none", ""});  // PETSc's wants a square matrix
}

void add_others(Settings& all) {
  for (const char* preconditioner : {"none", "jacobi"}) {
    all.push_back({Shape::indefinite, "minres", preconditioner,
                   preconditioner == std::string("jacobi") ? "-case_pc_jacobi_abs" : ""});
    all.push_back({Shape::indefinite, "gmres", preconditioner, "-case_ksp_gmres_restart 200"});
  }
  // Others multiply with the tall matrix itself (gamg), or break down with aij too (bjacobi).
  for (const char* preconditioner : {"none", "jacobi", "sor"}) all.push_back({Shape::tall, "lsqr", preconditioner, ""});
}

Settings every_setting() {
  std::array<char, 32> part{};
  must(PetscOptionsGetString(nullptr, nullptr, "-part", part.data(), part.size(), nullptr));
  const auto chosen = [wanted = std::string(part.data())](const char* name) {
    return wanted.empty() || wanted == name;
  };
  Settings all;
  if (chosen("symmetric")) add_symmetric(all);
  if (chosen("unsymmetric")) add_unsymmetric(all);
  if (chosen("others")) add_others(all);
  return all;
}

std::vector<Setting> twenty_settings() {
  std::vector<Setting> chosen;
  for (const Setting& setting : preconditioners(Shape::symmetric, "cg")) chosen.push_back(setting);
  for (const char* method : {"gmres", "bcgs"})
    for (const char* preconditioner : {"none", "jacobi", "bjacobi", "asm"})
      chosen.push_back({Shape::unsymmetric, method, preconditioner, ""});
  chosen.push_back({Shape::unsymmetric, "bicg", "jacobi", ""});
  chosen.push_back({Shape::indefinite, "minres", "none", ""});
  chosen.push_back({Shape::tall, "lsqr", "none", ""});
  while (chosen.size() > 20) chosen.erase(chosen.begin() + 1);
  return chosen;
}

void run() {
  PetscBool all = PETSC_FALSE;
  must(PetscOptionsGetBool(nullptr, nullptr, "-all", &all, nullptr));
  for (const Setting& setting : all ? every_setting() : twenty_settings()) compare(setting);
  tally.check(events("HeddleMatMult") > 0, "Heddle multiplied");
}

}  // namespace

}  // namespace heddle::petsc::test

int main(int argc, char** argv) {
  using namespace heddle::petsc::test;
  return program(argc, argv, "settings", tally, run);
}
