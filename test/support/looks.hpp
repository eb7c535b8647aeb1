// One look at a matrix by itself, with its second round where it has one: `analyze` does all of them together.
#pragma once

#include "analyze/looks.hpp"

namespace heddle::test {

template <class Look>
void look_alone(Look& look) {
  look_together(look);
  if constexpr (requires { look.begin_second_round(); }) {
    look.begin_second_round();
    look_together(look);
  }
}

inline RowFacts rows_of(const PatternView& A) {
  RowsLook look(A);
  look_alone(look);
  return look.facts();
}
inline std::uint64_t hash_of(const PatternView& A) {
  HashLook look(A);
  look_alone(look);
  return look.hash();
}
inline std::vector<BlockFill> blocks_of(const PatternView& A, std::int64_t sample) {
  BlocksLook look(A, sample, Detail::all);
  look_alone(look);
  return look.fills();
}
template <class V>
SampledFacts columns_of(const CsrView<V>& A, std::int64_t sample) {
  ColumnsLook<V> look(A, sample, true);
  look_alone(look);
  return look.facts();
}
template <class V>
ValueFacts values_of(std::span<const V> values, std::int64_t cap) {
  ValuesLook<V> look(values, cap);
  look_alone(look);
  return look.facts();
}

}  // namespace heddle::test
