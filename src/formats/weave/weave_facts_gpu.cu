#include <algorithm>
#include <optional>
#include <utility>

#include "formats/weave/weave_block_row.hpp"
#include "formats/weave/weave_diagonal_near.hpp"
#include "formats/weave/weave_facts.hpp"
#include "formats/weave/weave_long_quads.hpp"
#include "layout/device_reduce.hpp"
#include "layout/device_sort.hpp"

namespace heddle::weave {

namespace {

constexpr int smallest_team = 32, team_sizes = 6;  // 32 .. 1024

struct StepsFound {
  std::int64_t of[team_sizes] = {};  // teams of 32, 64, ..

  SIMT_BOTH void add(const StepsFound& other) {
    for (int t = 0; t < team_sizes; ++t) of[t] += other.of[t];
  }
};
struct TeamSteps {
  using Result = StepsFound;
  PatternArrays A;

  SIMT_DEVICE void add(std::int64_t row, StepsFound& to) const {
#pragma unroll
    for (int t = 0; t < team_sizes; ++t) to.of[t] += LongShape{0, smallest_team << t}.steps(A.length(row));
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

// Places of the parts that are looked at, and their entries.
struct Places {
  std::int64_t stored = 0, entries = 0;

  SIMT_BOTH void add(const Places& other) {
    stored += other.stored;
    entries += other.entries;
  }
  double per_entry() const { return entries > 0 ? static_cast<double>(stored) / static_cast<double>(entries) : 1; }
};

constexpr int look_threads = 512, look_warps = look_threads / simt::warp_size;

// Blocks of 2, 3 and 4 in one go: (size, part, row of blocks) are the work of a warp.
struct BlocksFound {
  Places of[3];
  SIMT_BOTH void add(const BlocksFound& other) {
    for (int i = 0; i < 3; ++i) of[i].add(other.of[i]);
  }
};
struct BlocksOfParts {
  PatternArrays A;
  SampledRows sampled;

  static constexpr std::int64_t part_rows = SampledRows::part_rows, most_blocks = 396;
  SIMT_BOTH std::int64_t items() const { return sampled.parts * (part_rows / 2 + part_rows / 3 + part_rows / 4); }
  std::int64_t blocks() const { return std::min(most_blocks, simt::blocks_for(items(), look_warps)); }

  // Block `number` of so many, with room for what each warp found. The first thread has it.
  SIMT_DEVICE BlocksFound look(std::int64_t number, std::int64_t blocks, BlocksFound* of_warps) const {
    BlocksFound mine;
    for (std::int64_t i = number * look_warps + simt::warp(); i < items(); i += blocks * look_warps) add(i, mine);
    if (simt::lane() == 0) of_warps[simt::warp()] = mine;
    simt::sync_block();
    for (int w = 1; simt::thread() == 0 && w < look_warps; ++w) mine.add(of_warps[w]);
    return mine;
  }

 private:
  SIMT_DEVICE void add(std::int64_t i, BlocksFound& to) const {
    const std::int64_t twos = sampled.parts * (part_rows / 2), threes = sampled.parts * (part_rows / 3);
    if (i < twos)
      to.of[0].add(places<2>(i));
    else if (i < twos + threes)
      to.of[1].add(places<3>(i - twos));
    else
      to.of[2].add(places<4>(i - twos - threes));
  }
  template <int B>
  SIMT_DEVICE Places places(std::int64_t i) const {
    const std::int64_t part = i / (part_rows / B), first = sampled.first(part) + i % (part_rows / B) * B;
    if (first >= sampled.last(part)) return {};
    const std::int64_t last = first + B < sampled.last(part) ? first + B : sampled.last(part);
    const Offset entries = A.ptr[last] - A.ptr[first];
    const BlockLeaders<B> leaders(A, first / B);
    Offset blocks = leaders.at_least();
    if (!blocks_are_hopeless(blocks, B, entries)) blocks = leaders.count();
    return {blocks * B * B, entries};
  }
};

static_assert(2 * look_threads >= SampledRows::part_rows);

// Parts of the rows, a block each, then windows of entries, a warp each.
struct Samples {
  PatternArrays A;
  SampledRows sampled;
  std::int64_t parts;  // 0: nobody asks for slices
  TeamShape shape;
  std::int64_t windows, window_step;

  std::int64_t blocks() const { return parts + simt::blocks_for(windows, look_warps); }
};

struct SamplesFound {
  Places as_they_are, sorted, windows;

  SIMT_BOTH void add(const SamplesFound& other) {
    as_they_are.add(other.as_they_are);
    sorted.add(other.sorted);
    windows.add(other.windows);
  }
};

struct SampleBoard {
  std::int32_t row[2 * look_threads];
  std::int64_t of_warps[look_warps];
};

// Of all threads of the block, in the first one. The block calls it together.
SIMT_DEVICE std::int64_t block_sum(std::int64_t mine, std::int64_t* of_warps) {
  const std::int64_t of_warp = simt::warp_sum(mine);
  if (simt::lane() == 0) of_warps[simt::warp()] = of_warp;
  simt::sync_block();
  std::int64_t sum = 0;
  for (int w = 0; w < look_warps; ++w) sum += of_warps[w];
  simt::sync_block();
  return sum;
}

// The places of the slices of `rows` rows, of which longest(row, end) is the longest: a thread's own.
template <class F>
SIMT_DEVICE std::int64_t slice_places(TeamShape shape, int rows, F longest) {
  std::int64_t stored = 0;
  const int height = shape.slice_rows();
  for (int row = simt::thread() * height; row < rows; row += look_threads * height)
    stored += std::int64_t{(longest(row, row + height < rows ? row + height : rows) + shape.lanes - 1) / shape.lanes};
  return stored * shape.step_slots();
}

// The slices of a part of the rows, as they are and sorted by length: then the first row of each is its longest.
SIMT_DEVICE SamplesFound look_at_part(const Samples& s, std::int64_t part, SampleBoard& board) {
  const std::int64_t first = s.sampled.first(part), last = s.sampled.last(part);
  const int rows = static_cast<int>(last - first);
  for (int i = simt::thread(); i < 2 * look_threads; i += look_threads)
    board.row[i] = INT32_MAX - (i < rows ? static_cast<std::int32_t>(s.A.length(first + i)) : 0);
  simt::sync_block();
  const std::int64_t as_they_are = slice_places(s.shape, rows, [&](int row, int end) {
    std::int32_t shortest = INT32_MAX;
    for (; row < end; ++row) shortest = board.row[row] < shortest ? board.row[row] : shortest;
    return INT32_MAX - shortest;
  });
  simt::sync_block();
  device::block_sort(board.row);
  const std::int64_t sorted = slice_places(s.shape, rows, [&](int row, int) { return INT32_MAX - board.row[row]; });
  const Offset entries = s.A.ptr[last] - s.A.ptr[first];
  return {{block_sum(as_they_are, board.of_warps), entries}, {block_sum(sorted, board.of_warps), entries}, {}};
}

// The first lane with a sector counts it, as a place that is stored.
SIMT_DEVICE SamplesFound look_at_windows(const Samples& s, std::int64_t block, SampleBoard& board) {
  static_assert(SampledWindows::window == simt::warp_size);
  const std::int64_t w = block * look_warps + simt::warp();
  std::int64_t sectors = 0;
  if (w < s.windows) {
    const Index column = s.A.col[w * s.window_step + simt::lane()];
    const auto sector = static_cast<unsigned>(column / SampledWindows::sector_elements);
    sectors = (simt::same_lanes(sector) & ((1u << simt::lane()) - 1)) == 0 ? 1 : 0;
  }
  return {{}, {}, {block_sum(sectors, board.of_warps), 0}};
}

constexpr int diagonal_slices = SampledRows::part_rows / slice_rows;

// The diagonals of slice `number` of those that are looked at, until it has more places than count. In the first
// thread.
SIMT_DEVICE Places look_at_diagonals(const PatternArrays& A, const SampledRows& sampled, const SliceRoom& room,
                                     std::int64_t number) {
  const std::int64_t part = number / diagonal_slices, end = sampled.last(part);
  const std::int64_t first = sampled.first(part) + number % diagonal_slices * slice_rows;
  Places found;
  if (first >= end) return found;
  const SliceRows rows(A, first, first + slice_rows < end ? first + slice_rows : end);
  found.entries = rows.count;
  if (rows.count <= most_slice_entries) {
    DiagonalWalk walk(A, rows.first, rows.last);
    walk.begin(columns_near(A, rows, room));
    if (simt::warp() != 0) return found;
    const std::int64_t hopeless = hopeless_diagonal_fill * found.entries;
    for (int n = 1; found.stored <= hopeless && found.stored <= most_slice_diagonals * slice_rows && walk.advance();
         ++n) {
      found.stored += slice_rows;
      if (n % 8 != 0) continue;  // now and then: what is left takes a place an entry at least
      const std::int64_t least = found.stored + simt::sum_lanes(static_cast<std::int32_t>(walk.left()));
      if (least > hopeless) found.stored = least;
    }
  }
  found.stored = counted_places(found.stored, found.entries, slice_rows);
  return found;
}

// All that one launch looks at: diagonals, which take longest, then samples, then blocks. What its blocks find lies in
// one piece of memory.
struct Looks {
  PatternArrays A;
  SampledRows sampled;
  SliceRoom room;
  Samples samples;
  BlocksOfParts parts;
  std::int64_t of_diagonals, of_samples, of_parts;  // blocks of threads
  Places* diagonals = nullptr;
  SamplesFound* sampled_found = nullptr;
  BlocksFound* blocks = nullptr;

  static_assert(alignof(Places) == alignof(SamplesFound) && alignof(Places) == alignof(BlocksFound));
  std::int64_t launched() const { return of_diagonals + of_samples + of_parts; }
  std::size_t shared_bytes() const {
    return std::max({static_cast<std::size_t>(of_diagonals > 0 ? room.entries : 0) * sizeof(Index), sizeof(SampleBoard),
                     look_warps * sizeof(BlocksFound)});
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(static_cast<std::size_t>(of_diagonals) * sizeof(Places) +
                                     static_cast<std::size_t>(of_samples) * sizeof(SamplesFound) +
                                     static_cast<std::size_t>(of_parts) * sizeof(BlocksFound));
  }
  void find_in(const unsigned char* memory) {
    diagonals = reinterpret_cast<Places*>(const_cast<unsigned char*>(memory));
    sampled_found = reinterpret_cast<SamplesFound*>(diagonals + of_diagonals);
    blocks = reinterpret_cast<BlocksFound*>(sampled_found + of_samples);
  }
};

SIMT_KERNEL look_at_pattern(Looks looks) {
  std::int64_t b = simt::block();
  if (b < looks.of_diagonals) {
    const Places found = look_at_diagonals(looks.A, looks.sampled, looks.room, b);
    if (simt::thread() == 0) looks.diagonals[b] = found;
    return;
  }
  b -= looks.of_diagonals;
  if (b < looks.of_samples) {
    SampleBoard& board = *simt::shared<SampleBoard>();
    const Samples& s = looks.samples;
    const SamplesFound found = b < s.parts ? look_at_part(s, b, board) : look_at_windows(s, b - s.parts, board);
    if (simt::thread() == 0) looks.sampled_found[b] = found;
    return;
  }
  b -= looks.of_samples;
  const BlocksFound found = looks.parts.look(b, looks.of_parts, simt::shared<BlocksFound>());
  if (simt::thread() == 0) looks.blocks[b] = found;
}

// What is expected to be asked is looked at together, as launches and waits take longer than kernels here; answers that
// are asked for again are kept.
class DeviceFacts final : public PatternFacts {
 public:
  DeviceFacts(simt::Here here, const PatternView& there, std::int64_t longest, Device device)
      : PatternFacts(there), here_(here), device_(device), longest_(longest), A_(there), sampled_(there.rows) {}

  // Rounds of questions one after the other took 250 us of a mesh of 2 M entries (H200), and a launch for each 10 us
  // more than one for all.
  void expect(const Questions& soon) override {
    const SampledWindows windows(pattern().nnz());
    const Samples samples{A_,
                          sampled_,
                          soon.slices ? sampled_.parts : 0,
                          soon.slices.value_or(TeamShape{}),
                          soon.windows ? windows.count : 0,
                          windows.step};
    const BlocksOfParts parts{A_, SampledRows(A_.rows, most_block_parts)};
    Looks looks{A_,
                sampled_,
                SliceRoom::of_entries(most_slice_entries),
                samples,
                parts,
                soon.diagonals ? sampled_.parts * diagonal_slices : 0,
                samples.blocks(),
                soon.blocks ? parts.blocks() : 0};
    device::Answers<unsigned char> answers(looks.bytes(), device_);
    looks.find_in(answers.there());
    simt::launch(here_, {looks.launched(), look_threads, looks.shared_bytes()}, look_at_pattern, looks);
    if (const auto ask = std::exchange(beside, nullptr)) ask();
    looks.find_in(answers.here().data());
    const auto found = sum_of(looks.sampled_found, looks.of_samples);
    if (soon.diagonals) diagonals_ = sum_of(looks.diagonals, looks.of_diagonals);
    if (soon.blocks) blocks_ = sum_of(looks.blocks, looks.of_parts);
    if (soon.slices) slices_ = {*soon.slices, found.as_they_are, found.sorted};
    if (soon.windows) sectors_ = found.windows.stored;
  }

  std::int64_t longest() override { return longest_; }
  std::int64_t team_steps(int threads) override {
    int t = 0;
    while (smallest_team << t < threads) ++t;
    if (!steps_) steps_ = device::reduce(here_, TeamSteps{A_}, A_.rows, device_);
    return steps_->of[t];
  }
  std::int64_t quad_steps(int threads) override {
    if (quads_.empty()) quads_ = count_quads(here_, pattern(), device_);
    return device::reduce(here_, QuadSteps{quads_.data(), {A_.rows, threads}}, A_.rows, device_).sum;
  }
  bool rows_are_runs() override { return weave::rows_are_runs(here_, A_, device_); }
  double diagonal_fill() override {
    if (!diagonals_) expect({.diagonals = true});
    return diagonals_->per_entry();
  }
  double block_fill(int size) override {
    if (!blocks_) expect({.blocks = true});
    return blocks_->of[size - 2].per_entry();
  }
  double slice_fill(TeamShape shape, std::int64_t sort) override {
    if (!slices_ || slices_->shape.lanes != shape.lanes || slices_->shape.rows != shape.rows) expect({.slices = shape});
    return (sort > 1 ? slices_->sorted : slices_->as_they_are).per_entry();
  }
  double sectors_per_fetch() override {
    const SampledWindows windows(pattern().nnz());
    if (windows.count == 0) return 0;
    if (!sectors_) expect({.windows = true});
    return static_cast<double>(*sectors_) / static_cast<double>(windows.count);
  }
  // Asked twice for the same tiles: by the choice of a layout, and by that of an order.
  ColumnTiles column_tiles(std::int64_t width) override {
    if (width != tiles_width_) {
      tiles_ = pattern().cols / width < most_counted_tiles ? weave::column_tiles(here_, pattern(), width, device_)
                                                           : column_tiles_here(width);
      tiles_width_ = width;
    }
    return tiles_;
  }

 private:
  // Who asks for the one mostly compares it with the other.
  struct SlicesFound {
    TeamShape shape;
    Places as_they_are, sorted;
  };
  template <class Found>
  static Found sum_of(const Found* all, std::int64_t count) {
    Found sum;
    for (std::int64_t i = 0; i < count; ++i) sum.add(all[i]);
    return sum;
  }

  ColumnTiles column_tiles_here(std::int64_t width) const {
    const auto ptr = Buffer<Offset>::borrow(pattern().ptr, device_).to(Device::cpu());
    const auto col = Buffer<Index>::borrow(pattern().col, device_).to(Device::cpu());
    return heddle::column_tiles({pattern().rows, pattern().cols, ptr, col}, width);
  }

  simt::Here here_;
  Device device_;
  std::int64_t longest_;
  PatternArrays A_;
  SampledRows sampled_;
  std::optional<StepsFound> steps_;
  Buffer<Offset> quads_;
  std::optional<BlocksFound> blocks_;
  std::optional<Places> diagonals_;
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
