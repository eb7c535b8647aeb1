// The entries of a slice of 128 rows, brought near by a block of threads, one warp of which walks them. The rows are
// walked side by side: from global memory that would fetch every sector once for each entry in it (H200: 1.4 ms for a
// 27-point stencil of 96^3). So the block brings them into shared memory in the order in which they lie, where there is
// room.
#pragma once

#include <algorithm>

#include "formats/weave/diagonals/diagonal_walk.hpp"

namespace heddle::weave {

struct SliceRoom {
  std::int64_t entries;  // of a slice that has room
  int threads;           // of a block

  // For slices a little above the mean; none at all where that is too much. Few threads for small slices: as many of
  // them as possible shall be walked at a time.
  SliceRoom(const PatternView& A, std::size_t entry_bytes) {
    constexpr std::size_t few_bytes = 14 << 10, some_bytes = 24 << 10;
    const std::int64_t slices = std::max<std::int64_t>(1, simt::blocks_for(A.rows, slice_rows));
    entries = (A.nnz() / slices * 9 / 8 + 64) / 4 * 4;  // what lies behind the columns is aligned
    const std::size_t bytes = static_cast<std::size_t>(entries) * entry_bytes;
    threads = bytes <= few_bytes ? 64 : bytes <= some_bytes ? 128 : 256;
    if (bytes > most_bytes) entries = 0, threads = simt::warp_size;
  }
  // Up to twice the mean, where all slices have room at once: one that is walked where it lies waits for memory at
  // every step, and of few slices the slowest one decides.
  void widen(const PatternView& A, std::int64_t slices, std::size_t entry_bytes) {
    constexpr std::int64_t of_all_slices = 20 << 20;  // bytes that 100 multiprocessors have
    const std::int64_t most = of_all_slices / slices / static_cast<std::int64_t>(entry_bytes) / 4 * 4;
    if (entries > 0) entries = std::max(entries, std::min(most, (A.nnz() / slices * 2 + 64) / 4 * 4));
  }
  simt::Launch block_per(std::int64_t slices, std::size_t entry_bytes) const {
    return {slices, threads, static_cast<std::size_t>(std::max<std::int64_t>(1, entries)) * entry_bytes};
  }

 private:
  static constexpr std::size_t most_bytes = 64 << 10;
};

// f(first) for rounds of `loads_of_round` elements a thread, of which the first has number `first`.
inline constexpr int loads_of_round = 8;
template <class F>
SIMT_DEVICE void each_round(Offset count, const F& f) {
  for (Offset first = simt::thread(); first < count; first += loads_of_round * simt::block_threads()) f(first);
}
// Behind the end the last one again, so that no load waits for another.
template <class T>
SIMT_DEVICE void load_round(const T* from, Offset count, Offset first, T (&to)[loads_of_round]) {
#pragma unroll
  for (int u = 0; u < loads_of_round; ++u) {
    const Offset i = first + u * simt::block_threads();
    to[u] = simt::stream_load(from + (i < count ? i : count - 1));
  }
}
template <class T>
SIMT_DEVICE void store_round(const T (&from)[loads_of_round], Offset count, Offset first, T* to) {
#pragma unroll
  for (int u = 0; u < loads_of_round; ++u)
    if (const Offset i = first + u * simt::block_threads(); i < count) to[i] = from[u];
}

struct SliceRows {
  std::int64_t first, last;
  Offset begin, count;

  SIMT_DEVICE SliceRows(const PatternArrays& A, std::int64_t first_row, std::int64_t last_row)
      : first(first_row), last(last_row), begin(A.ptr[first]), count(apart(A.ptr[last], begin)) {}
  SIMT_DEVICE SliceRows(const PatternArrays& A, std::int64_t s)
      : SliceRows(A, s * slice_rows, (s + 1) * slice_rows < A.rows ? (s + 1) * slice_rows : A.rows) {}
};

// An array of the entries of a slice, in the order in which they lie; or two, whose loads are under way together. By
// the block, which waits for them later.
template <class T>
SIMT_DEVICE void bring_near(const T* from, const SliceRows& rows, T* near) {
  each_round(rows.count, [&](Offset first) {
    T some[loads_of_round];
    load_round(from + rows.begin, rows.count, first, some);
    store_round(some, rows.count, first, near);
  });
}
template <class T, class U>
SIMT_DEVICE void bring_near(const T* from, const U* others_from, const SliceRows& rows, T* near, U* others_near) {
  each_round(rows.count, [&](Offset first) {
    T some[loads_of_round];
    U others[loads_of_round];
    load_round(from + rows.begin, rows.count, first, some);
    load_round(others_from + rows.begin, rows.count, first, others);
    store_round(some, rows.count, first, near);
    store_round(others, rows.count, first, others_near);
  });
}

}  // namespace heddle::weave
