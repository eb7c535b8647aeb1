// What bcsr costs: block rows.
#include <algorithm>
#include <cmath>

#include "cost/block_parts.hpp"
#include "formats/bcsr/bcsr_rules.hpp"

namespace heddle {

namespace {

// Blocks left of the diagonal are not stored, and each is read from sectors of its own; a lane takes a place.
Workload symmetric_gpu(const Subject& s, const CountedBlocks& b) {
  const double places = b.r * b.c, own = (b.blocks + b.rows) / 2, mirrored = b.blocks - own;
  const double value = places * s.value_bytes, mask = b.fill > 1 ? b.mask_bytes : 0;
  const double bytes = (b.rows + 1) * 2 * offset_bytes + b.blocks * (index_bytes + mask) + mirrored * index_bytes;
  Workload w = start(s, bytes + own * value, own * places, b.blocks * places);
  w.sectors = (bytes + own * value) / sector_bytes + mirrored * std::ceil(value / sector_bytes) +
              b.blocks * b.c * s.value_bytes / sector_bytes;
  w.teams = b.rows;
  const double at_once = std::floor(lanes_of_warp / places);
  w.slots = w.teams * lanes_of_warp * std::ceil(b.blocks / std::max(1.0, b.rows) / at_once);
  w.chain = std::ceil(s.longest() / b.c / at_once);
  return w;
}

Workload bcsr_gpu(const Subject& s, const Plan& plan) {
  const CountedBlocks b = counted_blocks(s, plan);
  if (word_is(plan, "values", "symmetric")) return symmetric_gpu(s, b);
  const double stored = b.blocks * b.r * b.c;
  const double slots = bcsr_slots(b.blocks, b.rows, static_cast<int>(b.r));
  Workload w = start(s, (b.rows + 1) * offset_bytes + b.blocks * b.slot_bytes(s), stored, stored);
  w.sectors = b.blocks * (b.slot_bytes(s) / sector_bytes + b.r) + b.blocks * b.c * s.value_bytes / sector_bytes;
  w.teams = b.rows / std::max(1.0, std::floor(32 / (b.r * slots)));
  w.slots = w.teams * 32 * b.c * std::max(1.0, std::ceil(b.blocks / std::max(1.0, b.rows) / slots));
  w.chain = std::ceil(s.longest() / b.c / slots) * b.c / 2;
  return w;
}

// A line of a block is one vector on the CPU, and a block costs about four lines more, whatever its width. Lines cost
// more where they do not fill a vector, and in blocks with holes, two in each as if by chance; everything does where
// their number is known at run time only (formats/bcsr/bcsr_cpu.cpp).
Workload bcsr_cpu(const Subject& s, const Plan& plan) {
  const CountedBlocks b = counted_blocks(s, plan);
  Workload w = as_on_cpu(s, bcsr_gpu(s, plan), Walk::places, 1, b.r);
  const double with_holes = std::clamp((1 - 1 / b.fill) * b.r * b.c / 2, 0.0, 1.0);
  const double line = (b.c == 3 ? 1.3 : b.c == 6 ? 2 : 1) * (1 + with_holes);
  w.slots = b.blocks * (b.r * line + 4) * (b.r == b.c ? 1 : 2.5);
  return w;
}

}  // namespace

extern const Rules bcsr_rules;
const Rules bcsr_rules{.format = "bcsr",
                       .turn = 14,
                       .plans = [](const Structure& facts, const Target&) { return block_plans("bcsr", facts); },
                       .gpu = bcsr_gpu,
                       .cpu = bcsr_cpu,
                       .suits = block_text};

}  // namespace heddle
