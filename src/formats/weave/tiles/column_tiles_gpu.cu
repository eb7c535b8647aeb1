// column_tiles (analyze/column_tiles.hpp) on the device: windows are counted by four blocks each, and the host adds up.
#include <bit>

#include "formats/weave/weave_facts.hpp"
#include "simt/csr/device_entries.hpp"
#include "simt/primitives/radix.hpp"

namespace heddle::weave {

namespace {

constexpr int window_threads = 1024, threads = 256;
// Blocks of a window: there are too few windows to keep the device busy (by one block each pairs of an R-MAT of 3.9 M
// entries were counted in 45 us; H200).
constexpr int window_parts = 4;

simt::Launch thread_per(std::int64_t items) { return {simt::blocks_for(items, threads), threads}; }

// Of a block: its window, what it counts, and a set of pairs behind.
struct WindowBoard {
  RowWindow window;
  std::uint32_t natural, by_degree;
  std::int64_t row;                    // of the entry that the window is around
  Offset ptr[WindowChoice::rows + 1];  // from the first row on that may be in it
};

// By the block. Where rows are long the window is narrowed row by row: from memory each would be waited for.
SIMT_DEVICE void put_window(WindowBoard& board, const PatternArrays& A, const TileWindows& windows, std::int64_t i) {
  const Offset entry = windows.entry(i);
  if (!windows.all && simt::warp() == 0) {
    const std::int64_t row = device::row_between_by_warp(A, 0, A.rows, entry);
    if (simt::lane() == 0) board.row = row;
  }
  simt::sync_block();
  const std::int64_t first = windows.all ? windows.first_row(i) : board.row / WindowChoice::slice * WindowChoice::slice;
  const std::int64_t last = first + WindowChoice::rows < A.rows ? first + WindowChoice::rows : A.rows;
  if (first + simt::thread() <= last) board.ptr[simt::thread()] = A.ptr[first + simt::thread()];
  static_assert(WindowChoice::rows < window_threads);
  simt::sync_block();
  if (simt::thread() == 0) {
    const auto ptr = [&](std::int64_t r) { return board.ptr[r - first]; };
    board.window = windows.all ? RowWindow{first, last, ptr(first), ptr(last)} : windows.around(board.row, entry, ptr);
    board.natural = board.by_degree = 0;
  }
  simt::sync_block();
}

SIMT_KERNEL clear_thread_per_word(std::uint32_t* words, std::int64_t count) {
  if (simt::global_thread() < count) words[simt::global_thread()] = 0;
}

SIMT_KERNEL count_blocks_per_window(PatternArrays A, TileWindows windows, std::int64_t step, std::uint32_t* count) {
  auto& board = *simt::shared<WindowBoard>();
  put_window(board, A, windows, simt::block() / window_parts * step);
  constexpr int at_once = WindowChoice::entries / (window_threads * window_parts);
  const std::int64_t part = simt::block() % window_parts;
  for (Offset first = board.window.begin; first < board.window.end; first += WindowChoice::entries) {
    const Offset k = first + part * at_once * window_threads + simt::thread();
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
      std::uint32_t there = slot[at];  // mostly it is known: lanes that claim one slot wait for each other
      if (there == 0) there = simt::atomic_claim(slot + at, pair);
      if (there == 0) return true;
      if (there == pair) return false;
    }
  }
};

struct PairsOf {
  std::int64_t first, step;  // the windows that are counted
  std::uint32_t width;
  const Index* place;  // in the order of degrees; null: they do not matter
  std::uint32_t slots;
};

// Part of a window: rows of it. One that is a single row has it in its last part.
SIMT_DEVICE RowWindow part_of(const PatternArrays& A, const RowWindow& window, std::int64_t part) {
  const std::int64_t rows = window.last - window.first;
  if (rows == 1) return part == window_parts - 1 ? window : RowWindow{window.first, window.first, 0, 0};
  const std::int64_t first = window.first + rows * part / window_parts,
                     last = window.first + rows * (part + 1) / window_parts;
  return {first, last, A.ptr[first], A.ptr[last]};
}

SIMT_KERNEL pairs_blocks_per_window(PatternArrays A, TileWindows windows, PairsOf of, TilePairs* to) {
  auto& board = *simt::shared<WindowBoard>();
  const PairSet set{reinterpret_cast<std::uint32_t*>(&board + 1), of.slots};
  for (std::uint32_t i = simt::thread(); i < of.slots; i += window_threads) set.slot[i] = 0;
  put_window(board, A, windows, of.first + simt::block() / window_parts * of.step);
  const RowWindow w = part_of(A, board.window, simt::block() % window_parts);
  const auto tile_of = [&](Index place) { return static_cast<std::uint32_t>(place) / of.width; };
  std::uint32_t natural = 0, by_degree = 0;
  for (Offset k = w.begin + simt::thread(); k < w.end; k += window_threads) {
    const std::int64_t row = device::row_between(A, w.first, w.last, k);
    const bool begins = k == w.begin || k == A.ptr[row];
    natural += begins || tile_of(A.col[k]) != tile_of(A.col[k - 1]);
    if (of.place == nullptr) continue;
    const std::uint32_t tile = tile_of(of.place[A.col[k]]);
    by_degree += set.insert((static_cast<std::uint32_t>(row - w.first) << 23 | tile) + 1);
  }
  natural = simt::sum_lanes(natural);
  by_degree = of.place ? simt::sum_lanes(by_degree) : natural;
  if (simt::lane() == 0) {
    simt::atomic_add(&board.natural, natural);
    simt::atomic_add(&board.by_degree, by_degree);
  }
  simt::sync_block();
  if (simt::thread() == 0) to[simt::block()] = {w.end - w.begin, board.natural, board.by_degree};
}

const Index* queue_order(simt::Here here, const PatternView& A, const TileWindows& windows, device::Workspace& memory) {
  auto* count = memory.take<std::uint32_t>(A.cols);
  auto* place = memory.take<Index>(A.cols);
  simt::launch(here, thread_per(A.cols), clear_thread_per_word, count, A.cols);
  simt::launch(here, {windows.ordering() * window_parts, window_threads, sizeof(WindowBoard)}, count_blocks_per_window,
               PatternArrays(A), windows, windows.step(), count);
  device::queue_sort(here, FallingCounts{count}, {std::bit_width(most_sampled_degree)}, {.items = A.cols}, memory,
                     device::PlacesOfItems{place});
  return place;
}

Vector<TilePairs> whole_windows(std::span<const TilePairs> parts) {
  Vector<TilePairs> windows(parts.size() / window_parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    TilePairs& window = windows[i / window_parts];
    window.entries += parts[i].entries;
    window.natural += parts[i].natural;
    window.by_degree += parts[i].by_degree;
  }
  return windows;
}

}  // namespace

ColumnTiles column_tiles(simt::Here here, const PatternView& A, std::int64_t width, Device device,
                         const std::function<void()>& meanwhile) {
  device::Workspace memory(device);
  const TileWindows windows(A.rows, A.nnz());
  const Index* place = A.cols > width ? queue_order(here, A, windows, memory) : nullptr;
  const std::int64_t most_entries = std::min<std::int64_t>(A.nnz(), WindowChoice::entries);
  const auto slots = place ? std::bit_ceil(static_cast<std::uint32_t>(2 * most_entries)) : 0;
  device::Answers<TilePairs> found(windows.counted() * window_parts, device);
  simt::launch(here,
               {windows.counted() * window_parts, window_threads,
                sizeof(WindowBoard) + static_cast<std::size_t>(slots) * sizeof slots},
               pairs_blocks_per_window, PatternArrays(A), windows,
               PairsOf{windows.first_counted(), windows.step(), static_cast<std::uint32_t>(width), place, slots},
               found.there());
  if (meanwhile) meanwhile();
  return tiles_of(whole_windows(found.here()), windows.all);
}

}  // namespace heddle::weave
