#include "local_operator.hpp"

#include <algorithm>
#include <sstream>

#include "guarded.hpp"
#include "log_events.hpp"

namespace heddle::petsc {

namespace {

constexpr const char* own_key = "heddle_operator";
constexpr const char* solver_key = "heddle_solver_operator";

PetscErrorCode state_of(Mat A, const AijArrays& arrays, AijState& state) {
  PetscFunctionBegin;
  PetscCall(MatGetNonzeroState(A, &state.pattern));
  PetscCall(PetscObjectStateGet(as_object(A), &state.values));
  state.ptr = arrays.ptr;
  state.col = arrays.col;
  state.val = arrays.val;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Where the products of A run: where PETSc's would, if that is a GPU, else where the options say.
PetscErrorCode place(Mat A, MatSettings& settings) {
  std::optional<Device> gpu;
  PetscFunctionBegin;
  PetscCall(gpu_of(A, gpu));
  if (gpu) settings.choose.device = *gpu;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode LocalOperator::existing(Mat A, LocalOperator*& found) { return composed_object(A, own_key, found); }

PetscErrorCode LocalOperator::forget(Mat A) {
  PetscFunctionBegin;
  PetscCall(PetscObjectCompose(as_object(A), own_key, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalOperator::current(Mat A, LocalOperator*& found) {
  return current(A, own_key, std::nullopt, false, found);
}

PetscErrorCode LocalOperator::current_transposed(Mat A, LocalOperator*& found) {
  return current(A, own_key, std::nullopt, true, found);
}

PetscErrorCode LocalOperator::current_on(Mat A, Device device, LocalOperator*& found) {
  PetscFunctionBegin;
  PetscCall(existing(A, found));
  if (found && found->settings_.choose.device == device && found->role_ != BlockRole::off_diagonal)
    PetscCall(current(A, found));
  else
    PetscCall(current(A, solver_key, device, false, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalOperator::adopt(Mat block, BlockRole role, const MatSettings& settings, PetscObjectState parent) {
  LocalOperator* found = nullptr;
  PetscFunctionBegin;
  PetscCall(existing(block, found));
  if (!found || found->role_ != role) {
    MatSettings placed = settings;
    PetscCall(place(block, placed));
    found = new LocalOperator(placed, role);
    PetscCall(compose_object(block, own_key, found));
  }
  found->parent_ = parent;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LocalOperator::current(Mat A, const char* key, std::optional<Device> device, bool transposed,
                                      LocalOperator*& found) {
  AijArrays arrays;
  AijState now;
  PetscErrorCode refreshed = PETSC_SUCCESS;
  PetscFunctionBegin;
  PetscCall(composed_object(A, key, found));
  if (found && device && !(found->settings_.choose.device == *device)) found = nullptr;
  if (!found) {
    MatSettings settings;
    PetscCall(read_settings(A, settings));
    if (device)
      settings.choose.device = *device;
    else
      PetscCall(place(A, settings));
    found = new LocalOperator(settings, BlockRole::whole);
    PetscCall(compose_object(A, key, found));
  }
  PetscCall(hold_arrays_near(A, found->device(), arrays));
  PetscCall(state_of(A, arrays, now));
  now.parent = found->parent_;
  if (found->state_ != now || (transposed && found->transposed_state_ != now)) {
    if (!arrays.device.host_memory()) PetscCall(wait_for_gpu());
    refreshed = guarded(PetscObjectComm(as_object(A)), [&] {
      if (found->state_ != now) found->refresh(arrays, now);
      if (transposed && found->usable()) found->refresh_transposed(arrays);
    });
  }
  PetscCall(release_arrays(A, arrays));
  PetscCall(refreshed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

void LocalOperator::refresh(const AijArrays& arrays, const AijState& now) {
  if (state_.same_pattern(now) && operator_) {
    const Logged log(log_events().update);
    update(*operator_, arrays);
    ++updates_;
  } else if (!state_.same_pattern(now)) {
    const Logged log(log_events().build);
    rebuild(arrays);
  }
  state_ = now;
}

void LocalOperator::update(Operator<V>& op, const AijArrays& arrays) const {
  const Memory memory = arrays.device.host_memory() ? Memory::host : Memory::device;
  op.update_values({arrays.val, static_cast<std::size_t>(nnz_)}, arrays.stream, memory);
}

void LocalOperator::rebuild(const AijArrays& arrays) {
  state_ = transposed_state_ = {};
  operator_.reset();
  transposed_.reset();
  rows_.clear();
  listed_ptr_.clear();
  refusal_.clear();
  updates_ = 0;
  row_count_ = static_cast<std::size_t>(arrays.rows);
  col_count_ = static_cast<std::size_t>(arrays.cols);
  nnz_ = arrays.nnz;
  if (std::max(arrays.rows, arrays.cols) > max_dimension) {
    refusal_ = "more than 2^31 rows or columns on a process";
    return;
  }
  if (role_ == BlockRole::off_diagonal && device().host_memory()) list_rows(arrays);
  operator_ = build_by_plan(view(arrays, EntryOrder::csr));
  if (settings_.view) must(PetscPrintf(PETSC_COMM_SELF, "Heddle[%d]: %s\n", PetscGlobalRank, describe().c_str()));
}

// By columns the same arrays are those of the transposed matrix.
MatrixView<PetscScalar> LocalOperator::view(const AijArrays& arrays, EntryOrder order) const {
  static constexpr PetscInt no_rows[1] = {0};
  const PetscInt* ptr = rows_.empty() ? (arrays.rows > 0 ? arrays.ptr : no_rows) : listed_ptr_.data();
  const auto rows = rows_.empty() ? static_cast<std::int64_t>(arrays.rows) : static_cast<std::int64_t>(rows_.size());
  const ArrayOptions where{.device = arrays.device};
  if (order == EntryOrder::csr) return csr_view(rows, arrays.cols, nnz_, ptr, arrays.col, arrays.val, where);
  return csc_view(arrays.cols, rows, nnz_, ptr, arrays.col, arrays.val, where);
}

Operator<PetscScalar> LocalOperator::build_by_plan(const MatrixView<V>& matrix) const {
  const std::string& text = role_ == BlockRole::off_diagonal ? settings_.off_diagonal_plan : settings_.plan;
  if (text.empty()) return optimize(matrix, settings_.choose);
  return build(matrix, Plan::parse(text), {.device = device()});
}

void LocalOperator::list_rows(const AijArrays& arrays) {
  PetscInt filled = 0;
  for (PetscInt row = 0; row < arrays.rows; ++row) filled += arrays.ptr[row + 1] > arrays.ptr[row];
  if (filled == 0 || 2 * filled > arrays.rows) return;
  for (PetscInt row = 0; row < arrays.rows; ++row) {
    if (arrays.ptr[row + 1] == arrays.ptr[row]) continue;
    rows_.push_back(row);
    listed_ptr_.push_back(arrays.ptr[row]);
  }
  listed_ptr_.push_back(arrays.ptr[arrays.rows]);
  listed_.resize(rows_.size());
}

void LocalOperator::refresh_transposed(const AijArrays& arrays) {
  if (transposed_state_ == state_) return;
  if (transposed_ && transposed_state_.same_pattern(state_)) {
    const Logged log(log_events().update);
    update(*transposed_, arrays);
  } else {
    const Logged log(log_events().build);
    transposed_ = build_by_plan(view(arrays, EntryOrder::csc));
  }
  transposed_state_ = state_;
}

void LocalOperator::scatter_add(V* y) {
  for (std::size_t i = 0; i < rows_.size(); ++i) y[rows_[i]] += listed_[i];
}

std::span<const PetscScalar> LocalOperator::gather(const V* x) {
  for (std::size_t i = 0; i < rows_.size(); ++i) listed_[i] = x[rows_[i]];
  return listed_;
}

void LocalOperator::multiply(const VectorArrays& on, bool add) {
  const Logged log(log_events().multiply, flops(), on.on_device);
  const std::span<const V> x{on.x, col_count_};
  if (rows_.empty()) return operator_->multiply(V(1), x, add ? V(1) : V(0), {on.y, row_count_}, on.stream, on.memory());
  operator_->multiply(x, listed_);
  if (!add) std::fill_n(on.y, row_count_, V(0));
  scatter_add(on.y);
}

void LocalOperator::multiply_transposed(const VectorArrays& on, bool add) {
  const Logged log(log_events().multiply_transposed, flops(), on.on_device);
  const std::span<const V> x = rows_.empty() ? std::span<const V>{on.x, row_count_} : gather(on.x);
  transposed_->multiply(V(1), x, add ? V(1) : V(0), {on.y, col_count_}, on.stream, on.memory());
}

void LocalOperator::multiply_many(bool transposed, const V* X, PetscInt stride_x, V* Y, PetscInt stride_y,
                                  PetscInt count) {
  const Logged log(log_events().multiply_many, flops() * static_cast<double>(count));
  const auto last = static_cast<std::size_t>(count - 1);
  const auto columns = [&](auto* data, PetscInt stride, std::size_t length) {
    return std::span(data, last * static_cast<std::size_t>(stride) + length);
  };
  const std::size_t from = transposed ? row_count_ : col_count_, to = transposed ? col_count_ : row_count_;
  (transposed ? transposed_ : operator_)
      ->multiply_many(Vectors<const V>{columns(X, stride_x, from), count, VectorOrder::by_vector, stride_x},
                      Vectors<V>{columns(Y, stride_y, to), count, VectorOrder::by_vector, stride_y});
}

std::string LocalOperator::describe() const {
  std::ostringstream text;
  if (role_ != BlockRole::whole) text << (role_ == BlockRole::diagonal ? "diagonal block, " : "off-diagonal block, ");
  if (!operator_) {
    text << refusal_;
    return text.str();
  }
  text << "plan ";
  std::istringstream lines(operator_->explain());
  for (std::string line; std::getline(lines, line);) text << line << "; ";
  text << threads() << " threads";
  if (!rows_.empty()) text << ", " << rows_.size() << " of " << row_count_ << " rows";
  if (updates_ > 0) text << ", values renewed " << updates_ << " times";
  if (transposed_) text << "; transposed by " << to_string(transposed_->plan());
  return text.str();
}

}  // namespace heddle::petsc
