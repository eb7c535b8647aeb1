#include "comparison.hpp"

#if PetscDefined(HAVE_CUDA)
#include <petscdevice.h>
#endif

#include <cstdlib>

namespace heddle::petsc::test {

void must(PetscErrorCode code) {
  if (code != PETSC_SUCCESS) PETSCABORT(PETSC_COMM_WORLD, code);
}

bool on_gpu() {
  PetscBool asked = PETSC_FALSE;
  must(PetscOptionsGetBool(nullptr, nullptr, "-on_gpu", &asked, nullptr));
  return asked == PETSC_TRUE;
}

const char* usual_type() { return on_gpu() ? "aijcusparse" : MATAIJ; }
const char* our_type() { return on_gpu() ? MATAIJCUSPARSEHEDDLE : MATHEDDLE; }

void Tally::check(bool good, const std::string& what) {
  ++checked_;
  if (good) return;
  ++wrong_;
  must(PetscPrintf(PETSC_COMM_WORLD, "WRONG: %s\n", what.c_str()));
}

void Tally::check_events(std::initializer_list<const char*> names) {
  for (const char* name : names) check(events(name) > 0, std::string("Heddle was called: ") + name);
}

int Tally::finish(const char* title) const {
  must(PetscPrintf(PETSC_COMM_WORLD, "%s: %d checks, %d differences\n", title, checked_, wrong_));
  return checked_ > 0 && wrong_ == 0 ? 0 : 1;
}

namespace {

// With -on_gpu where there is none: says so.
bool not_run() {
  if (!on_gpu()) return false;
  const char* why = PetscDefined(HAVE_CUDA) ? nullptr : "this PETSc has no CUDA";
#if PetscDefined(HAVE_CUDA)
  must(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  if (PetscDeviceInitialize(PETSC_DEVICE_CUDA)) why = "PETSc finds no GPU";
  must(PetscPopErrorHandler());
#endif
  if (why) must(PetscPrintf(PETSC_COMM_WORLD, "not run: %s\n", why));
  return why;
}

}  // namespace

int program(int argc, char** argv, const char* title, Tally& tally, void (*tests)()) {
  constexpr int skipped = 77;  // for ctest
  must(PetscInitialize(&argc, &argv, nullptr, nullptr));
  must(PetscLogDefaultBegin());
  must(HeddlePetscRegister());
  const bool can_run = !not_run();
  if (can_run) tests();
  const int code = can_run ? tally.finish(title) : skipped;
  must(PetscFinalize());
  return code;
}

namespace {

// The rows of rank 0 go to the last rank.
PetscInt local_rows(PetscInt n, bool uneven) {
  PetscMPIInt rank = 0, size = 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (!uneven || size == 1) return PETSC_DECIDE;
  const PetscInt share = n / (size - 1);
  return rank == 0 ? 0 : rank == size - 1 ? n - share * (size - 2) : share;
}

PetscScalar entry(Shape shape, PetscInt row, PetscInt distance) {
  switch (shape) {
    case Shape::symmetric: return distance == 0 ? 9 : -1;
    case Shape::indefinite: return distance == 0 ? (row % 3 == 0 ? -7 : 9) : 1;
    case Shape::unsymmetric: return distance == 0 ? 12 : distance > 0 ? -3 : -1;
    case Shape::tall: break;
  }
  return static_cast<PetscScalar>(distance == 0 ? 5 : 1 + row % 2);
}

}  // namespace

Mat integer_matrix(const char* type, Shape shape, PetscInt n, bool uneven) {
  const PetscInt cols = shape == Shape::tall ? n / 2 : n, reach = 17;
  Mat A = nullptr;
  must(MatCreate(PETSC_COMM_WORLD, &A));
  const PetscInt mine = local_rows(n, uneven);
  must(MatSetSizes(A, mine, shape == Shape::tall ? PETSC_DECIDE : mine, n, cols));
  must(MatSetType(A, type));
  must(MatSeqAIJSetPreallocation(A, 7, nullptr));
  must(MatMPIAIJSetPreallocation(A, 7, nullptr, 7, nullptr));
  PetscInt begin = 0, end = 0;
  must(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt row = begin; row < end; ++row)
    for (const PetscInt distance : {-reach, PetscInt(-1), PetscInt(0), PetscInt(1), reach}) {
      const PetscInt col = shape == Shape::tall ? (row + 3 * distance + 6 * reach) % cols : row + distance;
      if (col < 0 || col >= cols) continue;
      must(MatSetValue(A, row, col, entry(shape, row, distance), INSERT_VALUES));
    }
  must(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  must(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

Vec integer_vector(Mat A, bool of_rows, int seed) {
  Vec right = nullptr, left = nullptr;
  must(MatCreateVecs(A, &right, &left));
  must(VecDestroy(of_rows ? &right : &left));
  Vec made = of_rows ? left : right;
  PetscInt begin = 0, end = 0;
  must(VecGetOwnershipRange(made, &begin, &end));
  for (PetscInt i = begin; i < end; ++i)
    must(VecSetValue(made, i, static_cast<PetscScalar>((i * 7 + seed) % 19 - 9), INSERT_VALUES));
  must(VecAssemblyBegin(made));
  must(VecAssemblyEnd(made));
  return made;
}

bool multiplied_by_heddle(Mat A) {
  using Multiply = PetscErrorCode(Mat, Vec, Vec);
  const auto of = [](Mat matrix) {
    Multiply* found = nullptr;
    must(get_operation(matrix, MATOP_MULT, found));
    return found;
  };
  static Multiply* const heddles = [&] {
    Mat ours = integer_matrix(our_type(), Shape::symmetric, 24);
    Multiply* const found = of(ours);
    must(MatDestroy(&ours));
    return found;
  }();
  return of(A) == heddles;
}

int events(const char* name) {
  PetscLogEvent event = 0;
  must(PetscLogEventGetId(name, &event));
  PetscEventPerfInfo info;
  must(PetscLogEventGetPerfInfo(PETSC_DETERMINE, event, &info));
  return info.count;
}

}  // namespace heddle::petsc::test
