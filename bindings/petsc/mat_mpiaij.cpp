// mpiaijheddle: an MPIAIJ matrix whose two local blocks are seqaijheddle. PETSc's own products send and receive x while
// the diagonal block multiplies, then call the off-diagonal one.
#include "guarded.hpp"
#include "local_operator.hpp"
#include "mat_types.hpp"

namespace heddle::petsc {

namespace {

constexpr const char* settings_key = "heddle_settings";

AijOperations aij;

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

using Bring = PetscErrorCode(Mat, LocalOperator*&);

// Operators are built here and not during the product: an error then leaves no message on its way.
PetscErrorCode prepare_block(Mat block, BlockRole role, const MatSettings& settings, PetscObjectState parent,
                             Bring* up_to_date) {
  LocalOperator* op = nullptr;
  PetscFunctionBegin;
  PetscCall(convert_to_seqaijheddle(block, MATSEQAIJHEDDLE, MAT_INPLACE_MATRIX, &block));
  PetscCall(LocalOperator::adopt(block, role, settings, parent));
  PetscCall(up_to_date(block, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc makes the blocks anew now and then, so this is asked before each product.
PetscErrorCode prepare_blocks(Mat A, Bring* up_to_date) {
  Mat diagonal = nullptr, off_diagonal = nullptr;
  const MatSettings* settings = nullptr;
  PetscObjectState state = 0;
  PetscFunctionBegin;
  PetscCall(settings_of(A, settings));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off_diagonal, nullptr));
  PetscCall(PetscObjectStateGet(as_object(A), &state));
  PetscCall(prepare_block(diagonal, BlockRole::diagonal, *settings, state, up_to_date));
  PetscCall(prepare_block(off_diagonal, BlockRole::off_diagonal, *settings, state, up_to_date));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode mult(Mat A, Vec x, Vec y) {
  PetscFunctionBegin;
  PetscCall(prepare_blocks(A, LocalOperator::current));
  PetscCall(aij.mult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode mult_add(Mat A, Vec x, Vec y, Vec z) {
  PetscFunctionBegin;
  PetscCall(prepare_blocks(A, LocalOperator::current));
  PetscCall(aij.mult_add(A, x, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode mult_transpose(Mat A, Vec x, Vec y) {
  PetscFunctionBegin;
  PetscCall(prepare_blocks(A, LocalOperator::current_transposed));
  PetscCall(aij.mult_transpose(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode mult_transpose_add(Mat A, Vec x, Vec y, Vec z) {
  PetscFunctionBegin;
  PetscCall(prepare_blocks(A, LocalOperator::current_transposed));
  PetscCall(aij.mult_transpose_add(A, x, y, z));
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

PetscErrorCode view(Mat A, PetscViewer viewer) {
  PetscBool facts = PETSC_FALSE, all_ranks = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(aij.view(A, viewer));
  PetscCall(views_facts(viewer, &facts, &all_ranks));
  if (!facts) PetscFunctionReturn(PETSC_SUCCESS);
  Mat diagonal = nullptr, off_diagonal = nullptr;
  PetscMPIInt rank = 0;
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

constexpr AijOperations heddle{mult, mult_add, mult_transpose, mult_transpose_add, view};

PetscErrorCode convert_block_back(Mat block) {
  PetscBool ours = PETSC_FALSE;
  PetscFunctionBegin;
  if (!block) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompare(as_object(block), MATSEQAIJHEDDLE, &ours));
  if (ours) PetscCall(MatConvert(block, MATSEQAIJ, MAT_INPLACE_MATRIX, &block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode convert_to_mpiaij(Mat A, MatType, MatReuse reuse, Mat* made) {
  Mat B = *made, diagonal = nullptr, off_diagonal = nullptr;
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  PetscCall(MatMPIAIJGetSeqAIJ(B, &diagonal, &off_diagonal, nullptr));
  PetscCall(convert_block_back(diagonal));
  PetscCall(convert_block_back(off_diagonal));
  PetscCall(aij.write(B));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatConvert_mpiaijheddle_mpiaij_C", nullptr));
  PetscCall(PetscObjectCompose(as_object(B), settings_key, nullptr));
  PetscCall(PetscObjectChangeTypeName(as_object(B), MATMPIAIJ));
  *made = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc knows the product of an MPIAIJ and a dense matrix by these two names only.
PetscErrorCode set_parallel_dense_products(Mat C) {
  Mat A = nullptr, B = nullptr;
  PetscErrorCode (*known)(Mat) = nullptr;
  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, nullptr));
  PetscCall(PetscObjectQueryFunction(as_object(B), "MatProductSetFromOptions_mpiaij_mpidense_C", &known));
  if (known) PetscCall(known(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode convert_to_mpiaijheddle(Mat A, MatType, MatReuse reuse, Mat* made) {
  Mat B = *made;
  PetscBool ours = PETSC_FALSE;
  PetscFunctionBegin;
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  *made = B;
  PetscCall(PetscObjectTypeCompare(as_object(B), MATMPIAIJHEDDLE, &ours));
  if (ours) PetscFunctionReturn(PETSC_SUCCESS);
  if (!aij.mult) PetscCall(aij.read(B));
  PetscCall(heddle.write(B));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatConvert_mpiaijheddle_mpiaij_C", convert_to_mpiaij));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatConvert_mpiaij_mpiaijheddle_C", convert_to_mpiaijheddle));
  PetscCall(share_functions(B, MATMPIAIJ, MATMPIAIJHEDDLE));
  PetscCall(PetscObjectComposeFunction(as_object(B), "MatProductSetFromOptions_mpiaijheddle_mpidense_C",
                                       set_parallel_dense_products));
  PetscCall(PetscObjectChangeTypeName(as_object(B), MATMPIAIJHEDDLE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode create_mpiaijheddle(Mat A) {
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATMPIAIJ));
  PetscCall(convert_to_mpiaijheddle(A, MATMPIAIJHEDDLE, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
