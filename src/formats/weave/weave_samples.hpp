// Samples of a pattern, looked at by one kernel: parts of the rows, cut into slices as they are and sorted by length,
// and windows of entries. The arrays need not be a matrix: every read stays inside them.
#pragma once

#include "formats/weave/diagonals/diagonal_walk.hpp"
#include "formats/weave/weave_facts.hpp"
#include "simt/csr/device_csr.hpp"

namespace heddle::weave {

namespace {  // kernels: compiled for two devices under one name

// Whether the entries of a row are some: those of a matrix always are.
SIMT_DEVICE bool is_inside(const PatternArrays& A, std::int64_t row, Offset nnz) {
  return A.ptr[row] >= 0 && A.ptr[row] <= A.ptr[row + 1] && A.ptr[row + 1] <= nnz;
}

// Places of the parts that are looked at, and their entries.
struct Places {
  std::int64_t stored = 0, entries = 0;

  SIMT_BOTH void add(const Places& other) {
    stored += other.stored;
    entries += other.entries;
  }
  double per_entry() const { return entries > 0 ? static_cast<double>(stored) / static_cast<double>(entries) : 1; }
};

constexpr int sample_threads = SampledRows::part_rows, sample_warps = sample_threads / simt::warp_size;

// What the blocks of one launch look at: parts of the rows, then windows of entries, a warp each.
struct Samples {
  PatternArrays A;
  Offset nnz;
  SampledRows sampled;
  std::int64_t parts;  // 0: nobody asks for slices
  TeamShape shape;
  std::int64_t windows, window_step;

  std::int64_t blocks() const { return parts + simt::blocks_for(windows, sample_warps); }
};

struct SamplesFound {
  Places as_they_are, sorted, windows;

