// layout=auto on a CPU, whose lanes have whole rows. Planned products take no part here: the planner compares layouts by
// their times, and names one.
//
// us, two cores (2026-11)          as for a GPU    here
//   2D grid of 10,000              45              15     diagonals
//   bcsstk13                       140             53     rows
//   wiki-Vote                      290             123    rows
//   dense, 300 rows                46              30     blocks
#include "formats/weave/weave.hpp"
#include "formats/weave/weave_rules.hpp"

namespace heddle {

namespace {

void take_rows(weave::RowsSettings& rows) {
  rows.lanes.fill(1);
  rows.per_lane.fill(1);
  rows.sort.fill(1024);
}

}  // namespace

void choose_weave_on_cpu(WeaveSettings& settings, const PatternView& A) {
  if (settings.layout.named()) return;
  const auto facts = weave::facts_of(A);
  const double mean = facts->shape().mean();
  constexpr auto most = weave::cpu_diagonals(false);
  if (mean <= most.mean && facts->longest() <= most.longest && facts->diagonal_fill() <= most.fill) {
    settings.layout = WeaveLayout::diagonals;
    return;
  }
  const int block = weave::best_block(10, [&](int size) { return facts->block_fill(size); });
  if (block > 0 && weave::blocks_suit_cpu(block, mean, facts->block_fill(block))) {
    settings.layout = WeaveLayout::blocks;
    settings.blocks.block.fill(block);
    settings.blocks.lanes.fill(weave::cpu_lanes_of_blocks(A.rows, mean, block));
    return;
  }
  constexpr double most_places = 3;  // of slices with a row far longer than the others
  const bool even = facts->slice_fill({1, 1}, 1024) <= most_places;
  settings.layout = even ? WeaveLayout::rows : WeaveLayout::segments;
  if (even) take_rows(settings.rows);
}

}  // namespace heddle
