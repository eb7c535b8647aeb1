#include "petsc_operators.hpp"

namespace heddle::petsc {

BorrowingVectors::BorrowingVectors(MPI_Comm comm, PetscInt size) {
  must(VecCreateSeqWithArray(comm, 1, size, nullptr, &from_));
  must(VecCreateSeqWithArray(comm, 1, size, nullptr, &to_));
}

BorrowingVectors::~BorrowingVectors() {
  (void)VecDestroy(&from_);
  (void)VecDestroy(&to_);
}

PetscPreconditioner::PetscPreconditioner(PC pc, PetscInt size, Device device, bool varies)
    : pc_(pc), device_(device), varies_(varies), vectors_(PetscObjectComm(as_object(pc)), size) {
  if (device.host_memory()) return;
  host_r_ = Buffer<PetscScalar>(size);
  host_z_ = Buffer<PetscScalar>(size);
}

std::string PetscPreconditioner::name() const {
  PCType type = nullptr;
  must(PCGetType(pc_, &type));
  return type ? type : "none";
}

void PetscPreconditioner::apply_in_host_memory(const PetscScalar* r, PetscScalar* z) const {
  vectors_.with(r, z, [this](Vec from, Vec to) { return PCApply(pc_, from, to); });
}

void PetscPreconditioner::apply(std::span<const PetscScalar> r, std::span<PetscScalar> z, Stream) const {
  if (device_.host_memory()) return apply_in_host_memory(r.data(), z.data());
  memory::copy(host_r_.data(), Device::cpu(), r.data(), device_, r.size_bytes());
  apply_in_host_memory(host_r_.data(), host_z_.data());
  memory::copy(z.data(), device_, host_z_.data(), Device::cpu(), z.size_bytes());
}

PetscErrorCode matrix_free(Mat A, MatrixFree<PetscScalar>& made) {
  const MPI_Comm comm = PetscObjectComm(as_object(A));
  PetscInt rows = 0, cols = 0;
  PetscBool known = PETSC_FALSE, symmetric = PETSC_FALSE, definite = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, &cols));
  PetscCheck(rows == cols, comm, PETSC_ERR_ARG_SIZ, "-ksp_type heddle needs a square matrix");
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  made.symmetric = known && symmetric;
  PetscCall(MatIsSPDKnown(A, &known, &definite));
  made.positive_definite = made.symmetric && known && definite;
  made.size = rows;
  PetscCall(guarded(comm, [&] {
    const auto vectors = std::make_shared<BorrowingVectors>(comm, rows);
    made.multiply = [A, vectors](std::span<const PetscScalar> x, std::span<PetscScalar> y, Stream) {
      vectors->with(x.data(), y.data(), [A](Vec from, Vec to) { return MatMult(A, from, to); });
    };
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
