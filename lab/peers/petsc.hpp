// PETSc, opened and started when it is first used: a program that links Heddle does not link PETSc or MPI, and a
// process that does not use it never initialises MPI. Only code of a build that found petscksp.h includes this.
#pragma once

#include <petscksp.h>

#include <heddle/matrix.hpp>

#include "peers/loaded_library.hpp"

namespace heddle::bench {

// Opened, not started.
const LoadedLibrary& petsc_library();
// Starts PETSc, and MPI with it, once; both end with the process. Signal handlers stay as they were. The communicator
// of the objects to be made, which holds them only if it is of one process.
MPI_Comm petsc_world();

void check_petsc(PetscErrorCode code, const char* function);

// petsc_call<decltype(MatMult)>("MatMult", A, x, y)
template <class F, class... Arguments>
void petsc_call(const char* function, Arguments... arguments) {
  check_petsc(petsc_library().find<F>(function)(arguments...), function);
}

// An object of PETSc with the name of the function that destroys it.
template <class Object>
class PetscOwner {
 public:
  explicit PetscOwner(const char* destroy) : destroy_(destroy) {}
  PetscOwner(const PetscOwner&) = delete;
  PetscOwner& operator=(const PetscOwner&) = delete;
  ~PetscOwner() { clear(); }
  Object* made() { return &object_; }
  void clear() {
    if (object_) (void)petsc_library().find<PetscErrorCode(Object*)>(destroy_)(&object_);
  }
  Object get() const { return object_; }

 private:
  const char* destroy_;
  Object object_ = nullptr;
};

// AIJ is CSR, of which PETSc multiplies rows with the same columns ("inodes") together; SELL has slices of eight rows.
enum class PetscLayout { aij, sell };

// A matrix of PETSc. AIJ uses the caller's values, which must outlive it. Error(unavailable) when PetscInt cannot count
// the entries.
class PetscMatrix {
 public:
  void hold(const CsrView<double>& A, PetscLayout layout);
  Mat get() const { return layout_ == PetscLayout::aij ? aij_.get() : sell_.get(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  void hold_aij(const CsrView<double>& A);
  void convert_to_sell();

  PetscLayout layout_ = PetscLayout::aij;
  Buffer<PetscInt> ptr_, col_;
  PetscOwner<Mat> aij_{"MatDestroy"}, sell_{"MatDestroy"};
  std::int64_t bytes_ = 0;
};

}  // namespace heddle::bench
