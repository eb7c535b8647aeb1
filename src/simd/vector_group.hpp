// Several right-hand sides on the CPU: K vectors at a time, each slice or block of rows walked once for each group
// while it is in the cache. Vectors side by side: one entry serves a register full of them. One after another, each has
// a place of its own in the caches, and more than four of them are in each other's way.
#pragma once

#include "core/update_many.hpp"

namespace heddle {

template <int vectors, bool side_by_side, class V>
struct VectorGroup {
  static constexpr int K = vectors;
  const ProductMany<V>& p;
  int first;

  // sum += value * element i of each vector
  void add(V (&sum)[K], V value, std::int64_t i) const {
    const V* x = p.x.at(i, first);
    const std::int64_t step = side_by_side ? 1 : p.x.vector;
    for (int j = 0; j < K; ++j) sum[j] += value * x[j * step];
  }
  void update(std::int64_t row, const V (&sum)[K], bool has_entries) const {
    for (int j = 0; j < K; ++j) p.update.row(row, first + j, sum[j], has_entries);
  }
};

// f(group) until all vectors have had their turn.
template <class V, class F>
void each_group_side_by_side(const ProductMany<V>& p, F f) {
  int first = 0;
  const int count = p.x.count;
  for (; first + 8 <= count; first += 8) f(VectorGroup<8, true, V>{p, first});
  if (first + 4 <= count) f(VectorGroup<4, true, V>{p, first}), first += 4;
  if (first + 2 <= count) f(VectorGroup<2, true, V>{p, first}), first += 2;
  if (first < count) f(VectorGroup<1, true, V>{p, first});
}
template <class V, class F>
void each_group_one_after_another(const ProductMany<V>& p, F f) {
  int first = 0;
  const int count = p.x.count;
  for (; first + 4 <= count; first += 4) f(VectorGroup<4, false, V>{p, first});
  if (first + 2 <= count) f(VectorGroup<2, false, V>{p, first}), first += 2;
  if (first < count) f(VectorGroup<1, false, V>{p, first});
}

}  // namespace heddle
