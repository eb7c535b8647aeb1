// What layout=blocks costs a GPU.
#include <algorithm>
#include <cmath>

#include "cost/row_counts.hpp"
#include "formats/weave/blocks/blocks.hpp"
#include "formats/weave/weave_counts.hpp"

namespace heddle::weave_counts {

Workload counted(const Subject& s, const weave::BlocksSettings& settings, const EstimatedValues& values) {
  const double size = settings.block, fill = fill_of(s.facts, settings.block), places = s.nnz() * fill;
  const double count = places / (size * size), block_rows = std::ceil(s.rows() / size);
  const double lanes = settings.lanes;
  // Slices are as wide as their longest row of blocks, in whole steps of the lanes that share it.
  const double of_row = std::max(1.0, count / std::max(1.0, block_rows));
  const double uneven = std::max(padding_of(s.facts, 32, 1), up(of_row, lanes) / of_row);
  const double mask = fill > 1.001 ? 4 : 0, value = values.bytes;
  Workload w = stored_as(s, places * uneven, (short_column + mask) / (size * size), value, block_rows / 2);
  look_up_values(w, value);
  w.sectors += count * std::max(1.0, size * s.value_bytes / sector_bytes);
  w.teams = block_rows * lanes / lanes_of_warp;
  w.chain = std::ceil(s.longest() / size / lanes);
  if (mask > 0) {  // places are asked for one by one: xenon1 takes 7.2 us where full blocks would take 4.6 (H200)
    w.slots *= 2.5;
    w.chain *= 2;
  }
  return w;
}

}  // namespace heddle::weave_counts
