// What bell costs: slices of block rows.
#include <cmath>

#include "cost/block_parts.hpp"

namespace heddle {

namespace {

Workload bell_gpu(const Subject& s, const Plan& plan) {
  const CountedBlocks b = counted_blocks(s, plan);
  const double stored = b.blocks * b.r * b.c;
  Workload w = start(s, b.blocks * b.slot_bytes(s) + b.rows * 2 * index_bytes + std::ceil(b.rows / 32) * offset_bytes,
                     stored, stored);
  w.sectors = b.blocks * (b.slot_bytes(s) / sector_bytes + b.c * s.value_bytes / 8);
  w.teams = b.rows / lanes_of_warp;
  w.chain = std::ceil(s.longest() / b.c) * b.r;
  return w;
}

Workload bell_cpu(const Subject& s, const Plan& plan) {
  return as_on_cpu(s, bell_gpu(s, plan), Walk::places, 1, 32 * counted_blocks(s, plan).r);
}

}  // namespace

extern const Rules bell_rules{.format = "bell",
                              .turn = 12,
                              .plans = [](const Structure& facts, const Target&) { return block_plans("bell", facts); },
                              .gpu = bell_gpu,
                              .cpu = bell_cpu,
                              .suits = block_text};

}  // namespace heddle
