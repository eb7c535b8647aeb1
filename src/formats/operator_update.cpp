// update_values: new numbers go to the places where a build would put them, by a map made once.
#include "core/memory_errors.hpp"
#include "formats/custom.hpp"
#include "formats/operator_state.hpp"
#include "formats/symmetric.hpp"
#include "simt/wait.hpp"
#include "update/own_numbers.hpp"

namespace heddle {

namespace {

// The maps of all arrays of a matrix whose values are the numbers of entries (of A, where `numbered` is its transpose).
// It lies on the device that the maps are for.
template <class V>
std::vector<ValueMap> maps_of(Source<V> numbered, const Plan& plan, FoundEntries& found) {
  const auto built = store_from<V>(numbered, plan, numbered.device);
  std::vector<ValueMap> maps;
  on(numbered.device, [&](auto where) {
    for (const std::span<V> array : built->value_arrays())
      maps.push_back(map_values<V>(where, array, numbered.view.nnz(), found));
  });
  return maps;
}

template <class V>
Buffer<V> numbers_on(Device device, std::int64_t entries) {
  Buffer<V> numbers;
  on(device, [&](auto where) { numbers = value_numbers<V>(where, entries, device); });
  return numbers;
}

[[noreturn]] void refuse_twins() {
  fail(ErrorKind::unavailable, {"update_values", "values=raw takes any values"},
       "values=symmetric: two values that mirror each other differ");
}

// On the device, from host memory.
template <class V>
Csr<V> moved_to(Device device, Csr<V> A) {
  return {A.rows, A.cols, std::move(A.ptr).owned_on(device), std::move(A.col).owned_on(device),
          std::move(A.val).owned_on(device)};
}

bool keeps_bits(const Plan& plan) {
  const std::string* codec = plan.find("values");
  return codec == nullptr || *codec == "raw" || *codec == "symmetric";
}

}  // namespace

template <class V>
std::int64_t Operator<V>::Impl::Side::bytes() const {
  std::int64_t sum = store ? store->bytes() : 0;
  for (const auto* all : {&maps, &twins})
    for (const ValueMap& map : *all) sum += map.bytes();
  return sum + static_cast<std::int64_t>(differ.bytes());
}

template <class V>
void Operator<V>::Impl::Side::place(Device device, const V* val, Stream stream) {
  for (std::size_t i = 0; i < maps.size(); ++i)
    if (!maps[i].blocks.empty())
      on(device, [&](auto where) {
        place_values<V>(where, maps[i], val, arrays[i], stream);
        if (!twins.empty()) compare_values<V>(where, twins[i], val, arrays[i], differ.data() + i, stream);
      });
}

template <class V>
void Operator<V>::Impl::Side::check_twins(Device device, const V* val, Stream stream) const {
  if (twins.empty()) return;
  const auto places = store->value_arrays();
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (maps[i].blocks.empty()) continue;
    Buffer<V> placed(static_cast<std::int64_t>(places[i].size()), device);
    Buffer<std::uint32_t> found(1, device);
    on(device, [&](auto where) {
      place_values<V>(where, maps[i], val, placed.data(), stream);
      compare_values<V>(where, twins[i], val, placed.data(), found.data(), stream);
    });
    wait_for(device, stream);
    if (found.to(Device::cpu())[0] != 0) refuse_twins();
  }
}

template <class V>
void Operator<V>::Impl::Side::report_twins() const {
  if (differ.empty()) return;
  const bool near = differ.device().host_memory();  // then a product allocates nothing
  const auto here = near ? Buffer<std::uint32_t>::borrow(differ.span()) : differ.to(Device::cpu());
  for (const std::uint32_t found : here)
    if (found != 0) refuse_twins();
}

// Not where the plan names a codec that new values may not fit, nor where 32 bits do not number the entries, nor where
// a format from outside keeps something else than the values.
template <class V>
bool Operator<V>::Impl::maps_possible() const {
  const std::string* codec = asked.find("values");
  const CustomFormat* custom = find_custom(asked.format);
  if (custom != nullptr && !custom->keeps_values) return false;
  const bool keeps = codec == nullptr || *codec == "auto" || keeps_bits(asked);
  return keeps && nnz <= most_mapped_entries;
}

template <class V>
Plan Operator<V>::Impl::stored_raw(Plan plan) const {
  if (maps_possible() && !keeps_bits(plan))
    for (auto& [key, value] : plan.settings)
      if (key == "values") value = "raw";
  return plan;
}

template <class V>
std::vector<Csr<V>> Operator<V>::Impl::numbered(const CsrView<V>* there) const {
  std::vector<Csr<V>> made;
  if (stores_symmetric(own.plan)) {
    const Csr<V> A = own.store->restore();
    for (const Twin which : {Twin::upper, Twin::lower})
      made.push_back(moved_to<V>(device, {rows, cols, A.ptr, A.col, twin_numbers<V>(A.view(), which)}));
    return made;
  }
  made.push_back(there ? Csr<V>{rows,
                                cols,
                                Buffer<Offset>::borrow(there->ptr, device),
                                Buffer<Index>::borrow(there->col, device),
                                {}}
                       : moved_to(device, own.store->restore()));
  made[0].val = numbers_on<V>(device, nnz);
  return made;
}

