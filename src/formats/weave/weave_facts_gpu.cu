#include <optional>
#include <utility>

#include "formats/weave/blocks/block_row.hpp"
#include "formats/weave/diagonals/diagonals.hpp"
#include "formats/weave/long_rows/long_rows_quads.hpp"
#include "formats/weave/weave_facts.hpp"
#include "formats/weave/weave_samples.hpp"
#include "simt/primitives/reduce.hpp"

namespace heddle::weave {

namespace {

constexpr int smallest_team = 32, team_sizes = 6;  // 32 .. 1024

// What is asked about long rows, in one look.
struct LongRowsFound {
  std::int64_t steps[team_sizes] = {};  // of teams of 32, 64, ..
  Gap gaps;

  SIMT_BOTH void add(const LongRowsFound& other) {
    for (int t = 0; t < team_sizes; ++t) steps[t] += other.steps[t];
    gaps.add(other.gaps);
  }
};
struct LongRows {
  using Result = LongRowsFound;
  PatternArrays A;
  Offset nnz;

  SIMT_DEVICE void add(std::int64_t row, LongRowsFound& to) const {
    if (!is_inside(A, row, nnz)) return;
#pragma unroll
    for (int t = 0; t < team_sizes; ++t) to.steps[t] += LongShape{0, smallest_team << t}.steps(A.length(row));
    RowsWithGaps{A}.add(row, to.gaps);
  }
};

struct Count {
  std::int64_t sum = 0;
  SIMT_BOTH void add(const Count& other) { sum += other.sum; }
};

struct QuadSteps {
  using Result = Count;
  const Offset* quads;
  LongShape shape;

  SIMT_DEVICE void add(std::int64_t row, Count& to) const { to.sum += shape.steps_of_quads(quads[row]); }
};

// Blocks of all sizes in one go: item = (size, part, row of blocks), the work of a warp.
struct BlocksFound {
  static constexpr int sizes = largest_block - least_block + 1;
  std::int64_t blocks[sizes] = {}, entries[sizes] = {};

  SIMT_BOTH void add(const BlocksFound& other) {
    for (int i = 0; i < sizes; ++i) {
      blocks[i] += other.blocks[i];
      entries[i] += other.entries[i];
    }
  }
  double places_per_entry(int size) const {
    const int i = size - least_block;
    return Places{blocks[i] * size * size, entries[i]}.per_entry();
  }
};
struct BlocksOfParts {
  using Result = BlocksFound;
  PatternArrays A;
  Offset nnz;
  SampledRows sampled;
  std::int64_t longest;

  // Rows of blocks of a part, at most.
  SIMT_BOTH static constexpr std::int64_t of_part(int size) { return (SampledRows::part_rows + size - 1) / size; }
  std::int64_t threads() const {
    std::int64_t rows = 0;
    for (const int size : block_sizes) rows += sampled.parts * of_part(size);
    return rows * simt::warp_size;
  }
  SIMT_DEVICE void add(std::int64_t thread, BlocksFound& to) const {
    std::int64_t i = thread / simt::warp_size;
    if (i < sampled.parts * of_part(2)) return add_row<2>(i, to);
    i -= sampled.parts * of_part(2);
    if (i < sampled.parts * of_part(3)) return add_row<3>(i, to);
    i -= sampled.parts * of_part(3);
    if (i < sampled.parts * of_part(4)) return add_row<4>(i, to);
    add_row<5>(i - sampled.parts * of_part(4), to);
  }

