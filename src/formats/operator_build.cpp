// build: from a matrix and a plan to an Operator. A matrix that lies on the device is looked at, settled and stored
// there; the host gets a copy only when a format cannot do without, or to say what is wrong. A large one in host memory
// is sent to a GPU first: to make there what the plan says takes a fraction of the time that the host takes.
#include "core/known_device.hpp"
#include "core/memory_errors.hpp"
#include "core/watch.hpp"
#include "formats/build_canonical.hpp"
#include "formats/operator_state.hpp"
#include "formats/trials.hpp"
#include "simt/csr/device_pattern.hpp"

namespace heddle {

namespace {

// Format has a member for each precision.
template <class V, class F, class D>
auto of_type(F for_float, D for_double) {
  if constexpr (std::is_same_v<V, float>)
    return for_float;
  else
    return for_double;
}

// The source's own arrays: they must outlive this.
template <class V>
Csr<V> borrowed(const Source<V>& A) {
  const auto borrow = [&]<class T>(std::span<const T> array) { return Buffer<T>::borrow(array, A.device); };
  return {A.view.rows, A.view.cols, borrow(A.view.ptr), borrow(A.view.col), borrow(A.view.val)};
}

// The matrix as it was given, and as it lies in host memory from the moment somebody needs it there.
template <class V>
class Given {
 public:
  explicit Given(Source<V> source, bool known_canonical = false) : source_(source), known_canonical_(known_canonical) {}
  Given(Source<V> sent, CsrView<V> original) : source_(sent), original_(original) {}

  Source<V> there() {
    Source<V> there = source_;
    there.found = &found_there_;
    there.asked = &asked_;
    return there;
  }
  bool on_device() const { return source_.device.kind != Device::Kind::cpu; }
  bool known_canonical() const { return known_canonical_; }
  void know_longest(std::int64_t longest) { source_.longest = longest; }
  Source<V> here() {
    Source<V> here = in_host_memory();
    here.found = &found_here_;
    return here;
  }

 private:
  Source<V> in_host_memory() {
    if (!on_device()) return source_;
    if (original_) return {*original_, nullptr};
    if (!copied_) copy_ = borrowed(source_).to(Device::cpu()), copied_ = true;
    return {copy_.view(), nullptr};
  }

  Source<V> source_;
  Found found_there_, found_here_;
  std::shared_ptr<void> asked_;
  std::optional<CsrView<V>> original_;
  Csr<V> copy_;
  bool copied_ = false, known_canonical_ = false;
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
DevicePattern look_there(const Source<V>& there, const Plan& plan) {
  const CsrView<V>& A = there.view;
  const Format& format = registered_format(plan.format);
  const auto beside = [&](const QueueLook& look) {
    if (A.val.size() != A.col.size()) return look(false);
    of_type<V>(format.ask_there_f32, format.ask_there_f64)(plan, there, look);
  };

  const bool possible = A.rows >= 0 && A.cols >= 0 && A.rows <= max_dimension && A.cols <= max_dimension &&
                        static_cast<std::int64_t>(A.ptr.size()) == A.rows + 1;
  DevicePattern found;
  if (possible) on_gpu(there.device, [&](auto where) { found = look_at(where, A, there.device, beside); });
  return found;
}

template <class V>
void check_matrix(Given<V>& A, const Plan& plan) {
  if (A.known_canonical() && !A.on_device()) return;
  const CsrView<V> view = A.there().view;
  const DevicePattern found = A.on_device() ? look_there(A.there(), plan) : DevicePattern{};
  if (!found.canonical || view.val.size() != view.col.size()) validate(A.here().view, Require::canonical);
  A.know_longest(found.longest);
}

template <class V>
Plan settle(const Plan& asked, Given<V>& A, Device device) {
  const Format& format = registered_format(asked.format);
  const Plan plan = is_tried(asked) ? fastest(asked, A.here().view, device) : asked;
  if (A.on_device())
    if (auto settled = of_type<V>(format.settle_there_f32, format.settle_there_f64)(plan, A.there())) return *settled;
  return of_type<V>(format.settle_f32, format.settle_f64)(plan, A.here());
}

template <class V>
std::unique_ptr<Store<V>> store(Given<V>& A, const Plan& resolved, Device device) {
  const Format& format = registered_format(resolved.format);
  if (A.on_device())
    if (auto made = of_type<V>(format.build_there_f32, format.build_there_f64)(A.there(), resolved)) return made;
  return make_store(A.here(), resolved, device);
}

template <class V>
Operator<V> build_given(Given<V>& A, const Plan& plan, const BuildOptions& options) {
  check_matrix(A, plan);
  const Device device = *options.device;
  auto impl = std::make_unique<typename Operator<V>::Impl>();
  const CsrView<V> view = A.there().view;
  impl->rows = view.rows;
  impl->cols = view.cols;
  impl->nnz = view.nnz();
  impl->device = device;
  impl->updates = options.updates;
  impl->asked = plan;
  const auto settled = [&](Given<V>& matrix) {
    const Plan resolved = settle(plan, matrix, device);
    return options.updates ? impl->stored_raw(resolved) : resolved;
  };
  if (options.transposed) {
    Csr<V> T = transpose(A.here().view);
    Given<V> given({T.view(), &T});
    impl->transposed.plan = settled(given);
    impl->transposed.store = store(given, impl->transposed.plan, device);
  }
  Watch::enter("build", options.transposed ? 0.5 : 0.2);
  impl->own.plan = settled(A);
  impl->own.store = store(A, impl->own.plan, device);
  if (options.right_hand_sides > 1) impl->reserve(options.right_hand_sides);
  if (options.updates) Watch::enter("build", 0.7);
  if (options.updates) impl->prepare_updates(A.on_device() ? &view : nullptr);
  if (A.on_device() && !device.host_memory()) gpu::synchronize({});  // what is multiplied next may be elsewhere
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
      Given<V> A({there.view(), &there, device}, source.view);
      return build_given(A, plan, options);
    } catch (const Error& error) {  // the matrix and the operator may not fit into memory together
      if (error.kind() != ErrorKind::unavailable) throw;
    }
  Given<V> A(source, known_canonical);
  return build_given(A, plan, options);
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
std::unique_ptr<Store<V>> make_store(Source<V> source, const Plan& resolved, Device device) {
  const Format& format = registered_format(resolved.format);
  const Footprint need = format.at_most(resolved, source.view, sizeof(V), source.found);
  if (!need.fits)
    fail(ErrorKind::unavailable, {to_string(resolved), "csr, coo and csr_split store any matrix"},
         "this format does not fit the matrix: {}", need.reason);
  return of_type<V>(format.build_f32, format.build_f64)(source, resolved, device);
}

template <class V>
std::unique_ptr<Store<V>> store_from(Source<V> source, const Plan& resolved, Device device) {
  Given<V> A(source);
  return store(A, resolved, device);
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
template std::unique_ptr<Store<float>> make_store(Source<float>, const Plan&, Device);
template std::unique_ptr<Store<double>> make_store(Source<double>, const Plan&, Device);
template std::unique_ptr<Store<float>> store_from(Source<float>, const Plan&, Device);
template std::unique_ptr<Store<double>> store_from(Source<double>, const Plan&, Device);
template Operator<float> build(const Csr<float>&, const Plan&, const BuildOptions&);
template Operator<double> build(const Csr<double>&, const Plan&, const BuildOptions&);
template Operator<float> build(Csr<float>&&, const Plan&, const BuildOptions&);
template Operator<double> build(Csr<double>&&, const Plan&, const BuildOptions&);

}  // namespace heddle
