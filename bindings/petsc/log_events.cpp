#include "log_events.hpp"

namespace heddle::petsc {

namespace {
LogEvents events;
}

const LogEvents& log_events() { return events; }

PetscErrorCode register_log_events() {
  PetscFunctionBegin;
  PetscCall(PetscClassIdRegister("Heddle", &events.class_id));
  const auto add = [](const char* name, PetscLogEvent& event) {
    return PetscLogEventRegister(name, events.class_id, &event);
  };
  PetscCall(add("HeddleBuild", events.build));
  PetscCall(add("HeddleUpdate", events.update));
  PetscCall(add("HeddleMatMult", events.multiply));
  PetscCall(add("HeddleMatMultTr", events.multiply_transposed));
  PetscCall(add("HeddleMatMatMult", events.multiply_many));
  PetscCall(add("HeddleSolve", events.solve));
  PetscCall(add("HeddlePCSetUp", events.preconditioner_setup));
  PetscCall(add("HeddlePCUpdate", events.preconditioner_update));
  PetscCall(add("HeddlePCApply", events.precondition));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
