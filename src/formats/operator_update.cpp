// update_values: new numbers go to the places where a build would put them, by a map made once.
#include "core/memory_errors.hpp"
#include "formats/operator_state.hpp"

namespace heddle {

namespace {

// The maps of all arrays of a matrix whose values are the numbers of entries (of A, where `numbered` is its transpose).
// It lies on the device that the maps are for.
template <class V>
std::vector<ValueMap> maps_of(Source<V> numbered, const Plan& plan) {
  const Device device = numbered.device;
  const std::int64_t nnz = numbered.view.nnz();
  const auto built = store_from<V>(numbered, plan, device);
  std::vector<ValueMap> maps;
  on(device, [&](auto where) {
    FoundEntries found = nothing_found(where, nnz, device);
    for (const std::span<V> array : built->value_arrays()) maps.push_back(map_values<V>(where, array, nnz, found));
    check(all_found(where, found, nnz), ErrorKind::internal, "{} does not keep every value", to_string(plan));
  });
  return maps;
}

template <class V>
Buffer<V> numbers_on(Device device, std::int64_t entries) {
  Buffer<V> numbers;
  on(device, [&](auto where) { numbers = value_numbers<V>(where, entries, device); });
  return numbers;
}

// On the device, from host memory.
template <class V>
Csr<V> moved_to(Device device, Csr<V> A) {
  return {A.rows, A.cols, std::move(A.ptr).owned_on(device), std::move(A.col).owned_on(device),
          std::move(A.val).owned_on(device)};
}

bool is_raw(const Plan& plan) {
  const std::string* codec = plan.find("values");
  return codec == nullptr || *codec == "raw";
}

}  // namespace

template <class V>
std::int64_t Operator<V>::Impl::Side::bytes() const {
  std::int64_t sum = store ? store->bytes() : 0;
  for (const ValueMap& map : maps) sum += map.bytes();
  return sum;
}

template <class V>
void Operator<V>::Impl::Side::place(Device device, const V* val, Stream stream) {
  for (std::size_t i = 0; i < maps.size(); ++i)
    if (!maps[i].blocks.empty())
      on(device, [&](auto where) { place_values<V>(where, maps[i], val, arrays[i], stream); });
}

// Not where the plan names a codec that new values may not fit, nor where 32 bits do not number the entries.
template <class V>
bool Operator<V>::Impl::maps_possible() const {
  const std::string* codec = asked.find("values");
  return (codec == nullptr || *codec == "auto" || *codec == "raw") && nnz <= most_mapped_entries;
}

template <class V>
Plan Operator<V>::Impl::stored_raw(Plan plan) const {
  if (maps_possible())
    for (auto& [key, value] : plan.settings)
      if (key == "values") value = "raw";
  return plan;
}

// All of it or nothing: what is made is put in place at the end.
template <class V>
void Operator<V>::Impl::prepare_updates(const CsrView<V>* there) {
  if (!maps_possible()) return;
  const auto prepare = [&](const Side& now, const CsrView<V>& numbered) {
    Side made{stored_raw(now.plan), nullptr, {}, {}};
    made.maps = maps_of<V>({numbered, nullptr, device}, made.plan);
    if (!is_raw(now.plan)) {
      Csr<V> A = now.store->restore();
      made.store = make_store<V>({A.view(), &A}, made.plan, device);
      if (right_hand_sides > 1) made.store->reserve(std::min(right_hand_sides, most_vectors));
    }
    for (const std::span<V> array : (made.store ? made.store : now.store)->value_arrays())
      made.arrays.push_back(array.data());
    return made;
  };
  const auto take = [&](Side& side, Side made) {
    if (!made.store) made.store = std::move(side.store);
    side = std::move(made);
  };
  Side other;
  if (transposed.store) {
    Csr<V> A = own.store->restore();
    A.val = numbers_on<V>(Device::cpu(), nnz);
    const Csr<V> numbered = moved_to(device, transpose(A.view()));
    other = prepare(transposed, numbered.view());
  }
  const Csr<V> restored = there ? Csr<V>{} : moved_to(device, own.store->restore());
  CsrView<V> view = there ? *there : restored.view();
  const Buffer<V> numbers = numbers_on<V>(device, nnz);
  view.val = numbers;
  Side mine = prepare(own, view);
  take(own, std::move(mine));
  take(transposed, std::move(other));
}

template <class V>
void Operator<V>::update_values(std::span<const V> val, Stream stream) {
  Impl& impl = held(impl_);
  check(static_cast<std::int64_t>(val.size()) == impl.nnz, ErrorKind::input, "{} values for a matrix of {} entries",
        val.size(), impl.nnz);
  if (val.empty()) return;
  const bool there = !impl.device.host_memory() && gpu::is_device_pointer(val.data());
  if (!impl.maps_possible()) {
    if (there) gpu::synchronize(stream);
    Csr<V> A = restore();
    memory::copy(A.val.data(), Device::cpu(), val.data(), there ? impl.device : Device::cpu(), val.size_bytes());
    Operator fresh = build(std::move(A), impl.asked,
                           {impl.device, impl.transposed.store != nullptr, impl.updates, impl.right_hand_sides});
    impl_ = std::move(fresh.impl_);
    return;
  }
  if (impl.own.maps.empty()) with_memory_errors([&] { impl.prepare_updates(); });
  const bool copy = !impl.device.host_memory() && !there;
  const Buffer<V> copied = copy ? Buffer<V>::copy_of(val, impl.device) : Buffer<V>();
  const V* from = copy ? copied.data() : val.data();
  impl.own.place(impl.device, from, stream);
  impl.transposed.place(impl.device, from, stream);
  if (copy) gpu::synchronize(stream);
}

template struct Operator<float>::Impl::Side;
template struct Operator<double>::Impl::Side;
template bool Operator<float>::Impl::maps_possible() const;
template bool Operator<double>::Impl::maps_possible() const;
template Plan Operator<float>::Impl::stored_raw(Plan) const;
template Plan Operator<double>::Impl::stored_raw(Plan) const;
template void Operator<float>::Impl::prepare_updates(const CsrView<float>*);
template void Operator<double>::Impl::prepare_updates(const CsrView<double>*);
template void Operator<float>::update_values(std::span<const float>, Stream);
template void Operator<double>::update_values(std::span<const double>, Stream);

}  // namespace heddle
