#include <algorithm>
#include <memory>

#include "formats/weave/weave_block_row.hpp"
#include "formats/weave/weave_diagonal_walk.hpp"
#include "formats/weave/weave_facts.hpp"
#include "formats/weave/weave_long.hpp"
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

struct EntriesOfParts {
  using Result = Count;
  PatternArrays A;
  SampledRows sampled;

  SIMT_DEVICE void add(std::int64_t part, Count& to) const {
    to.sum += A.ptr[sampled.last(part)] - A.ptr[sampled.first(part)];
  }
};

// Blocks of 2, 3 and 4 in one go: item = (size, part, row of blocks), the work of a warp.
struct BlocksFound {
  std::int64_t places[3] = {};
  SIMT_BOTH void add(const BlocksFound& other) {
    for (int i = 0; i < 3; ++i) places[i] += other.places[i];
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
      to.places[0] += places<2>(i);
    else if (i < twos + threes)
      to.places[1] += places<3>(i - twos);
    else
      to.places[2] += places<4>(i - twos - threes);
  }

 private:
  template <int B>
  SIMT_DEVICE std::int64_t places(std::int64_t i) const {
    const std::int64_t part = i / (part_rows / B), first = sampled.first(part) + i % (part_rows / B) * B;
    if (first >= sampled.last(part)) return 0;
    const Offset blocks = BlockLeaders<B>(A, first / B).count();
    return simt::lane() == 0 ? blocks * B * B : 0;
  }
};

struct SlicesOfParts {
  using Result = Count;
  PatternArrays A;
  SampledRows sampled;
  TeamShape shape;

  SIMT_BOTH std::int64_t slices_of_part() const { return SampledRows::part_rows / shape.slice_rows(); }
  SIMT_DEVICE void add(std::int64_t i, Count& to) const {
    const std::int64_t part = i / slices_of_part(),
                       first = sampled.first(part) + i % slices_of_part() * shape.slice_rows();
    Offset longest = 0;
    for (std::int64_t row = first; row < first + shape.slice_rows() && row < sampled.last(part); ++row)
      longest = A.length(row) > longest ? A.length(row) : longest;
    to.sum += (longest + shape.lanes - 1) / shape.lanes * shape.step_slots();
  }
};

constexpr int sort_threads = 512;
static_assert(2 * sort_threads >= SampledRows::part_rows);

// Slices of the rows of a part, sorted by length: the first row of each is its longest.
SIMT_KERNEL sorted_places_block_per_part(PatternArrays A, SampledRows sampled, TeamShape shape, std::int64_t* places) {
  auto* shorter = simt::shared<std::int32_t>();  // by how much a row is shorter than the longest possible
  const std::int64_t first = sampled.first(simt::block()), last = sampled.last(simt::block());
  for (int i = simt::thread(); i < 2 * sort_threads; i += sort_threads)
    shorter[i] = first + i < last ? INT32_MAX - static_cast<std::int32_t>(A.length(first + i)) : INT32_MAX;
  device::block_sort(shorter);
  if (simt::thread() != 0) return;
  std::int64_t sum = 0;
  for (int i = 0; i < last - first; i += shape.slice_rows())
    sum += (std::int64_t{INT32_MAX - shorter[i]} + shape.lanes - 1) / shape.lanes * shape.step_slots();
  places[simt::block()] = sum;
}

constexpr int diagonal_slices = SampledRows::part_rows / slice_rows;

// A warp a slice, until it has more places than count.
SIMT_KERNEL diagonal_places_warp_per_slice(PatternArrays A, SampledRows sampled, std::int64_t* to) {
  const std::int64_t i = simt::global_thread() / simt::warp_size, part = i / diagonal_slices;
  if (part >= sampled.parts) return;
  const std::int64_t end = sampled.last(part), first = sampled.first(part) + i % diagonal_slices * slice_rows,
                     last = first + slice_rows < end ? first + slice_rows : end;
  std::int64_t places = 0;
  if (first < last) {
    const std::int64_t most = most_diagonal_fill * (A.ptr[last] - A.ptr[first]);
    DiagonalWalk walk(A, first, last, A.col + A.ptr[first]);
    while (places < most && walk.advance()) places += slice_rows;
    places = places < most ? places : most;
  }
  if (simt::lane() == 0) to[i] = places;
}

