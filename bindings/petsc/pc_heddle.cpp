// PC heddle: Heddle's preconditioners of a matrix on one process; under block Jacobi and additive Schwarz on several.
#include <petsc/private/pcimpl.h>

#include <array>
#include <heddle/error.hpp>
#include <optional>
#include <tuple>
#include <vector>

#include "guarded.hpp"
#include "local_operator.hpp"
#include "log_events.hpp"
#include "solver_types.hpp"
#include "vector_arrays.hpp"

namespace heddle::petsc {

namespace {

using V = PetscScalar;

struct State {
  std::string kind = "amg", device_text = "auto";
  PreconditionerOptions options;
  std::vector<double> rigid_bodies;  // of the coordinates that the program has set

  Device device;
  std::string chosen, reason;         // what `auto` stands for, and why
  std::optional<Operator<V>> matrix;  // of those that multiply with it
  std::shared_ptr<Preconditioner<V>> made;
  Buffer<V> r, z;  // on a device with memory of its own
  std::string failure;
  bool asked_anew = true;  // other options since the last set-up

  void clear() {
    made.reset();
    matrix.reset();
    r = z = {};
    for (std::string* text : {&chosen, &reason, &failure}) text->clear();
  }
};

// What the options decide.
auto wishes(const State& state) {
  const PreconditionerOptions& o = state.options;
  return std::tuple(state.kind, state.device_text, o.block, o.degree, o.power, o.positive, o.strength, o.smoothing,
                    o.coarsest, o.double_cycle, o.host_setup);
}

State& state_of(PC pc) { return *static_cast<State*>(pc->data); }

PetscErrorCode check_matrix(PC pc) {
  PetscBool aij = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare(as_object(pc->pmat), MATSEQAIJ, &aij));
  PetscCheck(aij, PetscObjectComm(as_object(pc)), PETSC_ERR_SUP,
             "-pc_type heddle is for a matrix of type aij on one process; on several use -pc_type bjacobi or asm with "
             "-sub_pc_type heddle");
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A cycle of amg in float has an operator of its own.
bool multiplies_with_matrix(const State& state) {
  if (state.chosen == "amg") return state.made->name().find("cycle in float") == std::string::npos;
  return state.chosen == "chebyshev";
}

Operator<V> planned(const Csr<V>& A, Device device, const MatSettings& settings) {
  const Logged log(log_events().build);
  if (!settings.plan.empty()) return build(A, Plan::parse(settings.plan), {.device = device});
  ChooseOptions choosing = settings.choose;
  choosing.device = device;
  return build(A, choose(A, choosing).plan, {.device = device});
}

// New values on the old pattern. False where that would not be what a new set-up gives.
bool update(State& state, const AijArrays& arrays) {
  if (!state.made || !state.options.updates || state.asked_anew) return false;
  const Logged log(log_events().preconditioner_update);
  const std::span<const V> values{arrays.val, static_cast<std::size_t>(arrays.nnz)};
  try {
    if (state.matrix) state.matrix->update_values(values);
    return state.made->update_values(values) == 0;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unavailable) throw;
    return false;
  }
}

// As `auto` of Heddle's own solves: jacobi where the set-up of amg fails.
void make_chosen(State& state, const Operator<V>& op, const Csr<V>& A, const PreconditionerOptions& options) {
  try {
    state.made = make_preconditioner(state.chosen, op, A, options);
  } catch (const Error& error) {
    if (state.kind != "auto" || state.chosen != "amg" || error.kind() != ErrorKind::input) throw;
    state.chosen = "jacobi";
    state.reason = std::string("amg cannot be set up: ") + error.what();
    state.made = make_preconditioner(state.chosen, op, A, options);
  }
}

void set_up_with(State& state, const AijArrays& arrays, const MatSettings& settings) {
  const Logged log(log_events().preconditioner_setup);
  const Csr<V> A = borrow_csr(arrays);
  PreconditionerOptions options = state.options;
  state.device = device_of_rank(state.device_text);
  state.chosen = state.kind;
  if (state.kind == "auto") {
    const std::string method = method_for(A);
    const PreconditionerChoice choice = preconditioner_for(A, method, state.device);
    state.chosen = choice.name;
    state.reason = choice.reason;
    options.positive = options.positive || method == "minres";
  }
  // csr costs next to nothing: on the host it uses the arrays of A where they lie.
  const Operator<V> meanwhile = build(borrow_csr(arrays), Plan{}, {.device = state.device});
  make_chosen(state, meanwhile, A, options);
  if (state.made && multiplies_with_matrix(state)) {
    state.matrix = planned(A, state.device, settings);
    state.made->use(*state.matrix);
  }
  state.asked_anew = false;
  if (!state.device.host_memory()) {
    state.r = Buffer<V>(A.rows, state.device);
    state.z = Buffer<V>(A.rows, state.device);
  }
}

// For amg: what MatSetNearNullSpace says, rigid bodies for one.
PetscErrorCode read_near_null_space(Mat A, std::vector<double>& vectors) {
  MatNullSpace space = nullptr;
  PetscBool constants = PETSC_FALSE;
  PetscInt count = 0, n = 0;
  const Vec* basis = nullptr;
  PetscFunctionBegin;
  vectors.clear();
  PetscCall(MatGetNearNullSpace(A, &space));
  if (!space) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatNullSpaceGetVecs(space, &constants, &count, &basis));
  if (count == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetLocalSize(A, &n, nullptr));
  if (constants) vectors.assign(static_cast<std::size_t>(n), 1.0);
  for (PetscInt i = 0; i < count; ++i) {
    const PetscScalar* numbers = nullptr;
    PetscCall(VecGetArrayRead(basis[i], &numbers));
    vectors.insert(vectors.end(), numbers, numbers + n);
    PetscCall(VecRestoreArrayRead(basis[i], &numbers));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_up(PC pc) {
  State& state = state_of(pc);
  MatSettings settings;
  AijArrays arrays;
  std::vector<double> near_nullspace;
  PetscFunctionBegin;
  PetscCall(check_matrix(pc));
  PetscCall(read_settings(pc->pmat, settings));
  PetscCall(read_near_null_space(pc->pmat, near_nullspace));
  if (near_nullspace.empty()) near_nullspace = state.rigid_bodies;
  // A second set-up on the same pattern: there may be a third, for which amg keeps its aggregates.
  const bool same_pattern = pc->setupcalled && pc->flag == SAME_NONZERO_PATTERN;
  if (!same_pattern || near_nullspace != state.options.near_nullspace) state.clear();
  state.options.near_nullspace = near_nullspace;
  PetscCall(hold_arrays(pc->pmat, arrays));
  const PetscErrorCode code = guarded(PetscObjectComm(as_object(pc)), [&] {
    try {
      if (same_pattern && update(state, arrays)) return;
      state.clear();
      state.options.updates = same_pattern;
      set_up_with(state, arrays, settings);
    } catch (const Error& error) {
      if (pc->erroriffailure || error.kind() != ErrorKind::input) throw;
      state.clear();
      state.failure = error.what();
      pc->failedreason = PC_SETUP_ERROR;
    }
  });
  PetscCall(release_arrays(pc->pmat, arrays));
  PetscCall(code);
  if (!state.failure.empty()) PetscCall(PetscInfo(pc, "%s\n", state.failure.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void apply_to(State& state, const VectorArrays& on, std::size_t n) {
  const Logged log(log_events().precondition);
  const std::span<const V> r{on.x, n};
  const std::span<V> z{on.y, n};
  if (state.device.host_memory() || on.on_device) return state.made->apply(r, z, on.stream);
  memory::copy(state.r.data(), state.device, r.data(), Device::cpu(), r.size_bytes());
  state.made->apply(state.r, state.z, {});
  memory::copy(z.data(), Device::cpu(), state.z.data(), state.device, z.size_bytes());
}

PetscErrorCode apply(PC pc, Vec r, Vec z) {
  State& state = state_of(pc);
  VectorArrays arrays;
  PetscInt n = 0;
  PetscFunctionBegin;
  if (!state.made) {
    PetscCall(VecCopy(r, z));
    // As PETSc's factorisations say that they failed: methods then ask for the reason.
    if (!state.failure.empty()) PetscCall(VecSet(z, static_cast<PetscScalar>(PETSC_INFINITY)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetLocalSize(r, &n));
  PetscCall(hold_vectors(r, z, Access::write, state.device, arrays));
  const PetscErrorCode code =
      guarded(PetscObjectComm(as_object(pc)), [&] { apply_to(state, arrays, static_cast<std::size_t>(n)); });
  PetscCall(release_vectors(r, z, Access::write, arrays));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode apply_transposed(PC pc, Vec r, Vec z) {
  const State& state = state_of(pc);
  PetscFunctionBegin;
  PetscCheck(!state.made || state.made->symmetric(), PetscObjectComm(as_object(pc)), PETSC_ERR_SUP,
             "%s of Heddle has no transpose", state.kind.c_str());
  PetscCall(apply(pc, r, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// For amg: PETSc says of each node where it lies. Nodes of one unknown have constants as their near null space.
PetscErrorCode set_coordinates(PC pc, PetscInt dimension, PetscInt nodes, PetscReal* coordinates) {
  State& state = state_of(pc);
  PetscInt rows = 0;
  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(pc->pmat, &rows, nullptr));
  state.rigid_bodies.clear();
  if ((dimension != 2 && dimension != 3) || nodes * dimension != rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(guarded(PetscObjectComm(as_object(pc)), [&] {
    const std::vector<double> at(coordinates, coordinates + rows);
    state.rigid_bodies = rigid_body_modes(at, static_cast<int>(dimension));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode set_from_options(PC pc, OptionItems PetscOptionsObject) {
  State& state = state_of(pc);
  PreconditionerOptions& options = state.options;
  const auto before = wishes(state);
  std::array<char, 64> kind{}, device{};
  PetscInt block = options.block, degree = options.degree, power = options.power, smoothing = options.smoothing,
           coarsest = options.coarsest;
  PetscReal strength = options.strength;
  PetscBool positive = options.positive ? PETSC_TRUE : PETSC_FALSE,
            double_cycle = options.double_cycle ? PETSC_TRUE : PETSC_FALSE,
            host_setup = options.host_setup ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Heddle's preconditioners");
  PetscCall(PetscOptionsString("-pc_heddle_type", "jacobi, block_jacobi, chebyshev, fsai, spai, amg, auto or none",
                               nullptr, state.kind.c_str(), kind.data(), kind.size(), nullptr));
  PetscCall(PetscOptionsString("-pc_heddle_device", "cpu, gpu, gpu:1, emulator or auto", nullptr,
                               state.device_text.c_str(), device.data(), device.size(), nullptr));
  PetscCall(PetscOptionsInt("-pc_heddle_block", "block_jacobi, amg: rows of a block; 0: by the structure", nullptr,
                            block, &block, nullptr));
  PetscCall(PetscOptionsInt("-pc_heddle_degree", "chebyshev: degree", nullptr, degree, &degree, nullptr));
  PetscCall(PetscOptionsInt("-pc_heddle_power", "fsai, spai: pattern of this power", nullptr, power, &power, nullptr));
  PetscCall(PetscOptionsBool("-pc_heddle_positive", "jacobi: absolute values", nullptr, positive, &positive, nullptr));
  PetscCall(PetscOptionsReal("-pc_heddle_strength", "amg: share of the strongest coupling", nullptr, strength,
                             &strength, nullptr));
  PetscCall(
      PetscOptionsInt("-pc_heddle_smoothing", "amg: degree of the smoother", nullptr, smoothing, &smoothing, nullptr));
  PetscCall(PetscOptionsInt("-pc_heddle_coarsest", "amg: rows of a matrix that is inverted", nullptr, coarsest,
                            &coarsest, nullptr));
  PetscCall(PetscOptionsBool("-pc_heddle_double_cycle", "amg: the cycle in double, not in float", nullptr, double_cycle,
                             &double_cycle, nullptr));
  PetscCall(PetscOptionsBool("-pc_heddle_host_setup", "amg: set up on the host, also for a GPU", nullptr, host_setup,
                             &host_setup, nullptr));
  PetscOptionsHeadEnd();
  if (kind[0]) state.kind = kind.data();
  if (device[0]) state.device_text = device.data();
  options.block = static_cast<int>(block);
  options.degree = static_cast<int>(degree);
  options.power = static_cast<int>(power);
  options.positive = positive == PETSC_TRUE;
  options.strength = strength;
  options.smoothing = static_cast<int>(smoothing);
  options.coarsest = static_cast<int>(coarsest);
  options.double_cycle = double_cycle == PETSC_TRUE;
  options.host_setup = host_setup == PETSC_TRUE;
  state.asked_anew = state.asked_anew || wishes(state) != before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode view(PC pc, PetscViewer viewer) {
  const State& state = state_of(pc);
  PetscBool text = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(as_object(viewer), PETSCVIEWERASCII, &text));
  if (!text) PetscFunctionReturn(PETSC_SUCCESS);
  const std::string name = state.made ? state.made->name() : state.kind;
  PetscCall(PetscViewerASCIIPrintf(viewer, "  Heddle: %s, device %s\n", name.c_str(),
                                   state.made ? to_string(state.device).c_str() : state.device_text.c_str()));
  if (!state.reason.empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  auto is %s: %s\n", state.chosen.c_str(), state.reason.c_str()));
  if (!state.failure.empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  failed: %s\n", state.failure.c_str()));
  if (!state.made) PetscFunctionReturn(PETSC_SUCCESS);
  for (const GridInfo& grid : state.made->grids())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  grid of %lld rows, %lld entries: %s\n",
                                     static_cast<long long>(grid.rows), static_cast<long long>(grid.nnz),
                                     grid.plan.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode reset(PC pc) {
  PetscFunctionBegin;
  state_of(pc).clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode destroy(PC pc) {
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction(as_object(pc), "PCSetCoordinates_C", nullptr));
  delete &state_of(pc);
  pc->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode create_pc(PC pc) {
  PetscFunctionBegin;
  pc->data = new State;
  pc->ops->setup = set_up;
  pc->ops->apply = apply;
  pc->ops->applytranspose = apply_transposed;
  pc->ops->setfromoptions = set_from_options;
  pc->ops->view = view;
  pc->ops->reset = reset;
  pc->ops->destroy = destroy;
  PetscCall(PetscObjectComposeFunction(as_object(pc), "PCSetCoordinates_C", set_coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode preconditioner_of(PC pc, DevicePreconditioner& found) {
  PetscBool ours = PETSC_FALSE;
  PetscFunctionBegin;
  found = {};
  PetscCall(PetscObjectTypeCompare(as_object(pc), PCHEDDLE, &ours));
  if (!ours) PetscFunctionReturn(PETSC_SUCCESS);
  found.made = state_of(pc).made;
  found.device = state_of(pc).device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace heddle::petsc
