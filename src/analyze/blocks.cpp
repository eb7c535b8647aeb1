
#include "analyze/looks.hpp"
#include "core/dispatch.hpp"

namespace heddle {

namespace {

struct Window {
  std::int64_t first, last;  // rows
  Index limit;               // column
};

Window window_at(const PatternView& A, std::int64_t first, int shape) {
  const int unit = BlockWindows::unit(shape);
  Window w{BlockWindows::border(first, unit, A.rows), BlockWindows::border(first + BlockWindows::rows, unit, A.rows),
           BlockWindows::no_limit};
  for (std::int64_t row = w.first; row < w.last; ++row)
    w.limit = std::min(w.limit, BlockWindows::limit(A.col.data() + A.ptr[row], A.length(row)));
  w.limit = BlockWindows::limit_of(w.limit, unit);
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

double fill_of(const BlockCounts& counts, int shape) {
  const auto stored = static_cast<double>(counts.blocks[shape] * block_shape[shape][0] * block_shape[shape][1]);
  const std::int64_t entries = shape == shape_of_fives ? counts.entries_of_fives : counts.entries;
  return entries > 0 ? stored / static_cast<double>(entries) : 0;
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

namespace {
constexpr std::int64_t windows_of_task = 4;  // some 10 us each for all shapes
}

BlocksLook::BlocksLook(const PatternView& pattern, std::int64_t sample, Detail detail)
    : A(pattern),
      detail_(detail),
      windows_(A.rows, A.nnz(), sample),
      tasks_((windows_.count + windows_of_task - 1) / windows_of_task),
      parts_(static_cast<std::size_t>(tasks_)) {}

template <int Shape>
void BlocksLook::count(std::int64_t task) {
  BlockCounts& part = parts_[static_cast<std::size_t>(task)];
  const std::int64_t end = std::min(windows_.count, (task + 1) * windows_of_task);
  for (std::int64_t i = task * windows_of_task; i < end; ++i) {
    const Window w = window_at(A, windows_.first_row(i), Shape);
    if (Shape == 0) part.entries += entries_of(A, w);
    if (Shape == shape_of_fives) part.entries_of_fives += entries_of(A, w);
    part.blocks[Shape] += blocks_of_window<Shape>(A, w);
  }
}

void BlocksLook::run(std::int64_t first, std::int64_t last) {
  for (std::int64_t task = first; task < last; ++task) {
    if (!second_round_)
      count<0>(task);
    else
      dispatch_int<1, 2, 3, 4, 5, 6, 7, 8>(static_cast<int>(1 + task % (block_shapes - 1)), [&](auto shape) {
        count<decltype(shape)::value>(task / (block_shapes - 1));
      });
  }
}

void BlocksLook::begin_second_round() {
  second_round_ = true;
  static_assert(block_shapes == 9);
  const bool hopeless = detail_ == Detail::planning && fill_of(counts(), 0) > hopeless_fill;
  tasks_ = hopeless ? 0 : tasks_ * (block_shapes - 1);
}

BlockCounts BlocksLook::counts() const {
  BlockCounts sum;
  for (const BlockCounts& part : parts_) {
    sum.entries += part.entries;
    sum.entries_of_fives += part.entries_of_fives;
    for (int i = 0; i < block_shapes; ++i) sum.blocks[i] += part.blocks[i];
  }
  return sum;
}

}  // namespace heddle