 private:
  template <int B>
  SIMT_DEVICE void add_row(std::int64_t i, BlocksFound& to) const {
    const std::int64_t part = i / of_part(B), end = sampled.last(part, B);
    const std::int64_t first = sampled.first(part, B) + i % of_part(B) * B;
    if (first >= end) return;
    const std::int64_t last = first + B < end ? first + B : end;
    bool inside = true;
    for (std::int64_t row = first; row < last; ++row) inside &= is_inside(A, row, nnz) && A.length(row) <= longest;
    if (!inside) return;
    const Offset entries = A.ptr[last] - A.ptr[first];
    const BlockLeaders<B> leaders(A, first / B);
    bool alike = true;
    Offset blocks = leaders.at_least(alike);
    if (!alike && !blocks_are_hopeless(blocks, B, entries)) blocks = leaders.count();
    if (simt::lane() != 0) return;
    to.blocks[B - least_block] += blocks;
    to.entries[B - least_block] += entries;
  }
};

constexpr int diagonal_slices = SampledRows::part_rows / slice_rows;

// Different diagonals, by open addressing. Whoever brings one more than count says so and stops: it never fills up.
struct DiagonalSet {
  static constexpr int threads = 256, team = 8;
  static constexpr std::uint32_t slots = 512;
  static_assert(most_slice_diagonals + 1 + threads < slots);
  std::uint32_t slot[slots], count;

  SIMT_DEVICE void clear() {
    for (int i = simt::thread(); i < static_cast<int>(slots); i += threads) slot[i] = 0;
    if (simt::thread() == 0) count = 0;
  }
  // False: there are more than `most`.
  SIMT_DEVICE bool enter(std::int64_t diagonal, std::uint32_t most) {
    const auto key = static_cast<std::uint32_t>(diagonal + (std::int64_t{1} << 31));  // not 0: no matrix is so wide
    auto at = (key * 0x9E3779B1u) >> 23;
    for (;; at = (at + 1) % slots) {
      const std::uint32_t there = simt::atomic_claim(slot + at, key);
      if (there == key) return true;
      if (there == 0) return simt::atomic_add(&count, 1u) < most;
    }
  }
};
static_assert(DiagonalSet::slots == 1u << (32 - 23));

// A block a slice, a team a row; the next entries of all rows of a team are under way together. (A warp that walked all
// rows together from diagonal to diagonal was waited for 17 us where rows have 24 entries, teams that walked one row
// after the other 16; H200.)
SIMT_KERNEL diagonal_places_block_per_slice(PatternArrays A, Offset nnz, SampledRows sampled, Places* to) {
  simt::let_next_start();
  constexpr int team = DiagonalSet::team, teams = DiagonalSet::threads / team, rows_of_team = slice_rows / teams;
  DiagonalSet& set = *simt::shared<DiagonalSet>();
  const std::int64_t part = simt::block() / diagonal_slices, end = sampled.last(part);
  const std::int64_t first = sampled.first(part) + simt::block() % diagonal_slices * slice_rows;
  const std::int64_t last = first + slice_rows < end ? first + slice_rows : end;
  const std::int64_t my_first = first + simt::thread() / team;
  Offset at[rows_of_team], row_end[rows_of_team];
#pragma unroll
  for (int r = 0; r < rows_of_team; ++r) {
    const std::int64_t row = my_first + r * teams;
    const bool some = row < last && is_inside(A, row, nnz);
    at[r] = some ? A.ptr[row] + simt::thread() % team : 0;
    row_end[r] = some ? A.ptr[row + 1] : 0;
  }
  const bool some = first < end && A.ptr[first] >= 0 && A.ptr[first] <= A.ptr[last] && A.ptr[last] <= nnz;
  const std::int64_t entries = some ? A.ptr[last] - A.ptr[first] : 0;
  const std::int64_t hopeless = hopeless_diagonal_fill * entries / slice_rows;
  const auto most = static_cast<std::uint32_t>(hopeless < most_slice_diagonals ? hopeless : most_slice_diagonals);
  set.clear();
  simt::sync_block();
  // A warp ends when one of its lanes brought too many: others may go on to their ends without bringing a new one.
  bool few = entries <= most_slice_entries, more = few;
  while (simt::any(more)) {
    Index column[rows_of_team];
#pragma unroll
    for (int r = 0; r < rows_of_team; ++r) column[r] = at[r] < row_end[r] ? A.col[at[r]] : -1;
    more = false;
#pragma unroll
    for (int r = 0; r < rows_of_team; ++r) {
      if (column[r] >= 0 && few) few = set.enter(column[r] - (my_first + r * teams), most);
      at[r] += team;
      more |= at[r] < row_end[r];
    }
    few = !simt::any(!few);
    more &= few;
  }
  simt::sync_block();
  if (simt::thread() != 0) return;
  to[simt::block()] = {counted_places(std::int64_t{set.count} * slice_rows, entries, slice_rows), entries};
  if (simt::block() == 0) simt::wait_for_earlier();  // so that this grid ends behind it
}

// What is expected to be asked is looked at together, as launches and waits take longer than kernels here; answers that
// are asked for again are kept.
class DeviceFacts final : public PatternFacts {
 public:
  DeviceFacts(simt::Here here, const PatternView& there, std::int64_t longest, Device device)
      : PatternFacts(there), here_(here), device_(device), there_(there), A_(there), sampled_(there.rows) {
    known_longest = longest;
  }

