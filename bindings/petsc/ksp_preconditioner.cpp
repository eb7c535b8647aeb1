#include "ksp_preconditioner.hpp"

namespace heddle::petsc {

PetscPreconditioner::PetscPreconditioner(PC pc, PetscInt size, Device device, bool varies)
    : pc_(pc), device_(device), varies_(varies) {
  const MPI_Comm comm = PetscObjectComm(as_object(pc));
  must(VecCreateSeqWithArray(comm, 1, size, nullptr, &r_));
  must(VecCreateSeqWithArray(comm, 1, size, nullptr, &z_));
  if (device.host_memory()) return;
  host_r_ = Buffer<PetscScalar>(size);
  host_z_ = Buffer<PetscScalar>(size);
}

PetscPreconditioner::~PetscPreconditioner() {
  (void)VecDestroy(&r_);
  (void)VecDestroy(&z_);
}

std::string PetscPreconditioner::name() const {
  PCType type = nullptr;
  must(PCGetType(pc_, &type));
  return type ? type : "none";
}

void PetscPreconditioner::apply_in_host_memory(const PetscScalar* r, PetscScalar* z) const {
  must(VecPlaceArray(r_, r));
  must(VecPlaceArray(z_, z));
  const PetscErrorCode code = PCApply(pc_, r_, z_);
  must(VecResetArray(z_));
  must(VecResetArray(r_));
  must(code);
}

void PetscPreconditioner::apply(std::span<const PetscScalar> r, std::span<PetscScalar> z, Stream) const {
  if (device_.host_memory()) return apply_in_host_memory(r.data(), z.data());
  memory::copy(host_r_.data(), Device::cpu(), r.data(), device_, r.size_bytes());
  apply_in_host_memory(host_r_.data(), host_z_.data());
  memory::copy(z.data(), device_, host_z_.data(), Device::cpu(), z.size_bytes());
}

}  // namespace heddle::petsc
