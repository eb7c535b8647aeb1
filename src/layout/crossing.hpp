// Rows that cross the borders of equal shares of entries, and how their pieces become one sum without atomics.
//
//   entries   |a a a b b|b b b b b|b b c c d|      shares of 5 entries; row b lies in three of them
//   head[]       b ^1     whole^      b^0          share 0 keeps its piece of b in tail[0]; shares 1 and 2 keep theirs
//   tail[]                                         in head[1], head[2]
//
//   Crossing {row b, share 0, count 2}:  y[b] gets  tail[0] + head[1] + head[2],  always in this order
//
// Rows inside one share are written by the thread that works on it. Which rows cross is known from the pattern alone.
#pragma once

#include <heddle/matrix.hpp>

#include "core/update.hpp"
#include "simt/simt.hpp"

namespace heddle {

struct OnCpu;

struct Crossing {
  Index row;
  std::int32_t share;  // where the row starts
  std::int32_t count;  // how many further shares it reaches into
};

std::int64_t share_count(std::int64_t entries, std::int64_t share);
// ptr: where each row starts among the entries, and their number at the end.
std::int64_t count_crossings(std::span<const Offset> ptr, std::int64_t share);
Buffer<Crossing> find_crossings(std::span<const Offset> ptr, std::int64_t share);
inline std::int64_t count_crossings(const PatternView& A, std::int64_t share) { return count_crossings(A.ptr, share); }
inline Buffer<Crossing> find_crossings(const PatternView& A, std::int64_t share) {
  return find_crossings(A.ptr, share);
}

template <class V>
struct CrossingView {
  const Crossing* crossing = nullptr;
  std::int64_t crossings = 0;
  V* head = nullptr;  // share's piece of a row that started in an earlier share
  V* tail = nullptr;  // share's piece of a row that goes on in the next share
};

// How the combined sum meets y: `add` when y already holds beta y, else `store` (y = alpha sum + beta y).
enum class Combine { add, store };

template <class V>
void combine(OnCpu, const CrossingView<V>& pieces, const Update<V>& update, Combine how);
template <class V>
void combine(simt::Emulator, const CrossingView<V>& pieces, const Update<V>& update, Combine how, Stream stream);
template <class V>
void combine(simt::Cuda, const CrossingView<V>& pieces, const Update<V>& update, Combine how, Stream stream);

// The combined sum of one crossing row meets y.
template <class V>
SIMT_BOTH void finish_crossing(const Update<V>& update, Index row, V sum, Combine how) {
  if (how == Combine::add)
    update.y[update.place(row)] += update.alpha * sum;
  else
    update(row, sum);
}

}  // namespace heddle
