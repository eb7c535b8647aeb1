// Whatever happens to a matrix of type aijheddle, its products stay those of aij, to the last bit: numbers are small
// integers. After each change the products are compared; before each change there is one, so that an operator which
// does not notice it is seen.
#include <unistd.h>
#include <cstdio>

#include "two_matrices.hpp"

namespace heddle::petsc::test {

namespace {

// What a matrix of ours is after a change. On a GPU it has the type name of PETSc, so that what PETSc makes of it by
// that name is plain.
enum class Becomes { ours, plain, plain_on_gpu };

void check_kind(Mat ours, Becomes expected, const std::string& after) {
  const bool plain = expected == Becomes::plain || (expected == Becomes::plain_on_gpu && on_gpu());
  tally.check(multiplied_by_heddle(ours) != plain,
              std::string("multiplied by ") + (plain ? "PETSc" : "Heddle") + " after " + after);
}

using Change = std::function<void(Mat&)>;
using Derivation = std::function<Mat(Mat)>;

struct Case {
  bool square_only = false;
  Becomes expected = Becomes::ours;
};
constexpr Case squares{.square_only = true};

// In place, of all shapes and of ranks without rows.
void changed(const char* what, const Case& of, const Change& change) {
  for (const Shape shape : {Shape::unsymmetric, Shape::symmetric, Shape::tall})
    for (const bool uneven : {false, true}) {
      if (shape == Shape::tall && of.square_only) continue;
      Two two = make(shape, uneven);
      compare(two, std::string("assembly, before ") + what);
      change(two.aij);
      change(two.ours);
      check_kind(two.ours, of.expected, what);
      compare(two, what);
      destroy(two);
    }
}

void derived(const char* what, Becomes expected, const Derivation& derive) {
  Two two = make(Shape::unsymmetric);
  compare(two, std::string("assembly, before ") + what);
  Two made{derive(two.aij), derive(two.ours)};
  MatType type = nullptr;
  must(MatGetType(made.ours, &type));
  const bool named_ours = std::string(type).find("heddle") != std::string::npos;
  tally.check(named_ours == (expected != Becomes::plain && !on_gpu()),
              std::string("the type after ") + what + " is " + type);
  check_kind(made.ours, expected, what);
  compare(made, what);
  must(MatScale(made.aij, 2));
  must(MatScale(made.ours, 2));
  compare(made, std::string(what) + " and MatScale");
  compare(two, std::string("the original after ") + what);
  destroy(made);
  destroy(two);
}

void assemble(Mat A) {
  must(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  must(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

// The entries at distance 0 of every third row, in the pattern of all shapes.
void set_some(Mat A, InsertMode mode, PetscInt distance) {
  PetscInt begin = 0, end = 0, cols = 0;
  must(MatGetOwnershipRange(A, &begin, &end));
  must(MatGetSize(A, nullptr, &cols));
  for (PetscInt row = begin; row < end; row += 3)
    must(MatSetValue(A, row, (row + distance) % cols, static_cast<PetscScalar>(row % 5 + 2), mode));
  assemble(A);
}

void change_values() {
  changed("MatSetValues", squares, [](Mat& A) { set_some(A, INSERT_VALUES, 0); });
  changed("adding values", squares, [](Mat& A) { set_some(A, ADD_VALUES, 0); });
  changed("two rounds of MatSetValues", squares, [](Mat& A) {
    set_some(A, INSERT_VALUES, 0);
    Vec once = product(A, Product::mult);
    must(VecDestroy(&once));
    set_some(A, ADD_VALUES, 0);
  });
  changed("MatScale", {}, [](Mat& A) { must(MatScale(A, -3)); });
  changed("MatShift", squares, [](Mat& A) { must(MatShift(A, 4)); });
  changed("MatZeroEntries", {}, [](Mat& A) { must(MatZeroEntries(A)); });
  changed("MatDiagonalScale", {}, [](Mat& A) {
    Vec left = integer_vector(A, true, 3), right = integer_vector(A, false, 4);
    must(MatDiagonalScale(A, left, right));
    must(VecDestroy(&left));
    must(VecDestroy(&right));
  });
  changed("MatDiagonalSet", squares, [](Mat& A) {
    Vec diagonal = integer_vector(A, true, 5);
    must(MatDiagonalSet(A, diagonal, INSERT_VALUES));
    must(VecDestroy(&diagonal));
  });
  changed("MatZeroRows", squares, [](Mat& A) {
    const PetscInt rows[] = {0, 5, 77, 239};
    PetscMPIInt rank = 0;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    must(MatZeroRows(A, rank == 0 ? 4 : 0, rows, 2, nullptr, nullptr));
  });
  changed("MatZeroRowsColumns", squares, [](Mat& A) {
    const PetscInt rows[] = {1, 6, 78, 238};
    PetscMPIInt rank = 0;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    must(MatZeroRowsColumns(A, rank == 0 ? 4 : 0, rows, 2, nullptr, nullptr));
  });
  // PETSc stores and retrieves what a matrix has in host memory alone.
  if (!on_gpu())
    changed("MatStoreValues and MatRetrieveValues", {}, [](Mat& A) {
      must(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
      must(MatStoreValues(A));
      must(MatScale(A, 5));
      Vec scaled = product(A, Product::mult);
      must(VecDestroy(&scaled));
      must(MatRetrieveValues(A));
    });
  changed("MatCopy from another one", {}, [](Mat& A) {
    Mat other = nullptr;
    must(MatDuplicate(A, MAT_COPY_VALUES, &other));
    must(MatScale(other, 2));
    must(MatCopy(other, A, SAME_NONZERO_PATTERN));
    must(MatDestroy(&other));
  });
  changed("writing the arrays", {}, [](Mat& A) {
    PetscMPIInt size = 1;
    Mat blocks[2] = {A, nullptr};
    MPI_Comm_size(PETSC_COMM_WORLD, &size);
    if (size > 1) must(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], nullptr));
    for (Mat block : blocks) {
      if (!block) continue;
      PetscScalar* values = nullptr;
      MatInfo info;
      must(MatGetInfo(block, MAT_LOCAL, &info));
      must(MatSeqAIJGetArray(block, &values));
      for (PetscInt i = 0; i < static_cast<PetscInt>(info.nz_used); ++i) values[i] += 1;
      must(MatSeqAIJRestoreArray(block, &values));
    }
  });
}

void change_patterns() {
  changed("MatAXPY on the same pattern", {}, [](Mat& A) {
    Mat other = nullptr;
    must(MatDuplicate(A, MAT_COPY_VALUES, &other));
    must(MatAXPY(A, 2, other, SAME_NONZERO_PATTERN));
    must(MatDestroy(&other));
  });
  changed("MatAXPY with its transpose", squares, [](Mat& A) {
    Mat other = nullptr;
    must(MatTranspose(A, MAT_INITIAL_MATRIX, &other));
    set_some(other, ADD_VALUES, 0);
    must(MatAXPY(A, 3, other, DIFFERENT_NONZERO_PATTERN));
    must(MatDestroy(&other));
  });
  changed("new entries", {}, [](Mat& A) {
    must(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    set_some(A, INSERT_VALUES, 101);
  });
  changed("new entries twice", {}, [](Mat& A) {
    must(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    set_some(A, INSERT_VALUES, 40);
    Vec between = product(A, Product::mult);
    must(VecDestroy(&between));
    set_some(A, INSERT_VALUES, 90);
  });
  changed("a new preallocation", {}, [](Mat& A) {
    must(MatSeqAIJSetPreallocation(A, 3, nullptr));
    must(MatMPIAIJSetPreallocation(A, 3, nullptr, 3, nullptr));
    must(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    set_some(A, INSERT_VALUES, 50);
  });
  changed("MatTranspose in place", squares, [](Mat& A) { must(MatTranspose(A, MAT_INPLACE_MATRIX, &A)); });
  changed("MatHeaderReplace", {.square_only = true, .expected = Becomes::plain_on_gpu}, [](Mat& A) {
    Mat other = nullptr;
    must(MatTranspose(A, MAT_INITIAL_MATRIX, &other));
    must(MatHeaderReplace(A, &other));
  });
  changed("MatConvert in place, there and back", {.expected = Becomes::plain_on_gpu}, [](Mat& A) {
    MatType type = nullptr;
    must(MatGetType(A, &type));
    const std::string before = type;
    must(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, &A));
    Vec between = product(A, Product::mult);
    must(VecDestroy(&between));
    must(MatScale(A, 2));
    must(MatConvert(A, before.c_str(), MAT_INPLACE_MATRIX, &A));
  });
}

Mat saved_and_loaded(Mat A) {
  const std::string file = "changes_test." + std::to_string(PetscGlobalSize) + ".petsc";
  PetscViewer viewer = nullptr;
  must(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.c_str(), FILE_MODE_WRITE, &viewer));
  must(MatView(A, viewer));
  must(PetscViewerDestroy(&viewer));
  must(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.c_str(), FILE_MODE_READ, &viewer));
  Mat loaded = nullptr;
  MatType type = nullptr;
  must(MatGetType(A, &type));
  must(MatCreate(PETSC_COMM_WORLD, &loaded));
  must(MatSetType(loaded, type));
  must(MatLoad(loaded, viewer));
  must(PetscViewerDestroy(&viewer));
  if (PetscGlobalRank == 0)
    for (const char* ending : {"", ".info"}) (void)std::remove((file + ending).c_str());
  return loaded;
}

IS own_rows(Mat A, PetscInt step) {
  PetscInt begin = 0, end = 0;
  IS made = nullptr;
  must(MatGetOwnershipRange(A, &begin, &end));
  must(ISCreateStride(PETSC_COMM_WORLD, (end - begin + step - 1) / step, begin, step, &made));
  return made;
}

Mat permuted(Mat A) {
  PetscInt begin = 0, end = 0, n = 0;
  IS order = nullptr;
  Mat made = nullptr;
  must(MatGetOwnershipRange(A, &begin, &end));
  must(MatGetSize(A, &n, nullptr));
  must(ISCreateStride(PETSC_COMM_WORLD, end - begin, n - 1 - begin, -1, &order));
  must(ISSetPermutation(order));
  must(MatPermute(A, order, order, &made));
  must(ISDestroy(&order));
  return made;
}

// What PETSc makes of a type derived from aij is of that type, or plain aij.
void derive() {
  derived("MatDuplicate", Becomes::ours, [](Mat A) {
    Mat made = nullptr;
    must(MatDuplicate(A, MAT_COPY_VALUES, &made));
    return made;
  });
  derived("MatDuplicate without values", Becomes::ours, [](Mat A) {
    Mat made = nullptr;
    must(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &made));
    must(MatShift(made, 1));
    return made;
  });
  derived("MatTranspose", Becomes::plain_on_gpu, [](Mat A) {
    Mat made = nullptr;
    must(MatTranspose(A, MAT_INITIAL_MATRIX, &made));
    return made;
  });
  derived("MatConvert to aij", Becomes::plain, [](Mat A) {
    Mat made = nullptr;
    must(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &made));
    return made;
  });
  derived("MatConvert from aij", Becomes::ours, [](Mat A) {
    Mat plain = nullptr, made = nullptr;
    must(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &plain));
    must(MatConvert(plain, our_type(), MAT_INITIAL_MATRIX, &made));
    must(MatDestroy(&plain));
    return made;
  });
  derived("MatConvert to dense", Becomes::plain, [](Mat A) {
    Mat made = nullptr;
    must(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, &made));
    return made;
  });
  derived("saving and loading", Becomes::plain_on_gpu, saved_and_loaded);
  derived("MatCreateSubMatrix", Becomes::plain_on_gpu, [](Mat A) {
    IS rows = own_rows(A, 2);
    Mat made = nullptr;
    must(MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, &made));
    must(MatCreateSubMatrix(A, rows, rows, MAT_REUSE_MATRIX, &made));
    must(ISDestroy(&rows));
    return made;
  });
  derived("MatPermute", PetscGlobalSize == 1 ? Becomes::plain_on_gpu : Becomes::plain, permuted);
  derived("MatMatMult with itself", Becomes::plain_on_gpu, [](Mat A) {
    Mat made = nullptr;
    must(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &made));
    return made;
  });
}

