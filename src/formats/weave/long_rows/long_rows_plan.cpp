// What layout=long costs a GPU.
#include <algorithm>
#include <cmath>

#include "cost/row_counts.hpp"
#include "formats/weave/long_rows/long_rows.hpp"
#include "formats/weave/weave_counts.hpp"

namespace heddle::weave_counts {

// A team of threads a row, or several of 256 each, four entries a thread and step.
Workload counted(const Subject& s, const weave::LongSettings& settings, const EstimatedValues& values) {
  const double team = settings.team, groups = settings.groups;
  const bool fours = settings.columns == WeaveColumns::quads;
  const double column = settings.columns == WeaveColumns::runs      ? 0
                        : fours                                     ? 1
                        : weave::LongShape::are_narrow(shape_of(s)) ? short_column
                                                                    : index_bytes;
  const double value = values.least;
  Workload w = stored_as(s, fours ? quad_places(s, team) : long_places(s, team), column, value, 8 * s.rows());
  look_up_values(w, value);
  w.sectors += s.nnz() * s.gather().entries;
  w.teams = s.rows() * team * groups / lanes_of_warp;
  // x waits for no column where none is stored (H200, eight rows of 200,000 entries: 0.3 us a step, with columns 0.5).
  const double steps = std::ceil(s.longest() / (team * groups) / 4);
  w.chain = column == 0 ? (1 + steps) / 2 : steps;
  w.alone = fours ? s.longest() : 0;
  w.loose = true;
  return w;
}

}  // namespace heddle::weave_counts
