// New values of a preconditioner's matrix in the order in which a caller from another language has them.
#include <heddle/foreign.hpp>

#include "core/check.hpp"
#include "core/gpu.hpp"

namespace heddle {

template <class V>
std::int64_t update_from_anywhere(Preconditioner<V>& M, Device device, const EntryMap* order,
                                  std::span<const V> values) {
  if (order == nullptr || order->identity()) return M.update_values(values);
  check(static_cast<std::int64_t>(values.size()) == order->given, ErrorKind::usage,
        "{} values for arrays of {} entries", values.size(), order->given);
  const bool there = !device.host_memory() && gpu::lies_on(device.ordinal, values.data(), "values");
  const Buffer<V> fetched = there ? Buffer<V>::borrow(values, device).to(Device::cpu()) : Buffer<V>();
  Buffer<V> stored(order->stored);
  to_stored_order<V>(order->to(Device::cpu()), there ? fetched.span() : values, stored.span());
  return M.update_values(stored);
}

template std::int64_t update_from_anywhere(Preconditioner<float>&, Device, const EntryMap*, std::span<const float>);
template std::int64_t update_from_anywhere(Preconditioner<double>&, Device, const EntryMap*, std::span<const double>);

}  // namespace heddle
