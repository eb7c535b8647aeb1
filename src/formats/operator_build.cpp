// build: from a matrix and a plan to an Operator. A matrix that lies on the device is looked at, settled and stored
// there; the host gets a copy only when a format cannot do without, or to say what is wrong. A large one in host memory
// is sent to a GPU first: to make there what the plan says takes a fraction of the time that the host takes.
#include "core/known_device.hpp"
#include "core/memory_errors.hpp"
#include "core/watch.hpp"
#include "formats/build_board.hpp"
#include "formats/build_canonical.hpp"
#include "formats/operator_state.hpp"
#include "formats/trials.hpp"
#include "simt/wait.hpp"

namespace heddle {

namespace {

// The source's own arrays: they must outlive this.
template <class V>
Csr<V> borrowed(const Source<V>& A) {
  const auto borrow = [&]<class T>(std::span<const T> array) { return Buffer<T>::borrow(array, A.device); };
  return {A.view.rows, A.view.cols, borrow(A.view.ptr), borrow(A.view.col), borrow(A.view.val)};
}

// One matrix on its way to a store: by kernels where it lies, as far as the format has them; else by the host, of a
// copy that is made when it is first needed.
template <class V>
class Making {
 public:
  // original: what was sent to the device.
  Making(Source<V> source, const Plan& plan, Device device, std::optional<CsrView<V>> original = {})
      : board_(source), plan_(plan), device_(device), original_(original) {
    if (on_device()) there_ = format().builder(board_, plan, device);
  }

  bool on_device() const { return board_.device().kind != Device::Kind::cpu; }
  const CsrView<V>& matrix() const { return board_.matrix(); }
  Source<V> here() {
    if (!on_device()) return board_.source();
    if (original_) return {*original_};
    if (!copied_) copy_ = borrowed(board_.source()).to(Device::cpu()), copied_ = true;
    return {copy_.view()};
  }

  void check() {
    if (!on_device() || !is_matrix_there()) validate(here().view, Require::canonical);
  }
  Plan settle(bool values_will_change) {
    if (there_ && !there_->settle(values_will_change)) there_.reset();
    if (there_) return plan_ = there_->plan();
    if (is_tried(plan_)) plan_ = fastest(plan_, here().view, device_);
    of_host().settle(values_will_change);
    return plan_ = here_->plan();
  }
  std::unique_ptr<Store<V>> finish() {
    std::unique_ptr<Store<V>> made = there_ ? there_->finish() : nullptr;
    return made ? std::move(made) : of_host().finish();
  }

 private:
  const Format& format() const { return registered_format(plan_.format); }

  // Waits once: what settling will ask is queued beside the check.
  bool is_matrix_there() {
    const CsrView<V>& A = matrix();
    if (A.rows < 0 || A.cols < 0 || A.rows > max_dimension || A.cols > max_dimension ||
        static_cast<std::int64_t>(A.ptr.size()) != A.rows + 1)
      return false;
    const bool has_all_values = A.val.size() == A.col.size();
    on_gpu(board_.device(), [&](auto where) {
      PatternCheck& check = board_.check(where);
      if (there_ && has_all_values)
        there_->begin();
      else
        check.queue(where, false);
    });
    return board_.heard_check() && has_all_values;
  }

  Builder<V>& of_host() {
    if (!here_) {
      if (on_device()) board_here_.emplace(here());
      here_ = format().builder(on_device() ? *board_here_ : board_, plan_, device_);
    }
    return *here_;
  }

