// What layout=sums costs a GPU.
#include <algorithm>
#include <cmath>

#include "cost/row_counts.hpp"
#include "formats/weave/sums/sums.hpp"
#include "formats/weave/weave_counts.hpp"
#include "simt/large_gpu.hpp"

namespace heddle::weave_counts {

// y in shared memory; each block of rows reads x in the order of the columns: a sector once, if at all.
Workload counted(const Subject& s, const weave::SumsSettings&, const EstimatedValues& values) {
  const double sectors = weave::sectors_of_sums(shape_of(s), s.value_bytes);
  Workload w = stored_as(s, 1.02 * s.nnz(), index_bytes + short_column, values.bytes, 8 * s.rows());
  w.misses = std::min(s.nnz(), sectors * (1 - std::exp(-s.nnz() / sectors)));
  w.sectors += w.misses;
  w.teams = large_gpu_units * 32;
  w.chain = s.longest();
  w.launches = 2;
  w.loose = true;
  return w;
}

}  // namespace heddle::weave_counts