template <class V>
typename Operator<V>::Impl::Side Operator<V>::Impl::prepared(const Side& now,
                                                             const std::vector<Csr<V>>& numbered) const {
  Side made{.plan = stored_raw(now.plan)};
  FoundEntries found;
  on(device, [&](auto where) { found = nothing_found(where, nnz, device); });
  const auto maps = [&](const Csr<V>& A) { return maps_of<V>({A.view(), nullptr, device}, made.plan, found); };
  made.maps = maps(numbered[0]);
  if (numbered.size() > 1) {
    made.twins = maps(numbered[1]);
    Buffer<std::uint32_t> differ(static_cast<std::int64_t>(made.maps.size()));
    std::fill(differ.begin(), differ.end(), 0u);
    made.differ = std::move(differ).owned_on(device);
  }
  on(device, [&](auto where) {
    check(all_found(where, found, nnz), ErrorKind::internal, "{} does not keep every value", to_string(made.plan));
  });
  if (!keeps_bits(now.plan) || (&now == &own && lent_values)) {  // what is lent is not written to
    Csr<V> A = now.store->restore();
    made.store = store_from<V>({A.view(), &A}, made.plan, device);
    if (right_hand_sides > 1) made.store->reserve(std::min(right_hand_sides, most_vectors));
  }
  for (const std::span<V> array : (made.store ? made.store : now.store)->value_arrays())
    made.arrays.push_back(array.data());
  return made;
}

// All of it or nothing: what is made is put in place at the end.
template <class V>
void Operator<V>::Impl::prepare_updates(const CsrView<V>* there) {
  if (!maps_possible()) return;
  const auto take = [&](Side& side, Side made) {
    if (!made.store) made.store = std::move(side.store);
    side = std::move(made);
  };
  const std::vector<Csr<V>> by_entry = numbered(there);
  Side other;
  if (transposed.store) {
    std::vector<Csr<V>> mirrored;
    for (const Csr<V>& A : by_entry) {
      const Csr<V> here = A.to(Device::cpu());
      mirrored.push_back(moved_to(device, transpose(here.view())));
    }
    other = prepared(transposed, mirrored);
  }
  Side mine = prepared(own, by_entry);
  keep_order_on_device();
  if (mine.store) lent.clear(), lent_values = false;
  take(own, std::move(mine));
  take(transposed, std::move(other));
}

template <class V>
void Operator<V>::Impl::keep_order_on_device() {
  if (order.identity() || !ordered.empty() || !maps_possible()) return;
  order = order.to(device);
  ordered = Buffer<V>(nnz, device);
}

// By a plan that names a codec, or of too many entries for a map.
template <class V>
void Operator<V>::Impl::rebuild(std::span<const V> val, bool there, Stream stream) {
  if (there) gpu::synchronize(stream);
  Csr<V> A = own.store->restore();
  Buffer<V> given = order.identity() ? Buffer<V>() : Buffer<V>(order.given);
  Buffer<V>& to = order.identity() ? A.val : given;
  memory::copy(to.data(), Device::cpu(), val.data(), there ? device : Device::cpu(), val.size_bytes());
  if (!order.identity()) to_stored_order<V>(order, given, A.val);
  Operator fresh = build(std::move(A), asked,
                         {.device = device,
                          .transposed = transposed.store != nullptr,
                          .updates = updates,
                          .right_hand_sides = right_hand_sides});
  Impl& made = inside(fresh);
  own = std::move(made.own);
  transposed = std::move(made.transposed);
  lent.clear();
  lent_values = false;
}

template <class V>
void Operator<V>::update_values(std::span<const V> val, Stream stream, Memory memory) {
  Impl& impl = held(impl_);
  check(static_cast<std::int64_t>(val.size()) == impl.entries(), ErrorKind::input,
        "{} values for a matrix of {} entries", val.size(), impl.entries());
  if (val.empty()) return;
  const gpu::Current current(impl.device);
  const bool copy = impl.elsewhere(val, memory, "val");
  if (!impl.maps_possible()) return impl.rebuild(val, !impl.device.host_memory() && !copy, stream);
  if (impl.own.maps.empty()) with_memory_errors([&] { impl.prepare_updates(); });
  const Buffer<V> copied = copy ? Buffer<V>::copy_of(val, impl.device) : Buffer<V>();
  const V* from = copy ? copied.data() : val.data();
  if (!impl.order.identity()) {
    on(impl.device, [&](auto where) { order_values<V>(where, impl.order, from, impl.ordered.data(), stream); });
    from = impl.ordered.data();
  }
  const bool waits = impl.device.host_memory() ? memory != Memory::device : copy;
  if (waits) with_memory_errors([&] { impl.own.check_twins(impl.device, from, stream); });
  impl.own.place(impl.device, from, stream);
  impl.transposed.place(impl.device, from, stream);
  if (copy) gpu::synchronize(stream);
}

template struct Operator<float>::Impl;
template struct Operator<double>::Impl;
template void Operator<float>::update_values(std::span<const float>, Stream, Memory);
template void Operator<double>::update_values(std::span<const double>, Stream, Memory);

}  // namespace heddle