struct FetchItems {
  using Result = Count;
  const Index* col;
  std::int64_t step;

  SIMT_DEVICE void add(std::int64_t w, Count& to) const {
    Index sector[SampledWindows::window];
    for (int i = 0; i < SampledWindows::window; ++i) {
      sector[i] = col[w * step + i] / SampledWindows::sector_elements;
      bool is_new = true;
      for (int k = 0; k < i; ++k) is_new &= sector[k] != sector[i];
      to.sum += is_new;
    }
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
  double diagonal_fill() override {
    constexpr int threads = 128;
    Buffer<std::int64_t> there(sampled_.parts * diagonal_slices, device_);
    simt::launch(here_, {simt::blocks_for(there.size() * simt::warp_size, threads), threads},
                 diagonal_places_warp_per_slice, A_, sampled_, there.data());
    return fill(sum_of(there));
  }
  double block_fill(int size) override {
    if (!blocks_) {
      const BlocksOfParts items{A_, sampled_};
      blocks_ = device::reduce(here_, items, items.threads(), device_, 1);
    }
    return fill(blocks_->places[size - 2]);
  }
  double slice_fill(TeamShape shape, std::int64_t sort) override {
    if (sort > 1) return fill(sorted_places(shape));
    const SlicesOfParts items{A_, sampled_, shape};
    return fill(device::reduce(here_, items, sampled_.parts * items.slices_of_part(), device_, 1).sum);
  }
  double sectors_per_fetch() override {
    const SampledWindows windows(pattern().nnz());
    if (windows.count == 0) return 0;
    const Count sectors = device::reduce(here_, FetchItems{A_.col, windows.step}, windows.count, device_, 1);
    return static_cast<double>(sectors.sum) / static_cast<double>(windows.count);
  }
  // The one answer that kernels do not have: the pattern travels.
  ColumnTiles column_tiles(std::int64_t width) override {
    if (ptr_.empty()) {
      ptr_ = Buffer<Offset>::borrow(pattern().ptr, device_).to(Device::cpu());
      col_ = Buffer<Index>::borrow(pattern().col, device_).to(Device::cpu());
    }
    return heddle::column_tiles({pattern().rows, pattern().cols, ptr_, col_}, width);
  }

 private:
  std::int64_t sorted_places(TeamShape shape) const {
    Buffer<std::int64_t> there(sampled_.parts, device_);
    simt::launch(here_, {sampled_.parts, sort_threads, 2 * sort_threads * sizeof(std::int32_t)},
                 sorted_places_block_per_part, A_, sampled_, shape, there.data());
    return sum_of(there);
  }
  static std::int64_t sum_of(const Buffer<std::int64_t>& there) {
    std::int64_t sum = 0;
    for (const std::int64_t places : there.to(Device::cpu())) sum += places;
    return sum;
  }
  double fill(std::int64_t places) {
    if (!entries_) entries_ = device::reduce(here_, EntriesOfParts{A_, sampled_}, sampled_.parts, device_, 1);
    return entries_->sum > 0 ? static_cast<double>(places) / static_cast<double>(entries_->sum) : 1;
  }

  simt::Here here_;
  Device device_;
  std::int64_t longest_;
  PatternArrays A_;
  SampledRows sampled_;
  std::optional<StepsFound> steps_;
  std::optional<Count> entries_;
  std::optional<BlocksFound> blocks_;
  Buffer<Offset> ptr_;  // in host memory
  Buffer<Index> col_;
};

}  // namespace

std::unique_ptr<PatternFacts> facts_of(simt::Here here, const PatternView& A, std::int64_t longest, Device device) {
  return std::make_unique<DeviceFacts>(here, A, longest, device);
}

}  // namespace heddle::weave
