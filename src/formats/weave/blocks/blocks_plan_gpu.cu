#include <algorithm>

#include "codec/sliced_plan.hpp"
#include "formats/weave/blocks/blocks.hpp"

namespace heddle::weave {

namespace {

struct PlannedSizes {
  BlockSizes asked;
  PlannedBlocks::Lanes lanes;
  const BlockSizes* holes;
  std::int64_t parts;  // of them
};

// The largest size that has none but full blocks, or 0. By a block of threads.
SIMT_DEVICE int size_of_full_blocks(const PlannedSizes& sizes) {
  std::uint32_t mine = 0;
  for (std::int64_t i = simt::thread(); i < sizes.parts; i += plan_threads) mine |= sizes.holes[i].bits;
  auto* of_warps = simt::shared<std::uint32_t>();
  std::uint32_t holes = 0;
  for (int size = least_block; size <= largest_block; ++size)
    if (simt::any((mine >> size & 1) != 0)) holes |= 1u << size;
  if (simt::lane() == 0) of_warps[simt::warp()] = holes;
  simt::sync_block();
  for (int w = 0; w < plan_threads / simt::warp_size; ++w) holes |= of_warps[w];
  simt::sync_block();
  const BlockSizes full{sizes.asked.bits & ~holes};
  return full.largest();
}

template <int B>
SIMT_DEVICE void plan_blocks_of_size(const PatternArrays& A, const PlannedSizes& sizes, ColumnSlice* to,
                                     SliceSum* sums) {
  const TeamShape shape{sizes.lanes.of[B], 1};
  const Planned<B> rows(A);
  const std::int64_t slices = (rows.rows + shape.slice_rows() - 1) / shape.slice_rows();
  plan_slice_of_group(rows, shape, nullptr, slices, to, sums);
}

// Where a size has none but full blocks, every row lies inside the arrays, whatever they are.
SIMT_KERNEL plan_full_blocks_group_per_slice(PatternArrays A, PlannedSizes sizes, ColumnSlice* to, SliceSum* sums) {
  simt::let_next_start();
  switch (size_of_full_blocks(sizes)) {
    case 5: return plan_blocks_of_size<5>(A, sizes, to, sums);
    case 4: return plan_blocks_of_size<4>(A, sizes, to, sums);
    case 3: return plan_blocks_of_size<3>(A, sizes, to, sums);
    case 2: return plan_blocks_of_size<2>(A, sizes, to, sums);
    default: break;
  }
  if (simt::thread() == 0) sums[simt::block()] = SliceSum{};
}

class FullBlocksPlan final : public PlannedBlocks {
 public:
  FullBlocksPlan(simt::Here here, const PatternView& A, BlockSizes sizes, const Lanes& lanes, std::int64_t most_slices,
                 std::int64_t most_parts, Device device)
      : here_(here),
        A_(A),
        sizes_(sizes),
        lanes_(lanes),
        device_(device),
        slices_(std::make_shared<Buffer<ColumnSlice>>(most_slices, device)),
        holes_(FullBlocksQuestion::parts(A), device),
        sums_(most_parts, device),
        parts_(most_parts) {}

  BlockSizes* holes() override { return holes_.data(); }
  void queue() override {
    const PlannedSizes sizes{sizes_, lanes_, holes_.data(), holes_.size()};
    simt::launch(here_, {parts_, plan_threads, plan_threads * sizeof(SliceSum)}, plan_full_blocks_group_per_slice,
                 PatternArrays(A_), sizes, slices_->data(), sums_.there());
    queued_ = true;
  }
  std::optional<PlannedColumns> heard(BlockSizes full, int size, int lanes) override {
    if (!queued_ || BlockSizes{full.bits & sizes_.bits}.largest() != size || lanes_.of[size] != lanes) return {};
    const TeamShape shape{lanes, 1};
    PlannedColumns planned{{.shape = shape, .rows = A_.rows / size}};
    const PlanLaunch launch(planned.columns.rows, shape);
    const auto sums = sums_.here().first(static_cast<std::size_t>(launch.parts()));
    const SliceSum total = places_of_parts(sums, planned.places);
    planned.places.slices_of_part = launch.slices_of_part();
    planned.columns.slices = Buffer<ColumnSlice>::adopt(slices_, slices_->data(), launch.slices, device_);
    planned.columns.steps = total.steps;
    planned.code_count = total.codes;
    return planned;
  }

 private:
  simt::Here here_;
  PatternView A_;
  BlockSizes sizes_;
  Lanes lanes_;
  Device device_;
  std::shared_ptr<Buffer<ColumnSlice>> slices_;  // room for those of every size
  Buffer<BlockSizes> holes_;
  device::Answers<SliceSum> sums_;
  std::int64_t parts_;
  bool queued_ = false;
};

}  // namespace

std::unique_ptr<PlannedBlocks> plan_full_blocks(simt::Here here, const PatternView& A, BlockSizes sizes,
                                                const PlannedBlocks::Lanes& lanes, Device device) {
  std::int64_t most_slices = 0, most_parts = 0;
  for (const int size : block_sizes) {
    if (!sizes.has(size)) continue;
    const PlanLaunch launch(A.rows / size, {lanes.of[size], 1});
    if (!launch.few()) return {};
    most_slices = std::max(most_slices, launch.slices);
    most_parts = std::max(most_parts, launch.parts());
  }
  if (most_parts == 0) return {};
  return std::make_unique<FullBlocksPlan>(here, A, sizes, lanes, most_slices, most_parts, device);
}

}  // namespace heddle::weave
