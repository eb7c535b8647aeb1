#include "cost/block_parts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "layout/blocks.hpp"

namespace heddle {

CountedBlocks counted_blocks(const Subject& s, const Plan& plan) {
  const double r = number(plan, "r", 4), c = number(plan, "c", 4);
  double fill = r * c;  // a shape that was not sampled: as if every entry had a block of its own
  for (const BlockFill& b : s.facts.blocks)
    if (b.r == r && b.c == c) fill = b.fill;
  const BlockShape shape{static_cast<int>(r), static_cast<int>(c)};
  return {r, c, std::ceil(s.rows() / r), s.nnz() * fill / (r * c), static_cast<double>(shape.mask_bytes()), fill};
}

// Blocks that would store more than half as much again never pay.
std::vector<Plan> block_plans(const char* format, const Structure& facts) {
  constexpr double worth = 1.5;
  std::vector<Plan> made;
  for (const BlockFill& block : facts.blocks)
    if (block.r > 1 && block.fill > 0 && block.fill <= worth)
      made.push_back(Plan::parse(fmt::format("{} r={} c={}", format, block.r, block.c)));
  return made;
}

std::string block_text(const Structure& facts, const Plan& plan) {
  const double r = number(plan, "r", 4), c = number(plan, "c", 4);
  for (const BlockFill& b : facts.blocks)
    if (b.r == r && b.c == c) return fmt::format("{} x {} blocks store {:.2f} places per entry", b.r, b.c, b.fill);
  return row_text(facts, plan);
}

}  // namespace heddle
