#include "update/own_numbers.hpp"

namespace heddle {

template <class V>
void order_values(OnCpu, const EntryMap& map, const V* given, V* stored, Stream) {
  to_stored_order<V>(map, {given, static_cast<std::size_t>(map.given)}, {stored, static_cast<std::size_t>(map.stored)});
}

template void order_values(OnCpu, const EntryMap&, const float*, float*, Stream);
template void order_values(OnCpu, const EntryMap&, const double*, double*, Stream);

}  // namespace heddle
