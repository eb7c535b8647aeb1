#include "guarded.hpp"

#include <heddle/error.hpp>
#include <new>

namespace heddle::petsc {

namespace {

PetscErrorCode code_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return PETSC_ERR_USER_INPUT;
    case ErrorKind::input: return PETSC_ERR_ARG_WRONG;
    case ErrorKind::not_converged: return PETSC_ERR_NOT_CONVERGED;
    case ErrorKind::unavailable: return PETSC_ERR_SUP;
    case ErrorKind::stopped:
    case ErrorKind::internal: break;
  }
  return PETSC_ERR_LIB;
}

PetscErrorCode report(MPI_Comm comm, PetscErrorCode code, const char* text) {
  return PetscError(comm, __LINE__, "Heddle", __FILE__, code, PETSC_ERROR_INITIAL, "Heddle: %s", text);
}

}  // namespace

PetscErrorCode report_exception(MPI_Comm comm) noexcept {
  try {
    throw;
  } catch (const PetscFailure& failure) {
    return PetscError(comm, __LINE__, "Heddle", __FILE__, failure.code, PETSC_ERROR_REPEAT, " ");
  } catch (const Error& error) {
    try {
      std::rethrow_if_nested(error);
    } catch (const PetscFailure& failure) {  // in a product that Heddle asked PETSc for
      return report(comm, failure.code, error.what());
    } catch (...) {
    }
    return report(comm, code_for(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    return report(comm, PETSC_ERR_MEM, "out of memory");
  } catch (const std::exception& other) {
    return report(comm, PETSC_ERR_LIB, other.what());
  } catch (...) {
    return report(comm, PETSC_ERR_LIB, "an unknown exception");
  }
}

}  // namespace heddle::petsc
