#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <heddle/reorder.hpp>

#include "core/check.hpp"
#include "core/parallel.hpp"

namespace heddle {

namespace {

struct LongerOrEarlier {
  const PatternView& A;
  bool operator()(Index a, Index b) const { return A.length(a) != A.length(b) ? A.length(a) > A.length(b) : a < b; }
};

// Rows [first, last) of a large window, by counting: place[l] is where the next row of length l goes. Rows of `longest`
// entries and more, few in any matrix that fits a memory, share a counter and are sorted afterwards.
void count_sort(const PatternView& A, std::int64_t first, std::int64_t last, Index* order) {
  constexpr std::int64_t longest = 1024;
  std::array<std::int64_t, longest + 1> place{};
  const auto counter = [&](std::int64_t row) -> std::int64_t& {
    return place[std::min<Offset>(A.length(row), longest)];
  };
  for (std::int64_t row = first; row < last; ++row) ++counter(row);
  std::int64_t before = 0;
  for (std::int64_t length = longest; length >= 0; --length) before += std::exchange(place[length], before);
  for (std::int64_t row = first; row < last; ++row) order[counter(row)++] = static_cast<Index>(row);
  std::sort(order, order + place[longest], LongerOrEarlier{A});
}

void sort_window(const PatternView& A, std::int64_t first, std::int64_t last, Index* order) {
  constexpr std::int64_t worth_counting = 1024;
  if (last - first > worth_counting) return count_sort(A, first, last, order);
  std::iota(order, order + (last - first), static_cast<Index>(first));
  std::sort(order, order + (last - first), LongerOrEarlier{A});
}

}  // namespace

Permutation length_order(const PatternView& A, std::int64_t window) {
  check(window >= 0, ErrorKind::usage, "a window of {} rows", window);
  Permutation order{Buffer<Index>(A.rows)};
  if (window == 0) window = std::max<std::int64_t>(A.rows, 1);
  const std::int64_t windows_per_task = std::max<std::int64_t>(1, 16384 / window);
  parallel_ranges(A.rows, window * windows_per_task, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin; first < end; first += window)
      sort_window(A, first, std::min(first + window, end), order.new_to_old.data() + first);
  });
  return order;
}

}  // namespace heddle
