// column_tiles (analyze/column_tiles.hpp) on the device: windows are counted by a block each, and the host adds up.
#include <bit>

#include "formats/weave/weave_facts.hpp"
#include "layout/device_entries.hpp"
#include "layout/device_radix.hpp"

namespace heddle::weave {

namespace {

constexpr int window_threads = 1024, threads = 256;

simt::Launch thread_per(std::int64_t items) { return {simt::blocks_for(items, threads), threads}; }

// Of a block: its window, what it counts, and a set of pairs behind.
struct WindowBoard {
  RowWindow window;
  std::uint32_t natural, by_degree;
};

// By one warp; valid in its first lane.
SIMT_DEVICE RowWindow find_window(const PatternArrays& A, const TileWindows& windows, std::int64_t i) {
  if (windows.all) {
    const std::int64_t first = windows.first_row(i),
                       last = first + WindowChoice::rows < A.rows ? first + WindowChoice::rows : A.rows;
    return {first, last, A.ptr[first], A.ptr[last]};
  }
  const Offset entry = windows.entry(i);
  const std::int64_t row = device::row_between_by_warp(A, 0, A.rows, entry);
  if (simt::lane() != 0) return {};
  return windows.around(row, entry, [&](std::int64_t r) { return A.ptr[r]; });
}

// By the block, which waits for it later.
SIMT_DEVICE void put_window(WindowBoard& board, const PatternArrays& A, const TileWindows& windows, std::int64_t i) {
  if (simt::warp() != 0) return;
  const RowWindow found = find_window(A, windows, i);
  if (simt::lane() == 0) board = {found, 0, 0};
}

SIMT_KERNEL clear_thread_per_word(std::uint32_t* words, std::int64_t count) {
  if (simt::global_thread() < count) words[simt::global_thread()] = 0;
}

SIMT_KERNEL count_block_per_window(PatternArrays A, TileWindows windows, std::int64_t step, std::uint32_t* count) {
  auto& board = *simt::shared<WindowBoard>();
  put_window(board, A, windows, simt::block() * step);
  simt::sync_block();
  constexpr int at_once = 8;
  for (Offset k = board.window.begin + simt::thread(); k < board.window.end; k += at_once * window_threads) {
    Index column[at_once];
    device::load_strided(A.col, board.window.end, k, window_threads, column);
#pragma unroll
    for (int u = 0; u < at_once; ++u)
      if (k + u * window_threads < board.window.end) simt::atomic_add(count + column[u], 1u);
  }
}

struct FallingCounts {
  const std::uint32_t* count;
  SIMT_DEVICE std::uint32_t key(std::int64_t column) const {
    const std::uint32_t c = count[column];
    return c < most_sampled_degree ? most_sampled_degree - c : 0;
  }
};

SIMT_KERNEL place_thread_per_column(const Index* sorted, std::int64_t count, Index* place) {
  const std::int64_t i = simt::global_thread();
  if (i < count) place[sorted[i]] = static_cast<Index>(i);
}

// A set of numbers above 0, in shared memory: a power of two of slots, twice as many as numbers.
struct PairSet {
  std::uint32_t* slot;
  std::uint32_t slots;

  // By the upper bits of the product: the lower ones do not depend on the row, which is on top of the pair.
  SIMT_DEVICE std::uint32_t place(std::uint32_t pair) const {
    return static_cast<std::uint32_t>(std::uint64_t{pair * 0x9E3779B9u} * slots >> 32);
  }
  SIMT_DEVICE bool insert(std::uint32_t pair) const {
    for (std::uint32_t at = place(pair);; at = (at + 1) & (slots - 1)) {
      const std::uint32_t there = simt::atomic_claim(slot + at, pair);
      if (there == 0) return true;
      if (there == pair) return false;
    }
  }
};

struct PairsOf {
  std::int64_t first, step;  // the windows that are counted
  std::int64_t width;
  const Index* place;  // in the order of degrees; null: they do not matter
  std::uint32_t slots;
};

SIMT_KERNEL pairs_block_per_window(PatternArrays A, TileWindows windows, PairsOf of, TilePairs* to) {
  auto& board = *simt::shared<WindowBoard>();
  const PairSet set{reinterpret_cast<std::uint32_t*>(&board + 1), of.slots};
  put_window(board, A, windows, of.first + simt::block() * of.step);
  for (std::uint32_t i = simt::thread(); i < of.slots; i += window_threads) set.slot[i] = 0;
  simt::sync_block();
  const RowWindow w = board.window;
  std::uint32_t natural = 0, by_degree = 0;
  for (Offset k = w.begin + simt::thread(); k < w.end; k += window_threads) {
    const std::int64_t row = device::row_between(A, w.first, w.last, k);
    const bool begins = k == w.begin || k == A.ptr[row];
    natural += begins || A.col[k] / of.width != A.col[k - 1] / of.width;
    if (of.place == nullptr) continue;
    const auto tile = static_cast<std::uint32_t>(of.place[A.col[k]] / of.width);
    by_degree += set.insert((static_cast<std::uint32_t>(row - w.first) << 23 | tile) + 1);
  }
  simt::atomic_add(&board.natural, natural);
  simt::atomic_add(&board.by_degree, of.place ? by_degree : natural);
  simt::sync_block();
  if (simt::thread() == 0) to[simt::block()] = {w.end - w.begin, board.natural, board.by_degree};
}

const Index* queue_order(simt::Here here, const PatternView& A, const TileWindows& windows, device::Workspace& memory) {
  auto* count = memory.take<std::uint32_t>(A.cols);
  auto* place = memory.take<Index>(A.cols);
  simt::launch(here, thread_per(A.cols), clear_thread_per_word, count, A.cols);
  simt::launch(here, {windows.ordering(), window_threads, sizeof(WindowBoard)}, count_block_per_window,
               PatternArrays(A), windows, windows.step(), count);
  const auto sorted =
      device::queue_sort(here, FallingCounts{count}, {std::bit_width(most_sampled_degree)}, {.items = A.cols}, memory);
  simt::launch(here, thread_per(A.cols), place_thread_per_column, sorted.item, A.cols, place);
  return place;
}

}  // namespace

ColumnTiles column_tiles(simt::Here here, const PatternView& A, std::int64_t width, Device device) {
  device::Workspace memory(device);
  const TileWindows windows(A.rows, A.nnz());
  const Index* place = A.cols > width ? queue_order(here, A, windows, memory) : nullptr;
  const std::int64_t most_entries = std::min<std::int64_t>(A.nnz(), WindowChoice::entries);
  const auto slots = place ? std::bit_ceil(static_cast<std::uint32_t>(2 * most_entries)) : 0;
  device::Answers<TilePairs> found(windows.counted(), device);
  simt::launch(
      here, {windows.counted(), window_threads, sizeof(WindowBoard) + static_cast<std::size_t>(slots) * sizeof slots},
      pairs_block_per_window, PatternArrays(A), windows,
      PairsOf{windows.first_counted(), windows.step(), width, place, slots}, found.there());
  return tiles_of(found.here(), windows.all);
}

}  // namespace heddle::weave
