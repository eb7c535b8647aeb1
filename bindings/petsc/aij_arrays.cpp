#include "aij_arrays.hpp"

#include <algorithm>

#if PetscDefined(HAVE_CUDA)
#include <petscdevice_cuda.h>
#endif

namespace heddle::petsc {

namespace {

Buffer<Offset> as_offsets(const PetscInt* ptr, PetscInt rows) {
  Buffer<Offset> made(rows + 1);
  if (rows == 0)
    made[0] = 0;
  else
    std::copy(ptr, ptr + rows + 1, made.begin());
  return made;
}

Buffer<Index> as_indices(const PetscInt* col, std::int64_t count) {
  if constexpr (sizeof(PetscInt) == sizeof(Index))
    return Buffer<Index>::borrow({reinterpret_cast<const Index*>(col), static_cast<std::size_t>(count)});
  Buffer<Index> made(count);
  std::transform(col, col + count, made.begin(), [](PetscInt c) { return static_cast<Index>(c); });
  return made;
}

// Also of a matrix whose values lie on a GPU alone: its pattern is always in host memory.
PetscErrorCode hold_pattern(Mat A, AijArrays& arrays) {
  PetscInt n = 0;
  PetscBool done = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &arrays.rows, &arrays.cols));
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &arrays.ptr, &arrays.col, &done));
  PetscCheck(done, PetscObjectComm(as_object(A)), PETSC_ERR_SUP, "Heddle needs the rows of a matrix of type aij");
  arrays.nnz = arrays.rows > 0 ? arrays.ptr[arrays.rows] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode release_pattern(Mat A, AijArrays& arrays) {
  PetscInt n = arrays.rows;
  PetscBool done = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &arrays.ptr, &arrays.col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)

PetscErrorCode hold_arrays_on_gpu(Mat A, Device gpu, AijArrays& arrays) {
  PetscFunctionBegin;
  PetscCall(release_pattern(A, arrays));
  PetscCall(MatSeqAIJCUSPARSEGetIJ(A, PETSC_FALSE, &arrays.ptr, &arrays.col));
  PetscCall(MatSeqAIJCUSPARSEGetArrayRead(A, &arrays.val));
  PetscCall(current_stream(arrays.stream));
  arrays.device = gpu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode release_arrays_on_gpu(Mat A, AijArrays& arrays) {
  PetscFunctionBegin;
  PetscCall(MatSeqAIJCUSPARSERestoreArrayRead(A, &arrays.val));
  PetscCall(MatSeqAIJCUSPARSERestoreIJ(A, PETSC_FALSE, &arrays.ptr, &arrays.col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode hold_arrays_on_gpu(Mat, Device, AijArrays&) { return PETSC_SUCCESS; }
PetscErrorCode release_arrays_on_gpu(Mat, AijArrays&) { return PETSC_SUCCESS; }

#endif

}  // namespace

PetscErrorCode hold_arrays(Mat A, AijArrays& arrays) {
  PetscFunctionBegin;
  arrays = {};
  PetscCall(hold_pattern(A, arrays));
  PetscCall(MatSeqAIJGetArrayRead(A, &arrays.val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode hold_arrays_near(Mat A, Device device, AijArrays& arrays) {
  std::optional<Device> gpu;
  PetscFunctionBegin;
  arrays = {};
  PetscCall(hold_pattern(A, arrays));
  if (!device.host_memory()) PetscCall(gpu_of(A, gpu));
  if (gpu == device && arrays.nnz > 0)
    PetscCall(hold_arrays_on_gpu(A, device, arrays));
  else
    PetscCall(MatSeqAIJGetArrayRead(A, &arrays.val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode release_arrays(Mat A, AijArrays& arrays) {
  PetscFunctionBegin;
  if (!arrays.device.host_memory()) {
    PetscCall(release_arrays_on_gpu(A, arrays));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatSeqAIJRestoreArrayRead(A, &arrays.val));
  PetscCall(release_pattern(A, arrays));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Csr<PetscScalar> borrow_csr(const AijArrays& arrays) {
  return {arrays.rows, arrays.cols, as_offsets(arrays.ptr, arrays.rows), as_indices(arrays.col, arrays.nnz),
          Buffer<PetscScalar>::borrow({arrays.val, static_cast<std::size_t>(arrays.nnz)})};
}

#if PetscDefined(HAVE_CUDA)

PetscErrorCode gpu_of(Mat A, std::optional<Device>& gpu) {
  PetscBool on_gpu = PETSC_FALSE, bound = PETSC_FALSE;
  PetscFunctionBegin;
  gpu.reset();
  PetscCall(PetscObjectTypeCompare(as_object(A), MATSEQAIJCUSPARSE, &on_gpu));
  if (on_gpu) PetscCall(MatBoundToCPU(A, &bound));
  if (!on_gpu || bound) PetscFunctionReturn(PETSC_SUCCESS);
  PetscDeviceContext context = nullptr;
  PetscDevice device = nullptr;
  PetscInt ordinal = 0;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetDevice(context, &device));
  PetscCall(PetscDeviceGetDeviceId(device, &ordinal));
  gpu = Device::gpu(static_cast<int>(ordinal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wait_for_gpu() {
  PetscFunctionBegin;
  PetscCall(PetscDeviceContextSynchronize(nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode current_stream(Stream& stream) {
  cudaStream_t handle = nullptr;
  PetscFunctionBegin;
#if PETSC_VERSION_LT(3, 21, 0)
  handle = PetscDefaultCudaStream;
#else
  PetscCall(PetscGetCurrentCUDAStream(&handle));
#endif
  stream = Stream{handle};
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode gpu_of(Mat, std::optional<Device>& gpu) {
  gpu.reset();
  return PETSC_SUCCESS;
}
PetscErrorCode wait_for_gpu() { return PETSC_SUCCESS; }
PetscErrorCode current_stream(Stream& stream) {
  stream = {};
  return PETSC_SUCCESS;
}

#endif

}  // namespace heddle::petsc
