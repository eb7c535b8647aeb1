// MatMult of aij, sell and aijheddle in one run, in turns: medians, and how many times faster Heddle is. On several
// ranks each holds a share of the rows.
//   petsc_matmult_bench [-matrices "gen:stencil2d5,n=1000 cant.mtx"] [-rounds 15] [-on_gpu] [-processor_time]
// With -on_gpu: aijcusparse and aijcusparseheddle, of a PETSc with CUDA. With -processor_time the time that the process
// had a core, for one thread on a machine with other work.
#include <petscksp.h>
#if PetscDefined(HAVE_CUDA)
#include <petscdevice.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <sstream>
#include <string>
#include <vector>

#include "core/stopwatch.hpp"
#include "heddle_petsc.h"
#include "read_distributed.hpp"

using namespace heddle::petsc::bench;

namespace {

using heddle::median;

const char* usual_matrices =
    "gen:stencil2d5,n=1000 gen:stencil3d7,n=100 gen:stencil3d27,n=60 gen:fem,n=30,dof=3 gen:qcd,l=8 "
    "gen:band,rows=200000,width=40 gen:random,rows=500000,cols=500000,per_row=12 gen:rmat,scale=18 gen:circuit "
    "gen:web gen:road gen:lp gen:dense,rows=2000";

Mat converted(Mat A, const char* type) {
  Mat made = nullptr;
  must(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  const PetscErrorCode code = MatConvert(A, type, MAT_INITIAL_MATRIX, &made);
  must(PetscPopErrorHandler());
  return code ? nullptr : made;
}

void wait_for_gpu() {
#if PetscDefined(HAVE_CUDA)
  must(PetscDeviceContextSynchronize(nullptr));
#endif
}

bool processor_time() {
  PetscBool asked = PETSC_FALSE;
  must(PetscOptionsGetBool(nullptr, nullptr, "-processor_time", &asked, nullptr));
  return asked == PETSC_TRUE;
}

double now(bool of_processor) {
  return of_processor ? static_cast<double>(std::clock()) / CLOCKS_PER_SEC : MPI_Wtime();
}

// Seconds of a product, all ranks together.
double timed(Mat A, Vec x, Vec y, int repeats) {
  wait_for_gpu();
  MPI_Barrier(PETSC_COMM_WORLD);
  static const bool of_processor = processor_time();
  const double begin = now(of_processor);
  for (int i = 0; i < repeats; ++i) must(MatMult(A, x, y));
  wait_for_gpu();
  double seconds = (now(of_processor) - begin) / repeats, slowest = 0;
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return slowest;
}

// Seconds of each, NaN for what PETSc cannot convert; the three are timed in every round.
std::vector<double> medians(const std::vector<Mat>& kinds, int rounds) {
  Vec x = nullptr, y = nullptr;
  must(MatCreateVecs(kinds.back(), &x, &y));  // of type cuda for aijcusparse
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

std::string microseconds(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), " %.1f |", seconds * 1e6);
  return text.data();
}

}  // namespace

int main(int argc, char** argv) {
  must(PetscInitialize(&argc, &argv, nullptr, nullptr));
  must(HeddlePetscRegister());
  char names[4096] = "";
  PetscInt rounds = 15;
  must(PetscOptionsGetString(nullptr, nullptr, "-matrices", names, sizeof names, nullptr));
  must(PetscOptionsGetInt(nullptr, nullptr, "-rounds", &rounds, nullptr));
  PetscBool on_gpu = PETSC_FALSE;
  must(PetscOptionsGetBool(nullptr, nullptr, "-on_gpu", &on_gpu, nullptr));
  const std::vector<std::string> types = on_gpu ? std::vector<std::string>{"aijcusparse", MATAIJCUSPARSEHEDDLE}
                                                : std::vector<std::string>{MATAIJ, MATSELL, MATHEDDLE};
  std::istringstream list(names[0] ? names : usual_matrices);
  double product = 1;
  int count = 0;
  std::string head = "| matrix |", rule = "|---|---|", cells;
  for (const std::string& type : types) {
    head += " " + type + " us |";
    rule += "---|";
    cells += " |";
  }
  must(PetscPrintf(PETSC_COMM_WORLD, "%s over the best other |\n%s\n", head.c_str(), rule.c_str()));
  for (std::string name; list >> name;) {
    Mat plain = read_distributed(name);
    std::vector<Mat> kinds;
    for (const std::string& type : types) kinds.push_back(converted(plain, type.c_str()));
    const std::vector<double> seconds = medians(kinds, static_cast<int>(rounds));
    double best = NAN;
    std::string row = "| `" + name + "` |";
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (i + 1 < kinds.size()) best = std::fmin(best, seconds[i]);
      row += microseconds(seconds[i]);
    }
    const double ratio = best / seconds.back();
    product *= ratio;
    ++count;
    must(PetscPrintf(PETSC_COMM_WORLD, "%s %.2f |\n", row.c_str(), ratio));
    for (Mat& kind : kinds) must(MatDestroy(&kind));
    must(MatDestroy(&plain));
  }
  must(PetscPrintf(PETSC_COMM_WORLD, "| geometric mean |%s %.2f |\n", cells.c_str(), std::pow(product, 1.0 / count)));
  must(PetscFinalize());
  return 0;
}