  // Rounds of questions one after the other took 250 us of a mesh of 2 M entries (H200). Blocks, diagonals and samples
  // are looked at beside each other, the longest first: each has too few threads to keep the device busy. Streams of
  // their own do, once the matrix is there. What is asked already is not asked again.
  void expect(const Questions& soon) override {
    if (soon.full_blocks.bits != 0 && !full_blocks_.asked(soon.full_blocks))
      full_blocks_.ask(here_, there_, soon.full_blocks, device_, soon.unseen, soon.holes);
    if (soon.blocks && !blocks_.asked()) ask_blocks(soon.unseen);
    if (soon.diagonals && !known_diagonal_fill && !diagonals_.asked()) ask_diagonals(soon.unseen);
    if (soon.long_rows && !long_rows_.asked()) ask_long_rows(soon.unseen);
    if ((soon.slices || soon.windows) && !has_asked_samples(soon)) ask_samples(soon);
    if (const auto ask = std::exchange(beside, nullptr)) ask();
  }

  std::int64_t longest() override { return known_longest; }
  std::int64_t team_steps(int threads) override {
    int t = 0;
    while (smallest_team << t < threads) ++t;
    return long_rows().steps[t];
  }
  std::int64_t quad_steps(int threads) override {
    if (quads_.empty()) quads_ = count_quads(here_, there_, device_);
    return device::reduce(here_, QuadSteps{quads_.data(), {A_.rows, threads}}, A_.rows, device_).sum;
  }
  bool rows_are_runs() override { return long_rows().gaps.any == 0; }
  double diagonal_fill() override {
    if (known_diagonal_fill) return *known_diagonal_fill;
    if (!diagonals_.asked()) expect({.diagonals = true});
    return diagonals_.heard().per_entry();
  }
  double block_fill(int size) override {
    if (!blocks_.asked()) expect({.blocks = true});
    return blocks_.heard().places_per_entry(size);
  }
  BlockSizes full_blocks(BlockSizes sizes) override {
    if (!full_blocks_.asked(sizes)) full_blocks_.ask(here_, there_, sizes, device_, false, nullptr);
    return full_blocks_.heard();
  }
  bool knows_full_blocks(BlockSizes sizes) const override { return full_blocks_.asked(sizes); }
  double slice_fill(TeamShape shape, std::int64_t sort) override {
    hear_samples();
    if (!slices_ || slices_->shape.lanes != shape.lanes || slices_->shape.rows != shape.rows) {
      expect({.slices = shape});
      hear_samples();
    }
    return (sort > 1 ? slices_->sorted : slices_->as_they_are).per_entry();
  }
  double sectors_per_fetch() override {
    const SampledWindows windows(there_.nnz());
    if (windows.count == 0) return 0;
    hear_samples();
    if (!sectors_) {
      expect({.windows = true});
      hear_samples();
    }
    return static_cast<double>(*sectors_) / static_cast<double>(windows.count);
  }
  // Asked twice for the same tiles: by the choice of a layout, and by that of an order.
  ColumnTiles column_tiles(std::int64_t width) override {
    if (width != tiles_width_) {
      const auto ask = std::exchange(beside_tiles, nullptr);
      tiles_ = there_.cols / width < most_counted_tiles ? weave::column_tiles(here_, there_, width, device_, ask)
                                                        : column_tiles_here(width);
      tiles_width_ = width;
    }
    return tiles_;
  }

 private:
  const LongRowsFound& long_rows() {
    if (!long_rows_.asked()) ask_long_rows(false);
    return long_rows_.heard();
  }

