// What layout=rows costs a GPU.
#include <algorithm>
#include <cmath>

#include "cost/row_counts.hpp"
#include "formats/weave/rows/rows.hpp"
#include "formats/weave/weave_counts.hpp"

namespace heddle::weave_counts {

namespace {

// Steps that wait for memory, each as long as two or three of those that wait for each other.
double row_chain(const Subject& s, const weave::RowsTeam& team) {
  const double steps = std::ceil(s.longest() / team.lanes);
  const bool few =
      stays_in_cache(s) && team.per_lane == 1 && s.rows() <= team.slice_rows() * weave::RowsTeam::few_slices;
  if (!few) return steps;
  const double most = s.value_bytes == 4 ? weave::RowsTeam::most_at_once<float> : weave::RowsTeam::most_at_once<double>;
  return std::min(steps, steps <= most ? 2.5 : 2.5 * std::ceil(steps / weave::RowsTeam::steps_at_once));
}

// Columns in 8 bits, with four windows of 64 for every step: no fact says how many slices have them. Those whose steps
// read neighbours, or whose rows have few columns between them.
bool have_bytes(const Subject& s, const weave::RowsTeam& team) {
  const Gather& reads = s.facts.gather_f64;
  const double columns_of_slice = 4 * reads.window * s.facts.rows_len.mean * std::max(256, team.slice_rows());
  return reads.rows < 0.3 || columns_of_slice < 512;
}

// Of rows in the order of their lengths, in windows of 1,024: every block that has some of a window reads the x of all
// of it, and each row has a sector of y to itself. Where bytes come from memory that costs nothing beside them (band of
// 3.3 M entries in the L2: 15.2 us in double, predicted 11.2 without; of 10 M 38, predicted 44; H200), unless rows are
// short: then the sectors are not much less than the matrix (700,000 rows of 6 25.0 us, predicted 17.4).
double sorted_traffic(const Subject& s, const weave::RowsTeam& team, double threads) {
  constexpr double window = 1024;
  if (!stays_in_cache(s)) return team.lanes == 1 ? s.rows() * (sector_bytes - s.value_bytes) : 0;
  const double blocks_of_window = window * lanes_of_warp / (threads * team.slice_rows());
  return s.rows() * (s.value_bytes * std::max(0.0, blocks_of_window - 1) + sector_bytes - s.value_bytes);
}

}  // namespace

Workload counted(const Subject& s, const weave::RowsSettings& settings, const EstimatedValues& values) {
  const weave::RowsTeam team{settings.lanes, settings.per_lane};
  const double slice_rows = team.slice_rows();
  const bool sorts = settings.sort > 1;
  const double whole_steps = rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, team.lanes);
  const double near = s.facts.columns.slices16;
  const double column = settings.in_bytes() && have_bytes(s, team) ? 1 + 16 / (32.0 * team.per_lane)
                                                                   : near * short_column + (1 - near) * index_bytes;
  const double value = values.least;
  Workload w = stored_as(s, whole_steps * (sorts ? sorted_padding(s, slice_rows) : slice_padding(s, slice_rows)),
                         column, value, s.rows() / slice_rows * 40 + s.rows() * (sorts ? 4 : 0));
  look_up_values(w, value);
  w.sectors += gathered(s, team.lanes);
  if (sorts) w.stream_bytes += sorted_traffic(s, team, settings.threads);
  w.teams = s.rows() * team.lanes / lanes_of_warp / 2;
  w.chain = row_chain(s, team) + (sorts && team.per_lane == 1 ? 1 : 0);  // where sums go has to be asked for
  return w;
}

}  // namespace heddle::weave_counts
