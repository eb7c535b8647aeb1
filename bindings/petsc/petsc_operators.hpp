// A Mat and a PC of PETSc, of one process, inside a method of Heddle.
#pragma once

#include <heddle/solve.hpp>

#include "guarded.hpp"

namespace heddle::petsc {

// Two vectors of PETSc without memory of their own.
class BorrowingVectors {
 public:
  BorrowingVectors(MPI_Comm comm, PetscInt size);
  BorrowingVectors(const BorrowingVectors&) = delete;
  BorrowingVectors& operator=(const BorrowingVectors&) = delete;
  ~BorrowingVectors();

  // Calls `function` with vectors of these arrays, which are host memory.
  template <class Function>
  void with(const PetscScalar* from, PetscScalar* to, Function&& function) const {
    must(VecPlaceArray(from_, from));
    must(VecPlaceArray(to_, to));
    const PetscErrorCode code = function(from_, to_);
    must(VecResetArray(to_));
    must(VecResetArray(from_));
    must(code);
  }

 private:
  Vec from_ = nullptr, to_ = nullptr;
};

class PetscPreconditioner final : public Preconditioner<PetscScalar> {
 public:
  // `varies`: the PC is not the same linear map every time.
  PetscPreconditioner(PC pc, PetscInt size, Device device, bool varies);

  std::string name() const override;
  void apply(std::span<const PetscScalar> r, std::span<PetscScalar> z, Stream stream) const override;
  bool varies() const override { return varies_; }

 private:
  void apply_in_host_memory(const PetscScalar* r, PetscScalar* z) const;

  PC pc_;
  Device device_;
  bool varies_;
  BorrowingVectors vectors_;
  mutable Buffer<PetscScalar> host_r_, host_z_;
};

// Any Mat, by MatMult, on the CPU.
PetscErrorCode matrix_free(Mat A, MatrixFree<PetscScalar>& made);

}  // namespace heddle::petsc
