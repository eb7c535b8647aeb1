// MatMult of aij, sell and aijheddle in one run: medians, and how many times faster Heddle is. On several ranks each
// holds a share of the rows.
//   petsc_matmult_bench [-matrices "gen:stencil2d5,n=1000 cant.mtx"] [-rounds 15]
#include <petscksp.h>

#include <algorithm>
#include <cmath>
#include <heddle/io.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "heddle_petsc.h"

namespace {

const char* usual_matrices =
    "gen:stencil2d5,n=1000 gen:stencil3d7,n=100 gen:stencil3d27,n=60 gen:fem,n=30,dof=3 gen:qcd,l=8 "
    "gen:band,rows=200000,width=40 gen:random,rows=500000,cols=500000,per_row=12 gen:rmat,scale=18 gen:circuit "
    "gen:web gen:road gen:lp gen:dense,rows=2000";

void must(PetscErrorCode code) {
  if (code) PETSCABORT(PETSC_COMM_WORLD, code);
}

// The rows of this rank.
Mat distributed(const std::string& name) {
  const heddle::Csr<double> whole = heddle::read_matrix(name);
  PetscInt begin = 0, mine = PETSC_DECIDE, total = static_cast<PetscInt>(whole.rows);
  must(PetscSplitOwnership(PETSC_COMM_WORLD, &mine, &total));
  MPI_Exscan(&mine, &begin, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  PetscInt my_cols = PETSC_DECIDE, cols = static_cast<PetscInt>(whole.cols);
  must(PetscSplitOwnership(PETSC_COMM_WORLD, &my_cols, &cols));
  std::vector<PetscInt> ptr(static_cast<std::size_t>(mine) + 1);
  const auto first = whole.ptr[begin];
  for (PetscInt i = 0; i <= mine; ++i)
    ptr[static_cast<std::size_t>(i)] = static_cast<PetscInt>(whole.ptr[begin + i] - first);
  std::vector<PetscInt> col(whole.col.begin() + first, whole.col.begin() + whole.ptr[begin + mine]);
  Mat made = nullptr;
  must(MatCreate(PETSC_COMM_WORLD, &made));
  must(MatSetSizes(made, mine, my_cols, total, cols));
  must(MatSetType(made, MATAIJ));
  must(MatSeqAIJSetPreallocationCSR(made, ptr.data(), col.data(), whole.val.data() + first));
  must(MatMPIAIJSetPreallocationCSR(made, ptr.data(), col.data(), whole.val.data() + first));
  return made;
}

Mat converted(Mat A, const char* type) {
  Mat made = nullptr;
  must(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  const PetscErrorCode code = MatConvert(A, type, MAT_INITIAL_MATRIX, &made);
  must(PetscPopErrorHandler());
  return code ? nullptr : made;
}

// Seconds of a product, all ranks together.
double timed(Mat A, Vec x, Vec y, int repeats) {
  MPI_Barrier(PETSC_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < repeats; ++i) must(MatMult(A, x, y));
  double seconds = (MPI_Wtime() - begin) / repeats, slowest = 0;
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return slowest;
}

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

// Seconds of each, NaN for what PETSc cannot convert; the three are timed in every round.
std::vector<double> medians(const std::vector<Mat>& kinds, int rounds) {
  Vec x = nullptr, y = nullptr;
  must(MatCreateVecs(kinds[0], &x, &y));
  must(VecSet(x, 1));
  std::vector<std::vector<double>> seconds(kinds.size());
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    if (kinds[kind]) timed(kinds[kind], x, y, 5);
  const int repeats = std::clamp(static_cast<int>(0.02 / timed(kinds[0], x, y, 3)), 3, 1000);
  for (int round = 0; round < rounds; ++round)
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      if (kinds[kind]) seconds[kind].push_back(timed(kinds[kind], x, y, repeats));
  std::vector<double> made;
  for (const auto& of : seconds) made.push_back(of.empty() ? NAN : median(of));
  must(VecDestroy(&x));
  must(VecDestroy(&y));
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  must(PetscInitialize(&argc, &argv, nullptr, nullptr));
  must(HeddlePetscRegister());
  char names[4096] = "";
  PetscInt rounds = 15;
  must(PetscOptionsGetString(nullptr, nullptr, "-matrices", names, sizeof names, nullptr));
  must(PetscOptionsGetInt(nullptr, nullptr, "-rounds", &rounds, nullptr));
  std::istringstream list(names[0] ? names : usual_matrices);
  double product = 1;
  int count = 0;
  must(PetscPrintf(PETSC_COMM_WORLD,
                   "| matrix | aij us | sell us | heddle us | over the better of both |\n|---|---|---|---|---|\n"));
  for (std::string name; list >> name;) {
    Mat aij = distributed(name);
    std::vector<Mat> kinds = {aij, converted(aij, MATSELL), converted(aij, MATHEDDLE)};
    const std::vector<double> seconds = medians(kinds, static_cast<int>(rounds));
    const double ratio = std::fmin(seconds[0], seconds[1]) / seconds[2];
    product *= ratio;
    ++count;
    must(PetscPrintf(PETSC_COMM_WORLD, "| %s | %.0f | %.0f | %.0f | %.2f |\n", name.c_str(), seconds[0] * 1e6,
                     seconds[1] * 1e6, seconds[2] * 1e6, ratio));
    for (Mat& kind : kinds) must(MatDestroy(&kind));
  }
  must(PetscPrintf(PETSC_COMM_WORLD, "| geometric mean | | | | %.2f |\n", std::pow(product, 1.0 / count)));
  must(PetscFinalize());
  return 0;
}
