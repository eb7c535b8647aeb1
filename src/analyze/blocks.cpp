#include <utility>

#include "analyze/parts.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

constexpr int window = 24;  // rows: a multiple of every block height

// One window out of each `stride`, at a scattered place: a fixed distance could keep step with the lines of a grid.
std::int64_t window_of(std::int64_t i, std::int64_t stride, std::int64_t windows) {
  const std::uint64_t scattered = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u >> 33;
  return std::min(i * stride + static_cast<std::int64_t>(scattered) % stride, windows - 1);
}

constexpr int shapes = 8;
constexpr int shape[shapes][2] = {{2, 2}, {3, 3}, {4, 4}, {6, 6}, {8, 8}, {1, 3}, {2, 4}, {4, 2}};

struct Counts {
  std::int64_t entries = 0;
  std::int64_t blocks[shapes] = {};
};

//  The rows of one block row, each sorted, are merged by block column:
//
//    row 0   0  1 | 4 5       block columns (c = 2)   0 2
//    row 1   1  7                                     0   3     -> blocks 0, 2, 3
template <int R, int C>
std::int64_t blocks_of_rows(const PatternView& A, std::int64_t first, std::int64_t last) {
  constexpr Index none = INT32_MAX;
  Offset at[R];
  Index head[R];  // block column of the next entry
  const int rows = static_cast<int>(last - first);
  const auto block = [&](int i) { return at[i] < A.ptr[first + i + 1] ? A.col[at[i]] / C : none; };
  Index next = none;
  for (int i = 0; i < rows; ++i) {
    at[i] = A.ptr[first + i];
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
std::int64_t blocks_of_window(const PatternView& A, std::int64_t first, std::int64_t last) {
  constexpr int R = shape[Shape][0], C = shape[Shape][1];
  std::int64_t count = 0;
  for (std::int64_t row = first; row < last; row += R)
    count += blocks_of_rows<R, C>(A, row, std::min<std::int64_t>(row + R, last));
  return count;
}

// Full blocks of any shape with two rows or more leave 2x2 blocks at most 16/9 times as empty: where 2x2 blocks hold
// little, no other shape is worth a look.
constexpr double hopeless = 2.7;

template <int... Shape>
void count_blocks(const PatternView& A, std::int64_t first, std::int64_t last, Counts& counts,
                  std::integer_sequence<int, Shape...>) {
  ((counts.blocks[Shape] += blocks_of_window<Shape>(A, first, last)), ...);
}

template <class Which>
void count_window(const PatternView& A, std::int64_t first, Counts& counts, Which which) {
  const std::int64_t last = std::min(first + window, A.rows);
  counts.entries += A.ptr[last] - A.ptr[first];
  count_blocks(A, first, last, counts, which);
}

}  // namespace

std::int64_t block_sample(std::int64_t nnz, Detail detail) {
  const std::int64_t least = detail == Detail::all ? 1 << 14 : 1 << 12, most = 8 * least;
  return std::clamp(nnz / 64, least, most);
}

namespace {

template <int... Shape>
std::vector<BlockFill> fills_of(const PatternView& A, std::int64_t sample, std::integer_sequence<int, Shape...> which) {
  const std::int64_t windows = (A.rows + window - 1) / window;
  const std::int64_t stride = std::max<std::int64_t>(1, A.nnz() / sample);  // every stride-th window
  const std::int64_t looked_at = (windows + stride - 1) / stride;
  constexpr std::int64_t grain = 64;
  Vector<Counts> parts(static_cast<std::size_t>((looked_at + grain - 1) / grain));
  parallel_ranges(looked_at, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      count_window(A, window_of(i, stride, windows) * window, parts[begin / grain], which);
  });
  Counts sum;
  for (const Counts& part : parts) {
    sum.entries += part.entries;
    for (int i = 0; i < shapes; ++i) sum.blocks[i] += part.blocks[i];
  }
  std::vector<BlockFill> fills;
  for (const int i : {Shape...}) {
    const auto [r, c] = std::pair(shape[i][0], shape[i][1]);
    const auto stored = static_cast<double>(sum.blocks[i] * r * c);
    fills.push_back({r, c, sum.entries > 0 ? stored / static_cast<double>(sum.entries) : 0});
  }
  return fills;
}

}  // namespace

std::vector<BlockFill> measure_blocks(const PatternView& A, std::int64_t sample, Detail detail) {
  if (detail == Detail::planning) {
    std::vector<BlockFill> smallest = fills_of(A, sample, std::integer_sequence<int, 0>());
    if (smallest.front().fill > hopeless) return smallest;
  }
  return fills_of(A, sample, std::make_integer_sequence<int, shapes>());
}

}  // namespace heddle
