// A Mat and a PC of PETSc, of one process, inside a method of Heddle.
#pragma once

#include <heddle/solve.hpp>
#include <optional>

#include "guarded.hpp"

namespace heddle::petsc {

enum class Place { host, gpu };

// Two vectors of PETSc without memory of their own; on a GPU where PETSc has CUDA.
class BorrowingVectors {
 public:
  BorrowingVectors(MPI_Comm comm, PetscInt size, Place place = Place::host);
  BorrowingVectors(const BorrowingVectors&) = delete;
  BorrowingVectors& operator=(const BorrowingVectors&) = delete;
  ~BorrowingVectors();

  // Calls `function` with vectors of these arrays, which lie at that place.
  template <class Function>
  void with(const PetscScalar* from, PetscScalar* to, Function&& function) const {
    lend(from_, from);
    lend(to_, to);
    const PetscErrorCode code = function(from_, to_);
    take_back(to_);
    take_back(from_);
    must(code);
  }

 private:
  void lend(Vec vector, const PetscScalar* array) const;
  void take_back(Vec vector) const;

  Place place_;
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
  void apply_with(const BorrowingVectors& vectors, const PetscScalar* r, PetscScalar* z) const;

  PC pc_;
  Device device_;
  bool varies_;
  BorrowingVectors in_host_memory_;
  std::optional<BorrowingVectors> on_gpu_;
  mutable Buffer<PetscScalar> host_r_, host_z_;
};

// Any Mat, by MatMult, on the CPU.
PetscErrorCode matrix_free(Mat A, MatrixFree<PetscScalar>& made);

}  // namespace heddle::petsc