  SIMT_BOTH void add(const SamplesFound& other) {
    as_they_are.add(other.as_they_are);
    sorted.add(other.sorted);
    windows.add(other.windows);
  }
};

// Rows of a part by the steps they take, up to `most_counted`.
struct SampleBoard {
  static constexpr int most_counted = 1024;
  std::int32_t steps[sample_threads];
  std::uint32_t rows_of[most_counted];  // of so many steps
  std::int64_t of_warps[sample_warps];
};

// Of all threads of the block, in the first one. The block calls it together.
SIMT_DEVICE std::int64_t block_sum(std::int64_t mine, std::int64_t* of_warps) {
  const std::int64_t of_warp = simt::warp_sum(mine);
  if (simt::lane() == 0) of_warps[simt::warp()] = of_warp;
  simt::sync_block();
  std::int64_t sum = 0;
  for (int w = 0; w < sample_warps; ++w) sum += of_warps[w];
  simt::sync_block();
  return sum;
}

// The longest of each slice of `height` neighbouring rows, a power of two, added up: a thread's part of that. The block
// calls it together.
SIMT_DEVICE std::int64_t steps_as_they_are(const SampleBoard& board, int height) {
  std::int32_t longest = board.steps[simt::thread()];
  for (int lane = 1; lane < height && lane < simt::warp_size; lane *= 2) {
    const std::int32_t other = simt::shuffle_xor(longest, lane);
    longest = other > longest ? other : longest;
  }
  if (simt::thread() % height != 0) return 0;
  for (int row = simt::warp_size; row < height; ++row) {  // of warps behind the first
    const std::int32_t other = board.steps[simt::thread() + row];
    longest = other > longest ? other : longest;
  }
  return longest;
}

// How many of the ranks [first, last) are multiples of `height`, a power of two.
SIMT_DEVICE int first_ranks(int first, int last, int height) {
  const int shift = simt::count_bits(static_cast<unsigned>(height - 1));
  return ((last + height - 1) >> shift) - ((first + height - 1) >> shift);
}

// The same with the rows sorted by length: then the first row of each slice is its longest, and nothing has to be known
// but how many rows take more steps. Rows of many steps count those themselves; the others by numbers of rows of each
// length, 32 lengths at a time.
SIMT_DEVICE std::int64_t steps_sorted(SampleBoard& board, int rows, int height) {
  for (int i = simt::thread(); i < SampleBoard::most_counted; i += sample_threads) board.rows_of[i] = 0;
  simt::sync_block();
  const std::int32_t mine = board.steps[simt::thread()];
  const bool counted = mine < SampleBoard::most_counted;
  if (simt::thread() < rows && counted) simt::atomic_add(board.rows_of + mine, 1u);
  simt::sync_block();
  std::int64_t steps = 0;
  if (!counted) {
    int before = 0;
    for (int i = 0; i < rows; ++i) before += board.steps[i] > mine || (board.steps[i] == mine && i < simt::thread());
    if (before % height == 0) steps = mine;
  }
  if (simt::warp() != 0) return steps;
  int shorter = 0;  // rows: ranks are counted from their end
  for (int first = 0; first < SampleBoard::most_counted && shorter < rows; first += simt::warp_size) {
    const int count = static_cast<int>(board.rows_of[first + simt::lane()]);
    if (!simt::any(count > 0)) continue;
    int upto = count;
    for (int distance = 1; distance < simt::warp_size; distance *= 2) {
      const int below = simt::shuffle_up(upto, distance);
      if (simt::lane() >= distance) upto += below;
    }
    const int last = rows - shorter - (upto - count);
    steps += std::int64_t{first + simt::lane()} * first_ranks(last - count, last, height);
    shorter += simt::shuffle(upto, simt::warp_size - 1);
  }
  return steps;
}

// The slices of a part of the rows, as they are and sorted by length.
SIMT_DEVICE SamplesFound look_at_part(const Samples& s, SampleBoard& board) {
  const std::int64_t first = s.sampled.first(simt::block()), last = s.sampled.last(simt::block());
  const int rows = static_cast<int>(last - first), height = s.shape.slice_rows();
  const bool some = simt::thread() < rows && is_inside(s.A, first + simt::thread(), s.nnz);
  const Offset length = some ? s.A.length(first + simt::thread()) : 0;
  board.steps[simt::thread()] = static_cast<std::int32_t>((length + s.shape.lanes - 1) / s.shape.lanes);
  simt::sync_block();
  const std::int64_t slots = s.shape.step_slots();
  const std::int64_t as_they_are = block_sum(steps_as_they_are(board, height), board.of_warps);
  const std::int64_t sorted = block_sum(steps_sorted(board, rows, height), board.of_warps);
  const Offset entries = apart(s.A.ptr[last], s.A.ptr[first]);
  return {{as_they_are * slots, entries}, {sorted * slots, entries}, {}};
}

// The first lane with a sector counts it, as a place that is stored.
SIMT_DEVICE SamplesFound look_at_windows(const Samples& s, SampleBoard& board) {
  static_assert(SampledWindows::window == simt::warp_size);
  const std::int64_t w = (simt::block() - s.parts) * sample_warps + simt::warp();
  std::int64_t sectors = 0;
  if (w < s.windows) {
    const Index column = s.A.col[w * s.window_step + simt::lane()];
    const auto sector = static_cast<unsigned>(column / SampledWindows::sector_elements);
    sectors = (simt::same_lanes(sector) & ((1u << simt::lane()) - 1)) == 0 ? 1 : 0;
  }
  return {{}, {}, {block_sum(sectors, board.of_warps), 0}};
}

SIMT_BOUNDED_KERNEL(sample_threads, 1)
look_at_samples(Samples s, SamplesFound* to) {
  simt::let_next_start();
  SampleBoard& board = *simt::shared<SampleBoard>();
  const SamplesFound found = simt::block() < s.parts ? look_at_part(s, board) : look_at_windows(s, board);
  if (simt::thread() != 0) return;
  to[simt::block()] = found;
  if (simt::block() == 0) simt::wait_for_earlier();  // so that this grid ends behind it
}

}  // namespace

}  // namespace heddle::weave