// From the GPU to the CPU and back; copies and what comes back are Heddle's again.
void binding() {
  // On several processes the blocks alone change their operations.
  const Case bound{.expected = PetscGlobalSize == 1 ? Becomes::plain : Becomes::ours};
  changed("MatBindToCPU", bound, [](Mat& A) { must(MatBindToCPU(A, PETSC_TRUE)); });
  changed("MatBindToCPU, there and back", {}, [](Mat& A) {
    must(MatBindToCPU(A, PETSC_TRUE));
    must(MatScale(A, 2));
    must(MatBindToCPU(A, PETSC_FALSE));
  });
  Two two = make(Shape::unsymmetric);
  Mat copy = nullptr;
  must(MatDuplicate(two.ours, MAT_COPY_VALUES, &copy));
  must(MatBindToCPU(copy, PETSC_TRUE));
  must(MatBindToCPU(copy, PETSC_FALSE));
  const int before = events("HeddleMatMult");
  Vec made = product(copy, Product::mult);
  tally.check(events("HeddleMatMult") > before, "a copy that was bound to the CPU and back is multiplied by Heddle");
  must(VecDestroy(&made));
  must(MatDestroy(&copy));
  destroy(two);
}

// PETSc takes arrays whose columns are in any order.
void columns_in_any_order() {
  PetscInt ptr[] = {0, 3, 5, 6}, col[] = {2, 0, 1, 1, 0, 2};
  PetscScalar val[] = {1, 2, 3, 4, 5, 6}, other_val[] = {1, 2, 3, 4, 5, 6};
  Two two;
  must(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 3, 3, ptr, col, val, &two.aij));
  must(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 3, 3, ptr, col, other_val, &two.ours));
  must(MatConvert(two.ours, MATSEQAIJHEDDLE, MAT_INPLACE_MATRIX, &two.ours));
  compare(two, "columns in any order");
  must(MatScale(two.aij, 2));
  must(MatScale(two.ours, 2));
  compare(two, "columns in any order and MatScale");
  destroy(two);
}

void run() {
  change_values();
  change_patterns();
  derive();
  if (on_gpu()) binding();
  if (PetscGlobalSize == 1 && !on_gpu()) columns_in_any_order();
  tally.check_events({"HeddleMatMult", "HeddleMatMultTr", "HeddleBuild", "HeddleUpdate"});
}

}  // namespace

}  // namespace heddle::petsc::test

int main(int argc, char** argv) {
  using namespace heddle::petsc::test;
  return program(argc, argv, "changes", tally, run);
}
