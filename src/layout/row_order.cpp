#include "layout/row_order.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/parallel.hpp"

namespace heddle {

namespace {

constexpr std::int64_t counted_lengths = 1024;  // shorter rows are sorted by counting, longer ones (few) by comparing

struct LongerOrEarlier {
  const PatternView& A;
  bool operator()(Index a, Index b) const {
    const Offset length_a = A.length(a), length_b = A.length(b);
    return length_a != length_b ? length_a > length_b : a < b;
  }
};

// Rows of one large window, by counting: sorted[0] is where row `first` would be without sorting.
void count_sort(const PatternView& A, std::int64_t first, std::int64_t last, Index* sorted) {
  std::array<std::int64_t, counted_lengths + 1> rows_of{};  // the last one counts all long rows
  const auto bucket = [&](std::int64_t row) { return std::min<Offset>(A.length(row), counted_lengths); };
  for (std::int64_t row = first; row < last; ++row) ++rows_of[static_cast<std::size_t>(bucket(row))];
  const std::int64_t long_rows = rows_of[counted_lengths];
  std::array<std::int64_t, counted_lengths + 1> place{};
  for (std::size_t b = counted_lengths; b > 0; --b) place[b - 1] = place[b] + rows_of[b];
  for (std::int64_t row = first; row < last; ++row)
    sorted[place[static_cast<std::size_t>(bucket(row))]++] = static_cast<Index>(row);
  std::sort(sorted, sorted + long_rows, LongerOrEarlier{A});
}

}  // namespace

Buffer<Index> longest_first(const PatternView& A, std::int64_t window) {
  Buffer<Index> row_of(A.rows);
  const std::int64_t windows = (A.rows + window - 1) / window,
                     windows_at_once = std::max<std::int64_t>(1, 4096 / window);
  parallel_ranges(windows, windows_at_once, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w) {
      const std::int64_t first = w * window, last = std::min(A.rows, first + window);
      Index* sorted = row_of.data() + first;
      if (last - first > counted_lengths) {
        count_sort(A, first, last, sorted);
      } else {
        std::iota(sorted, sorted + (last - first), static_cast<Index>(first));
        std::sort(sorted, sorted + (last - first), LongerOrEarlier{A});
      }
    }
  });
  return row_of;
}

}  // namespace heddle
