// What the choice of a layout asks about a pattern, whether it lies in host memory (weave_facts.cpp) or on a device
// (weave_facts_gpu.cu): the same numbers, hence the same choice.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "analyze/column_tiles.hpp"
#include "codec/sliced_columns.hpp"
#include "formats/weave/blocks/full_blocks.hpp"
#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

// What is likely to be asked soon, so that one look can answer all of it.
struct Questions {
  bool windows = false, diagonals = false, blocks = false;
  std::optional<TeamShape> slices = {};
  bool long_rows = false;
  BlockSizes full_blocks = {};  // which of them have none but full blocks
  BlockSizes* holes = nullptr;  // where kernels shall find that too, or null
  // Nobody has looked at the arrays yet, which may be no matrix. Queued behind whatever makes them, beside the question
  // before it.
  bool unseen = false;
};

class PatternFacts {
 public:
  explicit PatternFacts(const MatrixShape& shape) : shape_(shape) {}
  virtual ~PatternFacts() = default;

  const MatrixShape& shape() const { return shape_; }

  virtual void expect(const Questions&) {}
  // What else shall be asked beside what is expected, before anybody waits for answers; and beside tiles of columns.
  std::function<void()> beside, beside_tiles;
  // What diagonal_fill() and longest() will say, where somebody has found out already.
  std::optional<double> known_diagonal_fill;
  std::int64_t known_longest = -1;

  virtual std::int64_t longest() = 0;
  // Places stored per entry; from parts of the matrix where it is large.
  virtual double diagonal_fill() = 0;
  virtual double block_fill(int size) = 0;
  // Of all of the matrix. knows_full_blocks: somebody has asked.
  virtual BlockSizes full_blocks(BlockSizes sizes) = 0;
  virtual bool knows_full_blocks(BlockSizes) const { return false; }
  virtual double slice_fill(TeamShape shape, std::int64_t sort) = 0;
  // Steps of teams of so many threads over all rows.
  virtual std::int64_t team_steps(int threads) = 0;
  // The same where a thread's entries are up to four consecutive columns (long_rows/long_rows.hpp); and whether no row
  // has gaps.
  virtual std::int64_t quad_steps(int threads) = 0;
  virtual bool rows_are_runs() = 0;
  // Sectors of 32 bytes of x that 32 consecutive entries fetch together, in float: 4 for a dense row, 32 for columns
  // far apart. From windows spread evenly over the matrix.
  virtual double sectors_per_fetch() = 0;
  virtual ColumnTiles column_tiles(std::int64_t width) = 0;

 private:
  MatrixShape shape_;
};

std::unique_ptr<PatternFacts> facts_of(const PatternView& A);
std::unique_ptr<PatternFacts> facts_of(simt::Emulator, const PatternView& there, std::int64_t longest, Device device);
std::unique_ptr<PatternFacts> facts_of(simt::Cuda, const PatternView& there, std::int64_t longest, Device device);

// heddle::column_tiles for a pattern on a device, on that device. Fewer than 2^23 tiles. `meanwhile` is called before
// anybody waits.
inline constexpr std::int64_t most_counted_tiles = 1 << 23;
ColumnTiles column_tiles(simt::Emulator, const PatternView& there, std::int64_t width, Device device,
                         const std::function<void()>& meanwhile = {});
ColumnTiles column_tiles(simt::Cuda, const PatternView& there, std::int64_t width, Device device,
                         const std::function<void()>& meanwhile = {});

// The parts of a large matrix that are looked at, spread evenly. Their rows are a multiple of those of every slice; for
// blocks they begin and end at the next multiple of `unit`.
struct SampledRows {
  static constexpr std::int64_t part_rows = 768, most_parts = 64;
  std::int64_t rows = 0, parts = 0, step = 1;

  explicit SampledRows(std::int64_t matrix_rows, std::int64_t most = most_parts)
      : rows(matrix_rows), step(std::max<std::int64_t>(1, all_parts(matrix_rows) / most)) {
    parts = (all_parts(matrix_rows) + step - 1) / step;
  }
  SIMT_BOTH std::int64_t first(std::int64_t part, int unit = 1) const { return border(part * step, unit); }
  SIMT_BOTH std::int64_t last(std::int64_t part, int unit = 1) const { return border(part * step + 1, unit); }

 private:
  SIMT_BOTH std::int64_t border(std::int64_t parts_before, int unit) const {
    const std::int64_t row = (parts_before * part_rows + unit - 1) / unit * unit;
    return row < rows ? row : rows;
  }
  static std::int64_t all_parts(std::int64_t rows) { return (rows + part_rows - 1) / part_rows; }
};

// For blocks fewer do, as every row of blocks is merged (64 parts took 64 us on an H200), and of long rows fewer still
// (sixteen parts with 140 entries a row took 85 us, all of them in one kernel).
inline SampledRows sampled_for_blocks(const MatrixShape& A) {
  constexpr std::int64_t fewest_parts = 4, most_parts = 8, enough_entries = 1 << 17;
  const std::int64_t part_entries = 1 + A.nnz() * SampledRows::part_rows / std::max<std::int64_t>(1, A.rows);
  return SampledRows(A.rows, std::clamp(enough_entries / part_entries, fewest_parts, most_parts));
}

// Where a row is longer nobody asks for blocks in the end. So who looks before the longest one is known leaves such
// rows out: one warp took longer for one of an R-MAT than all others for theirs.
inline std::int64_t longest_suiting_blocks(const MatrixShape& A) {
  return std::min(longest_in_blocks, 64 * A.nnz() / std::max<std::int64_t>(1, A.rows) + 256);
}

// Where the row of a row of blocks that has most of them shows already that an entry has one and a half places or more,
// nobody looks which blocks the others share with it: that is a search for every entry (24 of the 32 us that a mesh of
// 2 M entries was looked at; H200).
SIMT_BOTH constexpr bool blocks_are_hopeless(std::int64_t at_least, int size, std::int64_t entries) {
  return 2 * at_least * size * size > 3 * entries;
}

// Windows of 32 consecutive entries.
struct SampledWindows {
  static constexpr std::int64_t window = simt::warp_size, most = 1024, sector_elements = 8;
  std::int64_t step, count;

  explicit SampledWindows(std::int64_t nnz)
      : step(std::max<std::int64_t>(window, nnz / most)), count(nnz < window ? 0 : (nnz - window) / step + 1) {}
};

// The diagonals of a slice count as `most_diagonal_fill` places per entry where they are more than
// `hopeless_diagonal_fill`, or more than `most_slice_diagonals`: then it is not looked at any longer. (A power law has
// slices of half a million entries, which one warp walked to their end: settling took 7.7 ms on an H200, and 80 us with
// 256 diagonals at most.) One with more than `most_slice_entries`, those of rows too long for diagonals, is not looked
// at either.
inline constexpr std::int64_t most_diagonal_fill = 8, hopeless_diagonal_fill = 3, most_slice_diagonals = 128,
                              most_slice_entries = 1 << 13;

// Longer rows are not stored by diagonals.
inline constexpr double most_diagonal_mean = 64;
// Rows of most grids are shorter than that.
inline constexpr std::int64_t most_grid_mean = 10;

// `places`: of the diagonals that were looked at.
SIMT_BOTH constexpr std::int64_t counted_places(std::int64_t places, std::int64_t entries, std::int64_t height) {
  const bool hopeless = places > most_slice_diagonals * height || places > hopeless_diagonal_fill * entries ||
                        entries > most_slice_entries;
  return hopeless ? most_diagonal_fill * entries : places;
}

}  // namespace heddle::weave
