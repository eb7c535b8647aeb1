#include <limits>

#include "core/matrix/arranged.hpp"
#include "update/own_numbers.hpp"

namespace heddle {

namespace {

constexpr int block_threads = 256;

template <class To, class From>
SIMT_KERNEL number_per_thread(const From* from, std::int64_t count, int base, To* to) {
  const std::int64_t i = simt::global_thread();
  if (i >= count) return;
  const From number = from[i];
  bool held = number >= static_cast<From>(base);
  if constexpr (sizeof(From) > sizeof(To) || (sizeof(From) == sizeof(To) && From(-1) > From(0)))
    held = held && number <= static_cast<From>(std::numeric_limits<To>::max());
  to[i] = held ? static_cast<To>(static_cast<To>(number) - base) : To(-1);
}

template <class V>
SIMT_KERNEL value_per_thread(const Offset* from, const Offset* first, std::int64_t stored, const V* given, V* to) {
  const std::int64_t p = simt::global_thread();
  if (p >= stored) return;
  const Offset begin = first ? first[p] : p, end = first ? first[p + 1] : p + 1;
  V sum = given[from[begin]];
  for (Offset k = begin + 1; k < end; ++k) sum += given[from[k]];
  to[p] = sum;
}

}  // namespace

template <class To>
void convert_numbers(simt::Here here, const Integers& from, int base, To* to) {
  with_type(from, [&]<class From>(const From* first) {
    simt::launch(here, {simt::blocks_for(from.size, block_threads), block_threads}, number_per_thread<To, From>, first,
                 from.size, base, to);
  });
}

template <class V>
void order_values(simt::Here here, const EntryMap& map, const V* given, V* stored, Stream stream) {
  simt::launch(here, {simt::blocks_for(map.stored, block_threads), block_threads, 0, stream}, value_per_thread<V>,
               map.from.data(), map.first.data(), map.stored, given, stored);
}

template void convert_numbers(simt::Here, const Integers&, int, Offset*);
template void convert_numbers(simt::Here, const Integers&, int, Index*);
template void order_values(simt::Here, const EntryMap&, const float*, float*, Stream);
template void order_values(simt::Here, const EntryMap&, const double*, double*, Stream);

}  // namespace heddle
