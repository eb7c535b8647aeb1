// KSP heddle: the whole solve by Heddle, on one process; under block Jacobi and additive Schwarz on several.
#include <petsc/private/kspimpl.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "guarded.hpp"
#include "ksp_preconditioner.hpp"
#include "local_operator.hpp"
#include "log_events.hpp"
#include "solver_types.hpp"
#include "vector_arrays.hpp"

namespace heddle::petsc {

namespace {

using V = PetscScalar;

struct State {
  std::string method = "auto", device_text = "auto";
  PetscInt restart = 30, check_every = 0;
  PetscBool flexible = PETSC_FALSE;

  // What `auto` stood for, and for which matrix.
  std::string automatic;
  PetscObjectId matrix_id = -1;
  PetscObjectState matrix_state = -1;

  bool running = false;
  std::string last_report;
};

State& state_of(KSP ksp) { return *static_cast<State*>(ksp->data); }

PetscErrorCode check_supported(KSP ksp, Mat A) {
  const MPI_Comm comm = PetscObjectComm(as_object(ksp));
  PetscBool aij = PETSC_FALSE, scaled = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare(as_object(A), MATSEQAIJ, &aij));
  PetscCheck(aij, comm, PETSC_ERR_SUP,
             "-ksp_type heddle is for a matrix of type aij on one process; on several use -pc_type bjacobi or asm with "
             "-sub_ksp_type heddle, or a KSP of PETSc with -mat_type aijheddle");
  PetscCall(asks_for_diagonal_scaling(ksp->pc, scaled));
  PetscCheck(!scaled, comm, PETSC_ERR_SUP, "-ksp_type heddle does not scale diagonally");
  PetscCheck(!ksp->transpose_solve, comm, PETSC_ERR_SUP, "-ksp_type heddle does not solve transposed systems");
  PetscCheck(ksp->converged == KSPConvergedDefault || ksp->converged == KSPConvergedSkip, comm, PETSC_ERR_SUP,
             "-ksp_type heddle stops by rtol, atol, divtol and max_it, not by a convergence test of the program");
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The method `auto` stands for costs an analysis of the matrix: once for each.
PetscErrorCode automatic_method(KSP ksp, Mat A, const Csr<V>& csr) {
  State& state = state_of(ksp);
  PetscObjectId id = 0;
  PetscObjectState now = 0;
  PetscFunctionBegin;
  PetscCall(PetscObjectGetId(as_object(A), &id));
  PetscCall(PetscObjectStateGet(as_object(A), &now));
  if (!state.automatic.empty() && id == state.matrix_id && now == state.matrix_state)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(guarded(PetscObjectComm(as_object(ksp)), [&] { state.automatic = method_for(csr); }));
  state.matrix_id = id;
  state.matrix_state = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode first_residual(KSP ksp, Mat A, PetscReal b_norm, PetscReal& norm) {
  Vec r = nullptr;
  PetscFunctionBegin;
  norm = b_norm;
  if (ksp->guess_zero) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(ksp->vec_rhs, &r));
  PetscCall(MatMult(A, ksp->vec_sol, r));
  PetscCall(VecAYPX(r, -1.0, ksp->vec_rhs));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

KSPConvergedReason reason_for(KSP ksp, const Report& report) {
  switch (report.status) {
    case Status::not_finite: return KSP_DIVERGED_NANORINF;
    case Status::indefinite: return KSP_DIVERGED_INDEFINITE_MAT;
    case Status::converged: {
      const double residual = report.true_residual * report.rhs_norm;
      return ksp->normtype == KSP_NORM_NONE ? KSP_CONVERGED_ITS
             : residual <= ksp->abstol      ? KSP_CONVERGED_ATOL
                                            : KSP_CONVERGED_RTOL;
    }
    case Status::max_iterations: return ksp->normtype == KSP_NORM_NONE ? KSP_CONVERGED_ITS : KSP_DIVERGED_ITS;
    case Status::stopped: return KSP_DIVERGED_DTOL;
    case Status::breakdown:
    case Status::stagnated: break;
  }
  return ksp->normtype == KSP_NORM_NONE ? KSP_CONVERGED_ITS : KSP_DIVERGED_BREAKDOWN;
}

// The KSP's wishes as options of a solve.
class Solve {
 public:
  Solve(KSP ksp, const Operator<V>& A, const Csr<V>& csr) : ksp_(ksp), state_(state_of(ksp)), A_(A) {
    options_.method = state_.method == "auto" ? state_.automatic : state_.method;
    options_.restart = static_cast<int>(state_.restart);
    options_.check_every = ksp->numbermonitors > 0 ? 1 : static_cast<int>(state_.check_every);
    options_.max_iterations = ksp->max_it;
    options_.matrix = &csr;
    const bool fixed = ksp->normtype == KSP_NORM_NONE || ksp->converged == KSPConvergedSkip;
    options_.tolerance = fixed ? 0 : ksp->rtol;
    options_.absolute_tolerance = fixed ? 0 : ksp->abstol;
    options_.progress = [this](const SolveProgress& progress) { look(progress); };
    options_.keep_going = [this](const SolveProgress&) { return !diverged_; };
    precondition();
  }

  void tolerate(double absolute) {
    options_.tolerance = 0;
    options_.absolute_tolerance = absolute;
  }

  void run(std::span<const V> b, std::span<V> x, Stream stream, PetscReal b_norm, PetscReal r_norm) {
    const Logged log(log_events().solve);
    options_.stream = stream;
    b_norm_ = b_norm;
    monitor(0, r_norm);
    finish(solve<V>(A_, b, x, options_));
    if (diverged_) state_.last_report = "diverged: the residual grew beyond -ksp_divtol";
  }

 private:
  void precondition() {
    PCType type = nullptr;
    must(PCGetType(ksp_->pc, &type));
    if (type && std::string(type) == PCNONE) return;
    DevicePreconditioner ours;
    must(preconditioner_of(ksp_->pc, ours));
    if (ours.made && ours.device == A_.device())
      options_.own_preconditioner = ours.made;
    else
      options_.own_preconditioner = std::make_shared<PetscPreconditioner>(ksp_->pc, static_cast<PetscInt>(A_.rows()),
                                                                          A_.device(), state_.flexible == PETSC_TRUE);
  }

  void monitor(PetscInt iteration, PetscReal norm) {
    ksp_->its = iteration;
    ksp_->rnorm = norm;
    if (ksp_->numbermonitors == 0) return;
    must(KSPLogResidualHistory(ksp_, norm));
    must(KSPMonitor(ksp_, iteration, norm));
  }

  void look(const SolveProgress& progress) {
    const PetscReal norm = static_cast<PetscReal>(progress.residual) * b_norm_;
    monitor(static_cast<PetscInt>(progress.iteration), norm);
    if (ksp_->normtype != KSP_NORM_NONE && norm >= ksp_->divtol * b_norm_) diverged_ = true;
  }

  void finish(const Report& report) {
    if (ksp_->numbermonitors == 0)
      for (const double residual : report.history)
        must(KSPLogResidualHistory(ksp_, static_cast<PetscReal>(residual) * b_norm_));
    ksp_->its = static_cast<PetscInt>(report.iterations);
    ksp_->rnorm = static_cast<PetscReal>(report.true_residual) * b_norm_;
    ksp_->reason = reason_for(ksp_, report);
    state_.last_report = to_string(report);
    if (!state_.last_report.empty() && state_.last_report.back() == '\n') state_.last_report.pop_back();
  }

  KSP ksp_;
  State& state_;
  const Operator<V>& A_;
  SolveOptions<V> options_;
  PetscReal b_norm_ = 0;
  bool diverged_ = false;
};

bool relative_to_first_residual(KSP ksp) {
  return ksp->converged == KSPConvergedDefault && static_cast<KSPConvergedDefaultCtx*>(ksp->cnvP)->initialrtol;
}

PetscErrorCode solve_with(KSP ksp, Mat A, const LocalOperator& op, const Csr<V>& csr) {
  State& state = state_of(ksp);
  const MPI_Comm comm = PetscObjectComm(as_object(ksp));
  PetscReal b_norm = 0, r_norm = 0;
  VectorArrays on;
  PetscFunctionBegin;
  if (state.method == "auto") PetscCall(automatic_method(ksp, A, csr));
  PetscCall(VecNorm(ksp->vec_rhs, NORM_2, &b_norm));
  r_norm = b_norm;
  const bool from_first = relative_to_first_residual(ksp) && !ksp->guess_zero;
  if (ksp->numbermonitors > 0 || from_first) PetscCall(first_residual(ksp, A, b_norm, r_norm));
  PetscCall(hold_vectors(ksp->vec_rhs, ksp->vec_sol, Access::read_and_write, op.device(), on));
  const auto size = static_cast<std::size_t>(csr.rows);
  state.running = true;
  const PetscErrorCode code = guarded(comm, [&] {
    Solve solve(ksp, op.held(), csr);
    if (from_first) solve.tolerate(std::max(ksp->rtol * r_norm, ksp->abstol));
    solve.run({on.x, size}, {on.y, size}, on.stream, b_norm, r_norm);
  });
  state.running = false;
  PetscCall(release_vectors(ksp->vec_rhs, ksp->vec_sol, Access::read_and_write, on));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode remove_null_space(KSP ksp, Mat A) {
  MatNullSpace space = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetNullSpace(A, &space));
  if (space) PetscCall(MatNullSpaceRemove(space, ksp->vec_sol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve_ksp(KSP ksp) {
  Mat A = nullptr;
  LocalOperator* op = nullptr;
  AijArrays arrays;
  Device device;
  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(check_supported(ksp, A));
  PCFailedReason failed = PC_NOERROR;
  PetscCall(PCGetFailedReason(ksp->pc, &failed));
  if (failed != PC_NOERROR) {
    ksp->reason = KSP_DIVERGED_PC_FAILED;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(guarded(PetscObjectComm(as_object(ksp)), [&] { device = device_of_rank(state_of(ksp).device_text); }));
  PetscCall(LocalOperator::current_on(A, device, op));
  PetscCheck(op->usable(), PetscObjectComm(as_object(ksp)), PETSC_ERR_SUP, "Heddle cannot take this matrix: %s",
             op->describe().c_str());
  PetscCall(hold_arrays(A, arrays));
  const PetscErrorCode code = solve_with(ksp, A, *op, borrow_csr(arrays));
  PetscCall(release_arrays(A, arrays));
  PetscCall(code);
  PetscCall(remove_null_space(ksp, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_up(KSP) {
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Monitors that want x or the residual vector during a solve cannot have them: x may lie on a device.
PetscErrorCode build_solution(KSP ksp, Vec given, Vec* x) {
  PetscFunctionBegin;
  PetscCheck(!state_of(ksp).running, PetscObjectComm(as_object(ksp)), PETSC_ERR_SUP,
             "-ksp_type heddle gives monitors the norm of the residual, not the solution");
  PetscCall(KSPBuildSolutionDefault(ksp, given, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_from_options(KSP ksp, OptionItems PetscOptionsObject) {
  State& state = state_of(ksp);
  std::array<char, 64> method{}, device{};
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Heddle's methods");
  PetscCall(PetscOptionsString("-ksp_heddle_method", "cg, minres, bicgstab, gmres or auto", nullptr,
                               state.method.c_str(), method.data(), method.size(), nullptr));
  PetscCall(PetscOptionsString("-ksp_heddle_device", "cpu, gpu, gpu:1, emulator or auto", nullptr,
                               state.device_text.c_str(), device.data(), device.size(), nullptr));
  PetscCall(PetscOptionsInt("-ksp_heddle_restart", "gmres: vectors kept", "KSPGMRESSetRestart", state.restart,
                            &state.restart, nullptr));
  PetscCall(PetscOptionsInt("-ksp_heddle_check_every", "iterations between two looks at the residual; 0: by device",
                            nullptr, state.check_every, &state.check_every, nullptr));
  PetscCall(PetscOptionsBool("-ksp_heddle_flexible", "the preconditioner varies (gmres)", nullptr, state.flexible,
                             &state.flexible, nullptr));
  PetscOptionsHeadEnd();
  if (method[0]) state.method = method.data();
  if (device[0]) state.device_text = device.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view(KSP ksp, PetscViewer viewer) {
  const State& state = state_of(ksp);
  PetscBool text = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(as_object(viewer), PETSCVIEWERASCII, &text));
  if (!text) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "  Heddle: method %s, device %s\n", state.method.c_str(),
                                   state.device_text.c_str()));
  if (!state.last_report.empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  last solve: %s\n", state.last_report.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode destroy(KSP ksp) {
  PetscFunctionBegin;
  delete &state_of(ksp);
  ksp->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode create_ksp(KSP ksp) {
  PetscFunctionBegin;
  ksp->data = new State;
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_RIGHT, 4));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_RIGHT, 2));
  PetscCall(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
  ksp->ops->setup = set_up;
  ksp->ops->solve = solve_ksp;
  ksp->ops->destroy = destroy;
  ksp->ops->buildsolution = build_solution;
  ksp->ops->buildresidual = KSPBuildResidualDefault;
  ksp->ops->setfromoptions = set_from_options;
  ksp->ops->view = view;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
