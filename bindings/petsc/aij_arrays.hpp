// The arrays of a SeqAIJ matrix, as long as they are held: in host memory, or where a PETSc with CUDA keeps those of a
// seqaijcusparse on its GPU.
#pragma once

#include <heddle/device.hpp>
#include <heddle/matrix.hpp>
#include <optional>

#include "petsc_releases.hpp"

namespace heddle::petsc {

struct AijArrays {
  PetscInt rows = 0, cols = 0;
  std::int64_t nnz = 0;
  const PetscInt *ptr = nullptr, *col = nullptr;
  const PetscScalar* val = nullptr;
  Device device;  // where they lie
  Stream stream;  // on a GPU: PETSc's, on which it may still be writing values
};

// In host memory.
PetscErrorCode hold_arrays(Mat A, AijArrays& arrays);
// On this device when PETSc keeps them there, else in host memory.
PetscErrorCode hold_arrays_near(Mat A, Device device, AijArrays& arrays);
PetscErrorCode release_arrays(Mat A, AijArrays& arrays);

// Copies the pointers of rows, borrows columns and values. Of arrays in host memory.
Csr<PetscScalar> borrow_csr(const AijArrays& arrays);

// The GPU on which PETSc multiplies with A; none where it does so on the CPU.
PetscErrorCode gpu_of(Mat A, std::optional<Device>& gpu);
// Until the work that PETSc has queued on its GPU is done.
PetscErrorCode wait_for_gpu();
// Stream of PETSc's GPU, on which it queues its work now; the default one without a GPU.
PetscErrorCode current_stream(Stream& stream);

}  // namespace heddle::petsc
