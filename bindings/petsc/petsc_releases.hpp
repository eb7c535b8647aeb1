// Where releases of PETSc differ in what this folder uses: 3.18 to 3.26.
#pragma once

#include <petsc/private/petscimpl.h>
#include <petscksp.h>

#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS 0
#endif

#include <type_traits>

namespace heddle::petsc {

static_assert(std::is_same_v<PetscScalar, double> || std::is_same_v<PetscScalar, float>,
              "Heddle multiplies real numbers: PETSc must be configured with --with-scalar-type=real");

#if PETSC_VERSION_LT(3, 24, 0)
using OptionItems = PetscOptionItems*;
#else
using OptionItems = PetscOptionItems;
#endif

// void (*)(void), later PetscErrorCode (*)(void).
template <class Slot>
Slot slot_of(PetscErrorCode (*)(Mat, MatOperation, Slot));
using OperationSlot = decltype(slot_of(&MatSetOperation));

template <class F>
PetscErrorCode get_operation(Mat A, MatOperation operation, F*& function) {
  return MatGetOperation(A, operation, reinterpret_cast<OperationSlot*>(&function));
}
template <class F>
PetscErrorCode set_operation(Mat A, MatOperation operation, F* function) {
  return MatSetOperation(A, operation, reinterpret_cast<OperationSlot>(function));
}

// Composes `object` with the key and destroys it with the last reference to A's header.
template <class Object>
PetscErrorCode compose_object(Mat A, const char* key, Object* object) {
  PetscContainer container = nullptr;
  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PetscObjectComm(reinterpret_cast<PetscObject>(A)), &container));
  PetscCall(PetscContainerSetPointer(container, object));
#if PETSC_VERSION_LT(3, 23, 0)
  PetscCall(PetscContainerSetUserDestroy(container, [](void* held) -> PetscErrorCode {
    delete static_cast<Object*>(held);
    return PETSC_SUCCESS;
  }));
#else
  PetscCall(PetscContainerSetCtxDestroy(container, [](auto held) -> PetscErrorCode {  // void**, called void* later
    void** place = reinterpret_cast<void**>(held);
    delete static_cast<Object*>(*place);
    *place = nullptr;
    return PETSC_SUCCESS;
  }));
#endif
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(A), key, reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Null when there is none.
template <class Object>
PetscErrorCode composed_object(Mat A, const char* key, Object*& object) {
  PetscContainer container = nullptr;
  PetscFunctionBegin;
  object = nullptr;
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(A), key, reinterpret_cast<PetscObject*>(&container)));
  if (container) {
    void* held = nullptr;
    PetscCall(PetscContainerGetPointer(container, &held));
    object = static_cast<Object*>(held);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Until it was removed.
inline PetscErrorCode asks_for_diagonal_scaling([[maybe_unused]] PC pc, PetscBool& asks) {
  PetscFunctionBegin;
  asks = PETSC_FALSE;
#if PETSC_VERSION_LT(3, 26, 0)
  PetscCall(PCGetDiagonalScale(pc, &asks));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Object>
PetscObject as_object(Object object) {
  return reinterpret_cast<PetscObject>(object);
}

}  // namespace heddle::petsc
