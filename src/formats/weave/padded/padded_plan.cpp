// What layout=padded costs a GPU.
#include <algorithm>
#include <cmath>

#include "cost/row_counts.hpp"
#include "formats/weave/padded/padded.hpp"
#include "formats/weave/weave_counts.hpp"

namespace heddle::weave_counts {

Workload counted(const Subject& s, const weave::PaddedSettings& settings, const EstimatedValues& values) {
  const double longest = s.longest(), lanes = settings.lanes, per_lane = settings.per_lane,
               steps = std::ceil(longest / lanes / per_lane), value = values.least;
  const bool is_short = s.facts.cols <= weave::PaddedShape::most_narrow || s.facts.columns.near16 >= 1;
  Workload w = stored_as(s, up(s.rows(), 32 / lanes) * up(longest, per_lane * lanes),
                         is_short ? short_column : index_bytes, value, 0);
  look_up_values(w, value);
  w.sectors += gathered(s, lanes);
  w.teams = s.rows() * lanes / lanes_of_warp;
  // One entry a lane: all steps are under way at once, or four and the next ones behind them. Four: eight steps take
  // 4.3 us, one 2.3 (H200).
  using Team = weave::PaddedTeam;
  const double at_once = w.teams <= Team::few_warps ? Team::most_at_once : Team::steps_at_once;
  w.chain = per_lane != 1 ? 1 + steps / 2 : steps <= at_once ? 1 : std::max(2.0, steps / 5);
  return w;
}

}  // namespace heddle::weave_counts
