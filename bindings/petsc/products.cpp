#include "products.hpp"

namespace heddle::petsc {

namespace {

constexpr const char* settings_key = "heddle_settings";

PetscErrorCode settings_of(Mat A, const MatSettings*& found) {
  MatSettings* held = nullptr;
  PetscFunctionBegin;
  PetscCall(composed_object(A, settings_key, held));
  if (!held) {
    MatSettings settings;
    PetscCall(read_settings(A, settings));
    held = new MatSettings(settings);
    PetscCall(compose_object(A, settings_key, held));
  }
  found = held;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode describe_block(Mat block, PetscViewer viewer, PetscMPIInt rank) {
  LocalOperator* op = nullptr;
  PetscFunctionBegin;
  PetscCall(LocalOperator::existing(block, op));
  PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, "Heddle[%d]: %s\n", static_cast<int>(rank),
                                               op ? op->describe().c_str() : "no product yet"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode prepare_blocks(Mat A, TakeOver* take_over, Bring* up_to_date) {
  Mat diagonal = nullptr, off_diagonal = nullptr;
  const MatSettings* settings = nullptr;
  PetscObjectState state = 0;
  PetscFunctionBegin;
  PetscCall(settings_of(A, settings));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off_diagonal, nullptr));
  PetscCall(PetscObjectStateGet(as_object(A), &state));
  for (Mat block : {diagonal, off_diagonal}) {
    LocalOperator* op = nullptr;
    PetscBool taken = PETSC_FALSE;
    PetscCall(take_over(block, &taken));
    if (!taken) continue;
    const BlockRole role = block == diagonal ? BlockRole::diagonal : BlockRole::off_diagonal;
    PetscCall(LocalOperator::adopt(block, role, *settings, state));
    PetscCall(up_to_date(block, op));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view_blocks(Mat A, PetscViewer viewer) {
  Mat diagonal = nullptr, off_diagonal = nullptr;
  PetscMPIInt rank = 0;
  PetscBool facts = PETSC_FALSE, all_ranks = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(views_facts(viewer, &facts, &all_ranks));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm(as_object(A)), &rank));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off_diagonal, nullptr));
  PetscCall(PetscViewerASCIIPushSynchronized(viewer));
  if (all_ranks || rank == 0) {
    PetscCall(describe_block(diagonal, viewer, rank));
    PetscCall(describe_block(off_diagonal, viewer, rank));
  }
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerASCIIPopSynchronized(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode forget_settings(Mat A) {
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose(as_object(A), settings_key, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
