#include <optional>

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

// Blocks of 2, 3 and 4 in one go: item = (size, part, row of blocks), the work of a warp.
struct BlocksFound {
  Places of[3];
  SIMT_BOTH void add(const BlocksFound& other) {
    for (int i = 0; i < 3; ++i) of[i].add(other.of[i]);
  }
};
struct BlocksOfParts {
  using Result = BlocksFound;
  PatternArrays A;
  SampledRows sampled;

  static constexpr std::int64_t part_rows = SampledRows::part_rows;
  std::int64_t threads() const {
    return sampled.parts * (part_rows / 2 + part_rows / 3 + part_rows / 4) * simt::warp_size;
  }
  SIMT_DEVICE void add(std::int64_t thread, BlocksFound& to) const {
    const std::int64_t i = thread / simt::warp_size;
    const std::int64_t twos = sampled.parts * (part_rows / 2), threes = sampled.parts * (part_rows / 3);
    if (i < twos)
      to.of[0].add(places<2>(i));
    else if (i < twos + threes)
      to.of[1].add(places<3>(i - twos));
    else
      to.of[2].add(places<4>(i - twos - threes));
  }

 private:
  template <int B>
  SIMT_DEVICE Places places(std::int64_t i) const {
    const std::int64_t part = i / (part_rows / B), first = sampled.first(part) + i % (part_rows / B) * B;
    if (first >= sampled.last(part)) return {};
    const Offset blocks = BlockLeaders<B>(A, first / B).count();
    const std::int64_t last = first + B < sampled.last(part) ? first + B : sampled.last(part);
    return simt::lane() == 0 ? Places{blocks * B * B, A.ptr[last] - A.ptr[first]} : Places{};
  }
};

struct SlicesOfParts {
  using Result = Places;
  PatternArrays A;
  SampledRows sampled;
  TeamShape shape;

  SIMT_BOTH std::int64_t slices_of_part() const { return SampledRows::part_rows / shape.slice_rows(); }
  SIMT_DEVICE void add(std::int64_t i, Places& to) const {
    const std::int64_t part = i / slices_of_part(),
                       first = sampled.first(part) + i % slices_of_part() * shape.slice_rows();
    Offset longest = 0;
    for (std::int64_t row = first; row < first + shape.slice_rows() && row < sampled.last(part); ++row) {
      longest = A.length(row) > longest ? A.length(row) : longest;
      to.entries += A.length(row);
    }
    to.stored += (longest + shape.lanes - 1) / shape.lanes * shape.step_slots();
  }
};

constexpr int sort_threads = 512;
static_assert(2 * sort_threads >= SampledRows::part_rows);

// Slices of the rows of a part, sorted by length: the first row of each is its longest.
SIMT_KERNEL sorted_places_block_per_part(PatternArrays A, SampledRows sampled, TeamShape shape, Places* places) {
  auto* shorter = simt::shared<std::int32_t>();  // by how much a row is shorter than the longest possible
  const std::int64_t first = sampled.first(simt::block()), last = sampled.last(simt::block());
  for (int i = simt::thread(); i < 2 * sort_threads; i += sort_threads)
    shorter[i] = first + i < last ? INT32_MAX - static_cast<std::int32_t>(A.length(first + i)) : INT32_MAX;
  device::block_sort(shorter);
  if (simt::thread() != 0) return;
  std::int64_t sum = 0;
  for (int i = 0; i < last - first; i += shape.slice_rows())
    sum += (std::int64_t{INT32_MAX - shorter[i]} + shape.lanes - 1) / shape.lanes * shape.step_slots();
  places[simt::block()] = {sum, A.ptr[last] - A.ptr[first]};
}

constexpr int diagonal_slices = SampledRows::part_rows / slice_rows;

// A block a slice, until it has more places than count.
SIMT_KERNEL diagonal_places_block_per_slice(PatternArrays A, SampledRows sampled, SliceRoom room, Places* to) {
  const std::int64_t part = simt::block() / diagonal_slices, end = sampled.last(part);
  const std::int64_t first = sampled.first(part) + simt::block() % diagonal_slices * slice_rows;
  Places found;
  if (first < end) {
    const SliceRows rows(A, first, first + slice_rows < end ? first + slice_rows : end);
    found.entries = rows.count;
    if (rows.count <= most_slice_entries) {
      DiagonalWalk walk(A, rows.first, rows.last);
      walk.begin(columns_near(A, rows, room));
      if (simt::warp() != 0) return;
      const std::int64_t most = most_diagonal_fill * found.entries;
      while (found.stored < most && found.stored <= most_slice_diagonals * slice_rows && walk.advance())
        found.stored += slice_rows;
    }
    found.stored = counted_places(found.stored, found.entries, slice_rows);
  }
  if (simt::thread() == 0) to[simt::block()] = found;
}

