// KSP heddle: the whole solve by Heddle, on one process; under block Jacobi and additive Schwarz on several.
#include <petsc/private/kspimpl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "guarded.hpp"
#include "local_operator.hpp"
#include "log_events.hpp"
#include "petsc_operators.hpp"
#include "solver_types.hpp"
#include "vector_arrays.hpp"

namespace heddle::petsc {

namespace {

using V = PetscScalar;

struct State {
  std::string method = "auto", device_text = "auto";
  PetscInt restart = 30, check_every = 0;
  PetscBool flexible = PETSC_FALSE, monitor_solution = PETSC_FALSE;

  // What `auto` stood for, which costs an analysis of the matrix, and for which matrix.
  std::string automatic;
  PetscObjectId matrix_id = -1;
  PetscObjectState matrix_state = -1;

  const std::string& known_method() const { return method == "auto" && !automatic.empty() ? automatic : method; }

  bool running = false;
  Vec iterate = nullptr;  // for monitors that ask for the solution
  std::string last_report;
};

State& state_of(KSP ksp) { return *static_cast<State*>(ksp->data); }

PetscErrorCode check_supported(KSP ksp) {
  const MPI_Comm comm = PetscObjectComm(as_object(ksp));
  PetscMPIInt processes = 1;
  PetscBool scaled = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &processes));
  PetscCheck(
      processes == 1, comm, PETSC_ERR_SUP,
      "-ksp_type heddle is for one process; on several use -pc_type bjacobi or asm with -sub_ksp_type heddle, or "
      "a KSP of PETSc with -mat_type aijheddle");
  PetscCall(asks_for_diagonal_scaling(ksp->pc, scaled));
  PetscCheck(!scaled, comm, PETSC_ERR_SUP, "-ksp_type heddle does not scale diagonally");
  PetscCheck(!ksp->transpose_solve, comm, PETSC_ERR_SUP, "-ksp_type heddle does not solve transposed systems");
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Whether `automatic` is of this matrix as it is now; if not, it is of it from now on: what the program has promised
// (MAT_SPD), or empty.
PetscErrorCode look_at_matrix(State& state, Mat A) {
  PetscObjectId id = 0;
  PetscObjectState now = 0;
  PetscBool known = PETSC_FALSE, definite = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectGetId(as_object(A), &id));
  PetscCall(PetscObjectStateGet(as_object(A), &now));
  if (id == state.matrix_id && now == state.matrix_state) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatIsSPDKnown(A, &known, &definite));
  state.automatic = known && definite ? "cg" : "";
  state.matrix_id = id;
  state.matrix_state = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool own_convergence_test(KSP ksp) {
  return ksp->converged != KSPConvergedDefault && ksp->converged != KSPConvergedSkip;
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
    case Status::stopped:  // by ourselves, who know why
    case Status::breakdown:
    case Status::stagnated: break;
  }
  return ksp->normtype == KSP_NORM_NONE ? KSP_CONVERGED_ITS : KSP_DIVERGED_BREAKDOWN;
}

// What is solved with: an operator of Heddle, or products by PETSc.
struct System {
  PetscInt size = 0;
  Device device;
  const Csr<V>* matrix = nullptr;  // for `auto`
  std::function<Report(std::span<const V> b, std::span<V> x, const SolveOptions<V>& options)> solve;
};

// The KSP's wishes as options of a solve.
class Solve {
 public:
  Solve(KSP ksp, const System& system) : ksp_(ksp), state_(state_of(ksp)), system_(system) {
    options_.method = state_.known_method();
    options_.restart = static_cast<int>(state_.restart);
    options_.matrix = system.matrix;
    options_.max_iterations = ksp->max_it;
    const bool sees_each = ksp->numbermonitors > 0 || own_convergence_test(ksp);
    options_.check_every = sees_each ? 1 : static_cast<int>(state_.check_every);
    if (ksp->normtype == KSP_NORM_NONE || ksp->converged != KSPConvergedDefault) {
      options_.tolerance = options_.absolute_tolerance = 0;
    } else {
      options_.tolerance = ksp->rtol;
      options_.absolute_tolerance = ksp->abstol;
    }
    if (state_.monitor_solution)
      options_.iterate = [this](const SolveProgress& at, std::span<const V> x) { look_with(at, x); };
    else
      options_.progress = [this](const SolveProgress& at) { look(at); };
    options_.keep_going = [this](const SolveProgress&) { return stop_ == KSP_CONVERGED_ITERATING; };
    precondition();
  }

  void tolerate(double absolute) {
    options_.tolerance = 0;
    options_.absolute_tolerance = absolute;
  }