  // Who asks for the one mostly compares it with the other.
  struct SlicesFound {
    TeamShape shape;
    Places as_they_are, sorted;
  };

  void ask_blocks(bool unseen) {
    const BlocksOfParts items{A_, there_.nnz(), sampled_for_blocks(there_),
                              unseen ? longest_suiting_blocks(there_) : longest_in_blocks};
    simt::Launch shape = device::reduce_launch<BlocksOfParts>(items.threads(), 1);
    if (!unseen) shape.stream = device::side_stream(device_);
    shape.overlaps = unseen;
    simt::launch(here_, shape, device::reduce_items<BlocksOfParts>, items, items.threads(),
                 blocks_.ask(shape.blocks, device_, shape.stream));
  }
  void ask_diagonals(bool unseen) {
    const std::int64_t slices = sampled_.parts * diagonal_slices;
    simt::Launch shape{slices, DiagonalSet::threads, sizeof(DiagonalSet)};
    shape.overlaps = unseen;
    simt::launch(here_, shape, diagonal_places_block_per_slice, A_, there_.nnz(), sampled_,
                 diagonals_.ask(slices, device_, {}));
  }
  void ask_long_rows(bool unseen) {
    simt::Launch shape = device::reduce_launch<LongRows>(A_.rows, 1);
    shape.overlaps = unseen;
    simt::launch(here_, shape, device::reduce_items<LongRows>, LongRows{A_, there_.nnz()}, A_.rows,
                 long_rows_.ask(shape.blocks, device_, {}));
  }
  bool has_asked_samples(const Questions& soon) const {
    const auto& asked = samples_for_.slices;
    const bool same_shape =
        asked && soon.slices && asked->lanes == soon.slices->lanes && asked->rows == soon.slices->rows;
    return samples_.asked() && (!soon.slices || same_shape) && (!soon.windows || samples_for_.windows);
  }
  void ask_samples(const Questions& soon) {
    hear_samples();
    samples_for_ = soon;
    const SampledWindows windows(there_.nnz());
    const Samples samples{A_,
                          there_.nnz(),
                          sampled_,
                          soon.slices ? sampled_.parts : 0,
                          soon.slices.value_or(TeamShape{}),
                          soon.windows ? windows.count : 0,
                          windows.step};
    simt::Launch shape{samples.blocks(), sample_threads, sizeof(SampleBoard)};
    if (!soon.unseen) shape.stream = device::side_stream(device_, device::Side::second);
    shape.overlaps = soon.unseen;
    simt::launch(here_, shape, look_at_samples, samples, samples_.ask(shape.blocks, device_, shape.stream));
  }
  void hear_samples() {
    if (!samples_.waits()) return;
    const SamplesFound& found = samples_.heard();
    if (samples_for_.slices) slices_ = {*samples_for_.slices, found.as_they_are, found.sorted};
    if (samples_for_.windows) sectors_ = found.windows.stored;
  }

  ColumnTiles column_tiles_here(std::int64_t width) const {
    const auto ptr = Buffer<Offset>::borrow(there_.ptr, device_).to(Device::cpu());
    const auto col = Buffer<Index>::borrow(there_.col, device_).to(Device::cpu());
    return heddle::column_tiles({there_.rows, there_.cols, ptr, col}, width);
  }

  simt::Here here_;
  Device device_;
  PatternView there_;
  PatternArrays A_;
  SampledRows sampled_;
  device::PendingSum<LongRowsFound> long_rows_;
  Buffer<Offset> quads_;
  device::PendingSum<BlocksFound> blocks_;
  FullBlocksQuestion full_blocks_;
  device::PendingSum<Places> diagonals_;
  device::PendingSum<SamplesFound> samples_;
  Questions samples_for_;
  std::optional<SlicesFound> slices_;
  std::optional<std::int64_t> sectors_;
  std::int64_t tiles_width_ = 0;
  ColumnTiles tiles_;
};

}  // namespace

std::unique_ptr<PatternFacts> facts_of(simt::Here here, const PatternView& A, std::int64_t longest, Device device) {
  return std::make_unique<DeviceFacts>(here, A, longest, device);
}

}  // namespace heddle::weave
