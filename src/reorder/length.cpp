#include <algorithm>

#include <heddle/reorder.hpp>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

// Rows [first, last) by descending length, by counting: place[l] is where the next row of length l goes. Rows of
// `longest` and more, few in any matrix that fits a memory, share a counter and are sorted afterwards.
void sort_window(const PatternView& A, std::int64_t first, std::int64_t last, Vector<std::int64_t>& place,
                 Index* order) {
  constexpr std::int64_t longest = 1 << 14;
  std::int64_t top = 0;
  for (std::int64_t row = first; row < last; ++row) top = std::max(top, std::min(A.length(row), longest));
  place.assign(static_cast<std::size_t>(top) + 1, 0);
  for (std::int64_t row = first; row < last; ++row) ++place[std::min(A.length(row), top)];
  std::int64_t before = 0;
  for (std::int64_t length = top; length >= 0; --length) before += std::exchange(place[length], before);
  for (std::int64_t row = first; row < last; ++row)
    order[place[std::min(A.length(row), top)]++] = static_cast<Index>(row);
  if (top == longest)
    std::sort(order, order + place[top],
              [&](Index a, Index b) { return A.length(a) != A.length(b) ? A.length(a) > A.length(b) : a < b; });
}

}  // namespace

Permutation length_order(const PatternView& A, std::int64_t window) {
  check(window >= 0, ErrorKind::usage, "a window of {} rows", window);
  Permutation order{Buffer<Index>(A.rows)};
  if (window == 0) window = std::max<std::int64_t>(A.rows, 1);
  const std::int64_t windows_per_task = std::max<std::int64_t>(1, 16384 / window);
  parallel_ranges(A.rows, window * windows_per_task, [&](std::int64_t begin, std::int64_t end) {
    Vector<std::int64_t> place;
    for (std::int64_t first = begin; first < end; first += window)
      sort_window(A, first, std::min(first + window, end), place, order.new_to_old.data() + first);
  });
  return order;
}

}  // namespace heddle
