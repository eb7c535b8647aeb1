// What layout=tiles costs a GPU.
#include <algorithm>
#include <cmath>

#include "cost/row_counts.hpp"
#include "formats/weave/tiles/tiles.hpp"
#include "formats/weave/weave_counts.hpp"

namespace heddle::weave_counts {

// x in shared memory, partial sums written and read again. The sums begin with a thread for every row, also where it
// has no entry: it asks where the partial sums of the row are. (2 M rows, 80 % of them empty, 4 M entries near the
// diagonal: 36 us in float, predicted 23 without these bytes and warps; segments 23; H200.) A block loads its tile of x
// first, a few thousand columns at a time, before any of its entries.
Workload counted(const Subject& s, const weave::TilesSettings& settings, const EstimatedValues& values) {
  const Columns& columns = s.facts.columns;
  const double partials = std::min(columns.tile_rows, columns.tile_rows_by_degree) * s.nnz();
  Workload w = stored_as(s, 1.02 * s.nnz(), short_column + 0.25, values.bytes,
                         s.rows() * index_bytes + partials * 2 * (4 + s.value_bytes));
  w.sectors += 2 * partials;
  w.partials = partials;
  w.misses = 0;
  w.teams = s.nnz() / 256 + s.rows() / lanes_of_warp;
  constexpr double columns_at_once = 8192;
  const auto widest = static_cast<double>(weave::widest_tile(4, s.value_bytes));
  w.chain = std::ceil(std::min(static_cast<double>(s.facts.cols), widest) / columns_at_once);
  const bool packs_x = settings.order == weave::ColumnOrder::degree;
  if (packs_x) w.stream_bytes += static_cast<double>(s.facts.cols) * (index_bytes + 2 * s.value_bytes);
  w.launches = packs_x ? 3 : 2;
  w.loose = true;
  return w;
}

}  // namespace heddle::weave_counts
