// Our lines in -log_view.
#pragma once

#include "petsc_releases.hpp"

namespace heddle::petsc {

struct LogEvents {
  PetscClassId class_id = 0;
  PetscLogEvent build = 0;     // choosing a plan, building the operator
  PetscLogEvent update = 0;    // new values on the old pattern
  PetscLogEvent multiply = 0;  // a product of a local block
  PetscLogEvent multiply_transposed = 0;
  PetscLogEvent multiply_many = 0;  // with a dense matrix
  PetscLogEvent solve = 0;
  PetscLogEvent preconditioner_setup = 0;
  PetscLogEvent preconditioner_update = 0;  // new values on the old pattern
  PetscLogEvent precondition = 0;
};

const LogEvents& log_events();
PetscErrorCode register_log_events();

class Logged {
 public:
  explicit Logged(PetscLogEvent event, double flops = 0, bool on_gpu = false) : event_(event) {
    (void)PetscLogEventBegin(event_, 0, 0, 0, 0);
    if (flops > 0 && on_gpu) (void)PetscLogGpuFlops(flops);
    if (flops > 0 && !on_gpu) (void)PetscLogFlops(flops);
  }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;
  ~Logged() { (void)PetscLogEventEnd(event_, 0, 0, 0, 0); }

 private:
  PetscLogEvent event_;
};

}  // namespace heddle::petsc
