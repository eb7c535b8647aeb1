#include "vector_arrays.hpp"

#include "aij_arrays.hpp"

namespace heddle::petsc {

namespace {

PetscErrorCode hold_y(Vec y, Access access, PetscScalar** array, PetscMemType* memory) {
  PetscFunctionBegin;
  if (access == Access::write)
    PetscCall(VecGetArrayWriteAndMemType(y, array, memory));
  else
    PetscCall(VecGetArrayAndMemType(y, array, memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode release_y(Vec y, Access access, PetscScalar** array) {
  PetscFunctionBegin;
  if (access == Access::write)
    PetscCall(VecRestoreArrayWriteAndMemType(y, array));
  else
    PetscCall(VecRestoreArrayAndMemType(y, array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode hold_on_device(Vec x, Vec y, Access access, VectorArrays& arrays) {
  PetscMemType x_memory = PETSC_MEMTYPE_HOST, y_memory = PETSC_MEMTYPE_HOST;
  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(x, &arrays.x, &x_memory));
  PetscCall(hold_y(y, access, &arrays.y, &y_memory));
  arrays.on_device = PetscMemTypeDevice(x_memory) && PetscMemTypeDevice(y_memory);
  if (arrays.on_device) {
    PetscCall(current_stream(arrays.stream));
  } else {
    PetscCall(release_y(y, access, &arrays.y));
    PetscCall(VecRestoreArrayReadAndMemType(x, &arrays.x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode hold_vectors(Vec x, Vec y, Access access, Device device, VectorArrays& arrays) {
  PetscFunctionBegin;
  arrays = {};
  if (device.kind == Device::Kind::gpu) PetscCall(hold_on_device(x, y, access, arrays));
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
    PetscCall(release_y(y, access, &arrays.y));
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