  void run(const VectorArrays& on, PetscReal b_norm, PetscReal r_norm) {
    const Logged log(log_events().solve);
    const auto size = static_cast<std::size_t>(system_.size);
    options_.stream = on.stream;
    b_norm_ = b_norm;
    see(0, r_norm);
    if (stop_ != KSP_CONVERGED_ITERATING) {
      ksp_->reason = stop_;
      return;
    }
    finish(system_.solve({on.x, size}, {on.y, size}, options_));
  }

 private:
  void precondition() {
    PCType type = nullptr;
    must(PCGetType(ksp_->pc, &type));
    if (type && std::string(type) == PCNONE) return;
    DevicePreconditioner ours;
    must(preconditioner_of(ksp_->pc, ours));
    if (ours.made && ours.device == system_.device)
      options_.own_preconditioner = ours.made;
    else
      options_.own_preconditioner =
          std::make_shared<PetscPreconditioner>(ksp_->pc, system_.size, system_.device, state_.flexible == PETSC_TRUE);
  }

  // Monitors and tests of the program get each iteration.
  void see(PetscInt iteration, PetscReal norm) {
    ksp_->its = iteration;
    ksp_->rnorm = norm;
    if (ksp_->numbermonitors > 0) {
      must(KSPLogResidualHistory(ksp_, norm));
      must(KSPMonitor(ksp_, iteration, norm));
    }
    if (own_convergence_test(ksp_)) must((*ksp_->converged)(ksp_, iteration, norm, &stop_, ksp_->cnvP));
  }

  void look(const SolveProgress& at) {
    const PetscReal norm = static_cast<PetscReal>(at.residual) * b_norm_;
    see(static_cast<PetscInt>(at.iteration), norm);
    const bool judged = ksp_->normtype != KSP_NORM_NONE && ksp_->converged == KSPConvergedDefault;
    if (judged && norm >= ksp_->divtol * b_norm_) stop_ = KSP_DIVERGED_DTOL;
  }

  void look_with(const SolveProgress& at, std::span<const V> x) {
    V* place = nullptr;
    must(VecGetArrayWrite(state_.iterate, &place));
    std::copy(x.begin(), x.end(), place);
    must(VecRestoreArrayWrite(state_.iterate, &place));
    look(at);
  }

  void finish(const Report& report) {
    if (ksp_->numbermonitors == 0)
      for (const double residual : report.history)
        must(KSPLogResidualHistory(ksp_, static_cast<PetscReal>(residual) * b_norm_));
    ksp_->its = static_cast<PetscInt>(report.iterations);
    ksp_->rnorm = static_cast<PetscReal>(report.true_residual) * b_norm_;
    ksp_->reason = report.status == Status::stopped ? stop_ : reason_for(ksp_, report);
    if (state_.method == "auto") state_.automatic = report.minres_from >= 0 ? "minres" : report.method;
    state_.last_report = to_string(report);
    if (!state_.last_report.empty() && state_.last_report.back() == '\n') state_.last_report.pop_back();
  }

  KSP ksp_;
  State& state_;
  const System& system_;
  SolveOptions<V> options_;
  PetscReal b_norm_ = 0;
  KSPConvergedReason stop_ = KSP_CONVERGED_ITERATING;  // why the solve ends before Heddle's own verdict
};

bool relative_to_first_residual(KSP ksp) {
  return ksp->converged == KSPConvergedDefault && static_cast<KSPConvergedDefaultCtx*>(ksp->cnvP)->initialrtol;
}

