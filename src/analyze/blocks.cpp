#include <utility>

#include "analyze/block_windows.hpp"
#include "analyze/parts.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

struct Window {
  std::int64_t first, last;  // rows
  Index limit;               // column
};

Window window_at(const PatternView& A, std::int64_t first) {
  Window w{first, std::min(first + BlockWindows::rows, A.rows), BlockWindows::no_limit};
  for (std::int64_t row = w.first; row < w.last; ++row)
    w.limit = std::min(w.limit, BlockWindows::limit(A.col.data() + A.ptr[row], A.length(row)));
  return w;
}

std::int64_t entries_of(const PatternView& A, const Window& w) {
  if (w.limit == BlockWindows::no_limit) return A.ptr[w.last] - A.ptr[w.first];
  std::int64_t entries = 0;
  for (std::int64_t row = w.first; row < w.last; ++row) {
    const auto columns = A.col.subspan(A.ptr[row], A.length(row));
    entries += std::lower_bound(columns.begin(), columns.end(), w.limit) - columns.begin();
  }
  return entries;
}

//  The rows of one block row, each sorted, are merged by block column:
//
//    row 0   0  1 | 4 5       block columns (c = 2)   0 2
//    row 1   1  7                                     0   3     -> blocks 0, 2, 3
template <int R, int C>
std::int64_t blocks_of_rows(const PatternView& A, const Window& w) {
  constexpr Index none = INT32_MAX;
  Offset at[R];
  Index head[R];  // block column of the next entry
  const int rows = static_cast<int>(w.last - w.first);
  const auto block = [&](int i) {
    return at[i] < A.ptr[w.first + i + 1] && A.col[at[i]] < w.limit ? A.col[at[i]] / C : none;
  };
  Index next = none;
  for (int i = 0; i < rows; ++i) {
    at[i] = A.ptr[w.first + i];
    head[i] = block(i);
    next = std::min(next, head[i]);
  }
  std::int64_t count = 0;
  while (next != none) {
    ++count;
    Index after = none;
    for (int i = 0; i < rows; ++i) {
      while (head[i] == next) {
        ++at[i];
        head[i] = block(i);
      }
      after = std::min(after, head[i]);
    }
    next = after;
  }
  return count;
}

template <int Shape>
std::int64_t blocks_of_window(const PatternView& A, const Window& w) {
  constexpr int R = block_shape[Shape][0], C = block_shape[Shape][1];
  std::int64_t count = 0;
  for (std::int64_t row = w.first; row < w.last; row += R)
    count += blocks_of_rows<R, C>(A, {row, std::min<std::int64_t>(row + R, w.last), w.limit});
  return count;
}

// A window takes some 10 us for all shapes.
template <int... Shape>
BlockCounts count_blocks(const PatternView& A, const BlockWindows& windows, std::integer_sequence<int, Shape...>) {
  constexpr std::int64_t grain = 4;
  Vector<BlockCounts> parts(static_cast<std::size_t>((windows.count + grain - 1) / grain));
  parallel_ranges(windows.count, grain, [&](std::int64_t begin, std::int64_t end) {
    BlockCounts& part = parts[begin / grain];
    for (std::int64_t i = begin; i < end; ++i) {
      const Window w = window_at(A, windows.first_row(i));
      part.entries += entries_of(A, w);
      ((part.blocks[Shape] += blocks_of_window<Shape>(A, w)), ...);
    }
  });
  BlockCounts sum;
  for (const BlockCounts& part : parts) {
    sum.entries += part.entries;
    for (int i = 0; i < block_shapes; ++i) sum.blocks[i] += part.blocks[i];
  }
  return sum;
}

double fill_of(const BlockCounts& counts, int shape) {
  const auto stored = static_cast<double>(counts.blocks[shape] * block_shape[shape][0] * block_shape[shape][1]);
  return counts.entries > 0 ? stored / static_cast<double>(counts.entries) : 0;
}

}  // namespace

std::int64_t block_sample(std::int64_t nnz, Detail detail) {
  const std::int64_t least = detail == Detail::all ? 1 << 14 : 1 << 12, most = 8 * least;
  return std::clamp(nnz / 64, least, most);
}

std::vector<BlockFill> block_fills(const BlockCounts& counts, Detail detail) {
  const bool hopeless = detail == Detail::planning && fill_of(counts, 0) > hopeless_fill;
  std::vector<BlockFill> fills;
  for (int i = 0; i < (hopeless ? 1 : block_shapes); ++i)
    fills.push_back({block_shape[i][0], block_shape[i][1], fill_of(counts, i)});
  return fills;
}

std::vector<BlockFill> measure_blocks(const PatternView& A, std::int64_t sample, Detail detail) {
  const BlockWindows windows(A.rows, A.nnz(), sample);
  const BlockCounts smallest = count_blocks(A, windows, std::integer_sequence<int, 0>());
  if (detail == Detail::planning && fill_of(smallest, 0) > hopeless_fill) return block_fills(smallest, detail);
  static_assert(block_shapes == 8);
  BlockCounts all = count_blocks(A, windows, std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7>());
  all.blocks[0] = smallest.blocks[0];
  return block_fills(all, detail);
}

}  // namespace heddle
