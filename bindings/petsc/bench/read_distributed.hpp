// A matrix of Heddle's readers and generators as an AIJ matrix whose rows are spread over the ranks.
#pragma once

#include <petscksp.h>

#include <heddle/io.hpp>
#include <string>
#include <vector>

namespace heddle::petsc::bench {

inline void must(PetscErrorCode code) {
  if (code) PETSCABORT(PETSC_COMM_WORLD, code);
}

inline Mat read_distributed(const std::string& name) {
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

}  // namespace heddle::petsc::bench