PetscErrorCode solve_system(KSP ksp, Mat A, const System& system) {
  State& state = state_of(ksp);
  PetscReal b_norm = 0, r_norm = 0;
  VectorArrays on;
  PetscFunctionBegin;
  PetscCall(VecNorm(ksp->vec_rhs, NORM_2, &b_norm));
  r_norm = b_norm;
  const bool from_first = relative_to_first_residual(ksp) && !ksp->guess_zero;
  if (ksp->numbermonitors > 0 || own_convergence_test(ksp) || from_first)
    PetscCall(first_residual(ksp, A, b_norm, r_norm));
  if (state.monitor_solution) {
    if (!state.iterate) PetscCall(VecDuplicate(ksp->vec_sol, &state.iterate));
    PetscCall(VecCopy(ksp->vec_sol, state.iterate));
  }
  PetscCall(hold_vectors(ksp->vec_rhs, ksp->vec_sol, Access::read_and_write, system.device, on));
  state.running = true;
  const PetscErrorCode code = guarded(PetscObjectComm(as_object(ksp)), [&] {
    Solve solve(ksp, system);
    if (from_first) solve.tolerate(std::max(ksp->rtol * r_norm, ksp->abstol));
    solve.run(on, b_norm, r_norm);
  });
  state.running = false;
  PetscCall(release_vectors(ksp->vec_rhs, ksp->vec_sol, Access::read_and_write, on));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// `auto` looks at the matrix, once.
PetscErrorCode solve_unknown(KSP ksp, Mat A, System& system) {
  AijArrays arrays;
  Csr<V> csr;
  PetscFunctionBegin;
  PetscCall(hold_arrays(A, arrays));
  PetscErrorCode code = guarded(PetscObjectComm(as_object(ksp)), [&] { csr = borrow_csr(arrays); });
  system.matrix = &csr;
  if (code == PETSC_SUCCESS) code = solve_system(ksp, A, system);
  PetscCall(release_arrays(A, arrays));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode solve_stored(KSP ksp, Mat A) {
  const MPI_Comm comm = PetscObjectComm(as_object(ksp));
  LocalOperator* op = nullptr;
  System system;
  PetscFunctionBegin;
  PetscCall(guarded(comm, [&] { system.device = device_of_rank(state_of(ksp).device_text); }));
  PetscCall(LocalOperator::current_on(A, system.device, op));
  PetscCheck(op->usable(), comm, PETSC_ERR_SUP, "Heddle cannot take this matrix: %s", op->describe().c_str());
  PetscCall(MatGetLocalSize(A, &system.size, nullptr));
  system.solve = [op](auto b, auto x, const SolveOptions<V>& options) { return solve<V>(op->held(), b, x, options); };
  PetscCall(state_of(ksp).known_method() == "auto" ? solve_unknown(ksp, A, system) : solve_system(ksp, A, system));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A matrix that is no AIJ is known by its products.
PetscErrorCode solve_matrix_free(KSP ksp, Mat A) {
  MatrixFree<V> product;
  PetscFunctionBegin;
  PetscCall(matrix_free(A, product));
  const System system{.size = static_cast<PetscInt>(product.size),
                      .solve = [&](auto b, auto x, const auto& options) { return solve<V>(product, b, x, options); }};
  PetscCall(solve_system(ksp, A, system));
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
  PetscBool aij = PETSC_FALSE;
  PCFailedReason failed = PC_NOERROR;
  PetscFunctionBegin;
  PetscCall(check_supported(ksp));
  PetscCall(PCGetFailedReason(ksp->pc, &failed));
  if (failed != PC_NOERROR) {
    ksp->reason = KSP_DIVERGED_PC_FAILED;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PCGetOperators(ksp->pc, &A, nullptr));
  PetscCall(look_at_matrix(state_of(ksp), A));
  PetscCall(PetscObjectBaseTypeCompare(as_object(A), MATSEQAIJ, &aij));
  PetscCall(aij ? solve_stored(ksp, A) : solve_matrix_free(ksp, A));
  PetscCall(remove_null_space(ksp, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_up(KSP) {
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// During a solve x may lie on a device, or as a combination of gmres: it is copied where that was asked for.
PetscErrorCode build_solution(KSP ksp, Vec given, Vec* x) {
  const State& state = state_of(ksp);
  PetscFunctionBegin;
  if (!state.running) {
    PetscCall(KSPBuildSolutionDefault(ksp, given, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(state.monitor_solution, PetscObjectComm(as_object(ksp)), PETSC_ERR_SUP,
             "-ksp_type heddle gives monitors the solution with -ksp_heddle_monitor_solution only");
  if (given) PetscCall(VecCopy(state.iterate, given));
  *x = given ? given : state.iterate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// As programs set it for PETSc's gmres.
PetscErrorCode set_restart(KSP ksp, PetscInt restart) {
  PetscFunctionBegin;
  PetscCheck(restart >= 1, PetscObjectComm(as_object(ksp)), PETSC_ERR_ARG_OUTOFRANGE, "a restart must be positive");
  state_of(ksp).restart = restart;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode get_restart(KSP ksp, PetscInt* restart) {
  PetscFunctionBegin;
  *restart = state_of(ksp).restart;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode compose_restart(KSP ksp, decltype(set_restart)* set, decltype(get_restart)* get) {
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction(as_object(ksp), "KSPGMRESSetRestart_C", set));
  PetscCall(PetscObjectComposeFunction(as_object(ksp), "KSPGMRESGetRestart_C", get));
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
  PetscCall(PetscOptionsBool("-ksp_heddle_monitor_solution", "monitors may ask for the solution", nullptr,
                             state.monitor_solution, &state.monitor_solution, nullptr));
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

PetscErrorCode reset(KSP ksp) {
  State& state = state_of(ksp);
  PetscFunctionBegin;
  PetscCall(VecDestroy(&state.iterate));
  state.automatic.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode destroy(KSP ksp) {
  PetscFunctionBegin;
  PetscCall(reset(ksp));
  PetscCall(compose_restart(ksp, nullptr, nullptr));
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
  ksp->ops->reset = reset;
  ksp->ops->destroy = destroy;
  ksp->ops->buildsolution = build_solution;
  ksp->ops->buildresidual = KSPBuildResidualDefault;
  ksp->ops->setfromoptions = set_from_options;
  ksp->ops->view = view;
  PetscCall(compose_restart(ksp, set_restart, get_restart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
