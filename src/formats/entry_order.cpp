// The order of a caller's entries, told to an operator that was built from the canonical matrix.
#include <heddle/foreign.hpp>

#include "formats/operator_state.hpp"

namespace heddle {

template <class V>
void set_entry_order(Operator<V>& A, const EntryMap& order) {
  auto& impl = inside(A);
  check(order.stored == impl.nnz, ErrorKind::usage, "an order of {} stored entries for a matrix of {}", order.stored,
        impl.nnz);
  const gpu::Current current(impl.device);
  impl.order = order.to(Device::cpu());
  impl.ordered = {};
  if (!impl.own.maps.empty()) impl.keep_order_on_device();
}

template void set_entry_order(Operator<float>&, const EntryMap&);
template void set_entry_order(Operator<double>&, const EntryMap&);

}  // namespace heddle