// A warp a window: the first lane with a sector counts it, as a place that is stored.
struct FetchItems {
  using Result = Places;
  const Index* col;
  std::int64_t step;

  static_assert(SampledWindows::window == simt::warp_size);
  SIMT_DEVICE void add(std::int64_t thread, Places& to) const {
    const std::int64_t w = thread / simt::warp_size;
    const auto sector = static_cast<unsigned>(col[w * step + simt::lane()] / SampledWindows::sector_elements);
    to.stored += (simt::same_lanes(sector) & ((1u << simt::lane()) - 1)) == 0;
  }
};

// Every answer is a launch and a small copy; answers that are asked for again are kept.
class DeviceFacts final : public PatternFacts {
 public:
  DeviceFacts(simt::Here here, const PatternView& there, std::int64_t longest, Device device)
      : PatternFacts(there), here_(here), device_(device), longest_(longest), A_(there), sampled_(there.rows) {}

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
    if (!diagonals_) look_at_samples(0);
    return diagonals_->per_entry();
  }
  double block_fill(int size) override {
    if (!blocks_) {
      const BlocksOfParts items{A_, sampled_};
      blocks_ = device::reduce(here_, items, items.threads(), device_, 1);
    }
    return blocks_->of[size - 2].per_entry();
  }
  double slice_fill(TeamShape shape, std::int64_t sort) override {
    if (!slices_ || slices_->shape.lanes != shape.lanes || slices_->shape.rows != shape.rows)
      slices_ = look_at_slices(shape);
    return (sort > 1 ? slices_->sorted : slices_->as_they_are).per_entry();
  }
  double sectors_per_fetch() override {
    const SampledWindows windows(pattern().nnz());
    if (windows.count == 0) return 0;
    return static_cast<double>(look_at_samples(windows.count)) / static_cast<double>(windows.count);
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
  // Sectors of so many windows. On the way, as launches and copies take longer than kernels here, what diagonals would
  // store: rows as short as that are likely to be asked for them next.
  std::int64_t look_at_samples(std::int64_t windows) {
    device::Workspace memory(device_);
    const bool diagonals = windows == 0 || (!diagonals_ && mean() <= most_diagonal_mean);
    const std::int64_t slices = diagonals ? sampled_.parts * diagonal_slices : 0;
    const std::int64_t blocks = simt::blocks_for(windows * simt::warp_size, device::reduce_threads);
    auto* there = memory.take<Places>(slices + blocks);
    const SliceRoom room = SliceRoom::most(sizeof(Index));
    simt::launch(here_, room.block_per(slices, sizeof(Index)), diagonal_places_block_per_slice, A_, sampled_, room,
                 there);
    simt::launch(here_, {blocks, device::reduce_threads, device::reduce_threads * sizeof(Places)},
                 device::reduce_items<FetchItems>, FetchItems{A_.col, SampledWindows(pattern().nnz()).step},
                 windows * simt::warp_size, there + slices);
    const Buffer<Places> found = device::brought_here(there, slices + blocks, memory);
    const std::span<const Places> all = found;
    if (diagonals) diagonals_ = sum_of(all.first(static_cast<std::size_t>(slices)));
    return sum_of(all.subspan(static_cast<std::size_t>(slices))).stored;
  }
  // Who asks for the one mostly compares it with the other.
  struct SlicesFound {
    TeamShape shape;
    Places as_they_are, sorted;
  };
  SlicesFound look_at_slices(TeamShape shape) const {
    device::Workspace memory(device_);
    const SlicesOfParts items{A_, sampled_, shape};
    const std::int64_t slices = sampled_.parts * items.slices_of_part(),
                       blocks = simt::blocks_for(slices, device::reduce_threads);
    auto* there = memory.take<Places>(blocks + sampled_.parts);
    simt::launch(here_, {blocks, device::reduce_threads, device::reduce_threads * sizeof(Places)},
                 device::reduce_items<SlicesOfParts>, items, slices, there);
    simt::launch(here_, {sampled_.parts, sort_threads, 2 * sort_threads * sizeof(std::int32_t)},
                 sorted_places_block_per_part, A_, sampled_, shape, there + blocks);
    const Buffer<Places> found = device::brought_here(there, blocks + sampled_.parts, memory);
    const std::span<const Places> all = found;
    return {shape, sum_of(all.first(static_cast<std::size_t>(blocks))),
            sum_of(all.subspan(static_cast<std::size_t>(blocks)))};
  }
  static Places sum_of(std::span<const Places> all) {
    Places sum;
    for (const Places& places : all) sum.add(places);
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
  std::int64_t tiles_width_ = 0;
  ColumnTiles tiles_;
};

}  // namespace

std::unique_ptr<PatternFacts> facts_of(simt::Here here, const PatternView& A, std::int64_t longest, Device device) {
  return std::make_unique<DeviceFacts>(here, A, longest, device);
}

}  // namespace heddle::weave
