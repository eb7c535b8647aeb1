#include "vector_arrays.hpp"

#if PetscDefined(HAVE_CUDA)
#include <petscdevice_cuda.h>
#endif

namespace heddle::petsc {

namespace {

#if PetscDefined(HAVE_CUDA)

PetscErrorCode hold_on_device(Vec x, Vec y, VectorArrays& arrays) {
  PetscMemType x_memory = PETSC_MEMTYPE_HOST, y_memory = PETSC_MEMTYPE_HOST;
  cudaStream_t stream = nullptr;
  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(x, &arrays.x, &x_memory));
  PetscCall(VecGetArrayAndMemType(y, &arrays.y, &y_memory));
  arrays.on_device = PetscMemTypeCUDA(x_memory) && PetscMemTypeCUDA(y_memory);
  if (arrays.on_device) {
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    arrays.stream = Stream{stream};
  } else {
    PetscCall(VecRestoreArrayAndMemType(y, &arrays.y));
    PetscCall(VecRestoreArrayReadAndMemType(x, &arrays.x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode hold_on_device(Vec, Vec, VectorArrays&) { return PETSC_SUCCESS; }

#endif

}  // namespace

PetscErrorCode hold_vectors(Vec x, Vec y, Access access, Device device, VectorArrays& arrays) {
  PetscFunctionBegin;
  arrays = {};
  if (device.kind == Device::Kind::gpu) PetscCall(hold_on_device(x, y, arrays));
  if (arrays.on_device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(x, &arrays.x));
  if (access == Access::write)
    PetscCall(VecGetArrayWrite(y, &arrays.y));
  else
    PetscCall(VecGetArray(y, &arrays.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode release_vectors(Vec x, Vec y, Access access, VectorArrays& arrays) {
  PetscFunctionBegin;
  if (arrays.on_device) {
    PetscCall(VecRestoreArrayAndMemType(y, &arrays.y));
    PetscCall(VecRestoreArrayReadAndMemType(x, &arrays.x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (access == Access::write)
    PetscCall(VecRestoreArrayWrite(y, &arrays.y));
  else
    PetscCall(VecRestoreArray(y, &arrays.y));
  PetscCall(VecRestoreArrayRead(x, &arrays.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
