#include "formats/brought.hpp"

#include "core/gpu.hpp"
#include "core/watch.hpp"
#include "simt/csr/device_pattern.hpp"
#include "simt/where.hpp"
#include "update/own_numbers.hpp"

namespace heddle {

namespace {

template <class To>
Buffer<To> numbers_there(const Integers& array, int base, Device device) {
  if (fits_as<To>(array, base)) return lent<To>(array.data, array.size, device);
  Buffer<To> made(array.size, device);
  on_gpu(device, [&](auto where) { convert_numbers<To>(where, array, base, made.data()); });
  return made;
}

// CSR whose rows are canonical.
template <class V>
std::optional<Arranged<V>> bring_there(const MatrixView<V>& A) {
  Csr<V> there{A.rows, A.cols, numbers_there<Offset>(A.row, A.base, A.device),
               numbers_there<Index>(A.col, A.base, A.device), lent<V>(A.val.data(), A.entries(), A.device)};
  bool canonical = false;
  on_gpu(A.device, [&](auto where) { canonical = look_at(where, there.view(), A.device).canonical; });
  if (!canonical) return {};
  return Arranged<V>{std::move(there), {A.entries(), A.entries(), {}, {}}, conversions_of(A)};
}

Integers fetched(const Integers& array, Device device, Buffer<char>& here) {
  here = Buffer<char>(array.size * array.bytes);
  memory::copy(here.data(), Device::cpu(), array.data, device, here.bytes());
  Integers copy = array;
  copy.data = here.data();
  return copy;
}

template <class V>
Arranged<V> bring_by_host(const MatrixView<V>& A) {
  Buffer<char> row, col;
  const Buffer<V> val = Buffer<V>::borrow(A.val, A.device).to(Device::cpu());
  MatrixView<V> here = A;
  here.row = fetched(A.row, A.device, row);
  here.col = fetched(A.col, A.device, col);
  here.val = val;
  here.device = Device::cpu();
  Arranged<V> made = arrange(here);
  made.conversions.push_back(fmt::format("by the host, from a copy of what lay on {}", to_string(A.device)));
  made.A = made.A.to(A.device);
  return made;
}

}  // namespace

template <class V>
Arranged<V> bring(const MatrixView<V>& A) {
  check_view(A);
  Watch::enter("arrange");
  if (A.device.kind == Device::Kind::cpu) return arrange(A);
  const gpu::Current current(A.device);
  if (A.order == EntryOrder::csr)
    if (auto made = bring_there(A)) return std::move(*made);
  return bring_by_host(A);
}

template <class V>
Csr<V> make_csr(const MatrixView<V>& A, EntryMap* map) {
  Arranged<V> made = bring(A);
  if (map) *map = made.map.to(A.device);
  return owned(std::move(made.A), A);
}

template Arranged<float> bring(const MatrixView<float>&);
template Arranged<double> bring(const MatrixView<double>&);
template Csr<float> make_csr(const MatrixView<float>&, EntryMap*);
template Csr<double> make_csr(const MatrixView<double>&, EntryMap*);

}  // namespace heddle
