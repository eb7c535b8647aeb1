// A preconditioner of PETSc inside a method of Heddle.
#pragma once

#include <heddle/solve.hpp>

#include "guarded.hpp"

namespace heddle::petsc {

class PetscPreconditioner final : public Preconditioner<PetscScalar> {
 public:
  // `varies`: the PC is not the same linear map every time.
  PetscPreconditioner(PC pc, PetscInt size, Device device, bool varies);
  PetscPreconditioner(const PetscPreconditioner&) = delete;
  PetscPreconditioner& operator=(const PetscPreconditioner&) = delete;
  ~PetscPreconditioner() override;

  std::string name() const override;
  void apply(std::span<const PetscScalar> r, std::span<PetscScalar> z, Stream stream) const override;
  bool varies() const override { return varies_; }

 private:
  void apply_in_host_memory(const PetscScalar* r, PetscScalar* z) const;

  PC pc_;
  Device device_;
  bool varies_;
  Vec r_ = nullptr, z_ = nullptr;  // without arrays of their own
  mutable Buffer<PetscScalar> host_r_, host_z_;
};

}  // namespace heddle::petsc
