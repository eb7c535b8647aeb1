#include "petsc_operators.hpp"

#include "aij_arrays.hpp"

namespace heddle::petsc {

#if PetscDefined(HAVE_CUDA)

BorrowingVectors::BorrowingVectors(MPI_Comm comm, PetscInt size, Place place) : place_(place) {
  for (Vec* made : {&from_, &to_})
    must(place == Place::gpu ? VecCreateSeqCUDAWithArray(comm, 1, size, nullptr, made)
                             : VecCreateSeqWithArray(comm, 1, size, nullptr, made));
}

void BorrowingVectors::lend(Vec vector, const PetscScalar* array) const {
  must(place_ == Place::gpu ? VecCUDAPlaceArray(vector, array) : VecPlaceArray(vector, array));
}

void BorrowingVectors::take_back(Vec vector) const {
  must(place_ == Place::gpu ? VecCUDAResetArray(vector) : VecResetArray(vector));
}

#else

BorrowingVectors::BorrowingVectors(MPI_Comm comm, PetscInt size, Place place) : place_(place) {
  for (Vec* made : {&from_, &to_}) must(VecCreateSeqWithArray(comm, 1, size, nullptr, made));
}

void BorrowingVectors::lend(Vec vector, const PetscScalar* array) const { must(VecPlaceArray(vector, array)); }
void BorrowingVectors::take_back(Vec vector) const { must(VecResetArray(vector)); }

#endif

BorrowingVectors::~BorrowingVectors() {
  (void)VecDestroy(&from_);
  (void)VecDestroy(&to_);
}

PetscPreconditioner::PetscPreconditioner(PC pc, PetscInt size, Device device, bool varies)
    : pc_(pc), device_(device), varies_(varies), in_host_memory_(PetscObjectComm(as_object(pc)), size) {
  if (device.host_memory()) return;
  if (PetscDefined(HAVE_CUDA)) on_gpu_.emplace(PetscObjectComm(as_object(pc)), size, Place::gpu);
  host_r_ = Buffer<PetscScalar>(size);
  host_z_ = Buffer<PetscScalar>(size);
}

std::string PetscPreconditioner::name() const {
  PCType type = nullptr;
  must(PCGetType(pc_, &type));
  return type ? type : "none";
}

void PetscPreconditioner::apply_with(const BorrowingVectors& vectors, const PetscScalar* r, PetscScalar* z) const {
  vectors.with(r, z, [this](Vec from, Vec to) { return PCApply(pc_, from, to); });
}

void PetscPreconditioner::apply(std::span<const PetscScalar> r, std::span<PetscScalar> z, Stream stream) const {
  if (device_.host_memory()) return apply_with(in_host_memory_, r.data(), z.data());
  Stream of_petsc;
  if (on_gpu_) must(current_stream(of_petsc));
  if (on_gpu_ && of_petsc.handle == stream.handle) return apply_with(*on_gpu_, r.data(), z.data());
  memory::copy(host_r_.data(), Device::cpu(), r.data(), device_, r.size_bytes());
  apply_with(in_host_memory_, host_r_.data(), host_z_.data());
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