  BuildBoard<V> board_;
  Plan plan_;
  Device device_;
  std::optional<CsrView<V>> original_;
  Csr<V> copy_;
  bool copied_ = false;
  std::optional<BuildBoard<V>> board_here_;
  std::unique_ptr<Builder<V>> there_, here_;  // null: not needed, or not yet
};

// The device of all arrays; those without elements lie anywhere.
template <class V>
Device home_of(const Csr<V>& A) {
  const Device home = A.ptr.device();
  const auto elsewhere = [&](const auto& array) { return !array.empty() && array.device() != home; };
  if (elsewhere(A.col) || elsewhere(A.val))
    fail(ErrorKind::usage, {"build", "copy them with Buffer::to"}, "ptr lies on {}, col on {}, val on {}: {}",
         to_string(home), to_string(A.col.device()), to_string(A.val.device()), "a matrix lies on one device");
  return home;
}

template <class V>
Operator<V> build_checked(Making<V>& A, const Plan& plan, const BuildOptions& options) {
  const Device device = *options.device;
  auto impl = std::make_unique<typename Operator<V>::Impl>();
  const CsrView<V> view = A.matrix();
  impl->rows = view.rows;
  impl->cols = view.cols;
  impl->nnz = view.nnz();
  impl->device = device;
  impl->updates = options.updates;
  impl->asked = plan;
  const bool values_will_change = options.updates && impl->maps_possible();
  if (options.transposed) {
    Csr<V> T = transpose(A.here().view);
    Making<V> made({T.view(), &T}, plan, device);
    impl->transposed.plan = made.settle(values_will_change);
    impl->transposed.store = made.finish();
  }
  Watch::enter("build", options.transposed ? 0.5 : 0.2);
  impl->own.plan = A.settle(values_will_change);
  impl->own.store = A.finish();
  if (options.right_hand_sides > 1) impl->reserve(options.right_hand_sides);
  if (options.updates) Watch::enter("build", 0.7);
  if (options.updates) impl->prepare_updates(A.on_device() ? &view : nullptr);
  if (A.on_device()) wait_for(device);  // what is multiplied next may be elsewhere
  return Operator<V>(std::move(impl));
}

template <class V>
bool made_on_the_gpu(const Source<V>& source, const Plan& plan, Device device) {
  return source.device.kind == Device::Kind::cpu && device.kind == Device::Kind::gpu &&
         source.view.nnz() >= worth_sending && registered_format(plan.format).builds_there;
}

template <class V>
Operator<V> build_from(Source<V> source, const Plan& plan, const BuildOptions& options, bool known_canonical) {
  const Device device = *options.device;
  if (device.kind == Device::Kind::gpu && source.device.kind == Device::Kind::cpu)
    require_device(device);  // a matrix that lies there is proof enough
  const gpu::Current current(device);
  if (made_on_the_gpu(source, plan, device)) try {
      Csr<V> there = borrowed(source).to(device);
      Making<V> A({there.view(), &there, device}, plan, device, source.view);
      A.check();
      return build_checked(A, plan, options);
    } catch (const Error& error) {  // the matrix and the operator may not fit into memory together
      if (error.kind() != ErrorKind::unavailable) throw;
    }
  Making<V> A(source, plan, device);
  if (!known_canonical || A.on_device()) A.check();
  return build_checked(A, plan, options);
}

template <class V>
Operator<V> build_at_home(const Csr<V>& A, Csr<V>* given, const Plan& plan, BuildOptions options,
                          bool known_canonical) {
  const Watch watch(options.keep_going);
  Watch::enter("build");
  if (!options.device) options.device = Device::parse("auto");
  const Source<V> source{A.view(), given, home_of(A)};
  if (source.device == *options.device || source.device.kind == Device::Kind::cpu)
    return build_from(source, plan, options, known_canonical);
  Csr<V> here = A.to(Device::cpu());
  return build_from<V>({here.view(), &here}, plan, options, false);
}

}  // namespace

template <class V>
std::unique_ptr<Store<V>> store_from(Source<V> source, const Plan& resolved, Device device) {
  return Making<V>(source, resolved, device).finish();
}

template <class V>
Operator<V> build(const Csr<V>& A, const Plan& plan, const BuildOptions& options) {
  return with_memory_errors([&] { return build_at_home<V>(A, nullptr, plan, options, false); });
}
template <class V>
Operator<V> build(Csr<V>&& A, const Plan& plan, const BuildOptions& options) {
  return with_memory_errors([&] { return build_at_home<V>(A, &A, plan, options, false); });
}

template <class V>
Operator<V> build_canonical(const Csr<V>& A, const Plan& plan, const BuildOptions& options) {
  return build_at_home<V>(A, nullptr, plan, options, true);
}
template <class V>
Operator<V> build_canonical(Csr<V>&& A, const Plan& plan, const BuildOptions& options) {
  return build_at_home<V>(A, &A, plan, options, true);
}

template Operator<float> build_canonical(const Csr<float>&, const Plan&, const BuildOptions&);
template Operator<double> build_canonical(const Csr<double>&, const Plan&, const BuildOptions&);
template Operator<float> build_canonical(Csr<float>&&, const Plan&, const BuildOptions&);
template Operator<double> build_canonical(Csr<double>&&, const Plan&, const BuildOptions&);
template std::unique_ptr<Store<float>> store_from(Source<float>, const Plan&, Device);
template std::unique_ptr<Store<double>> store_from(Source<double>, const Plan&, Device);
template Operator<float> build(const Csr<float>&, const Plan&, const BuildOptions&);
template Operator<double> build(const Csr<double>&, const Plan&, const BuildOptions&);
template Operator<float> build(Csr<float>&&, const Plan&, const BuildOptions&);
template Operator<double> build(Csr<double>&&, const Plan&, const BuildOptions&);

}  // namespace heddle
