// What layout=diagonals costs a GPU.
#include <algorithm>
#include <cmath>

#include "cost/row_counts.hpp"
#include "formats/weave/diagonals/diagonals.hpp"
#include "formats/weave/weave_counts.hpp"

namespace heddle::weave_counts {

// A slice is a warp's or, in a small matrix, four; x is read in step with the rows.
Workload counted(const Subject& s, const weave::DiagonalsSettings& settings, const EstimatedValues& values) {
  const Diagonals& d = s.facts.diagonals;
  const double places = s.nnz() * std::max(1.0, d.slice_fill);
  const double value = values.constant && !values.raw ? s.value_bytes / double{weave::slice_rows} : values.bytes;
  Workload w = stored_as(s, places, 0, value, s.rows() / weave::slice_rows * sizeof(weave::DiagonalSlice));
  w.sectors += places * s.value_bytes / sector_bytes;
  const bool thread_per_row = settings.per_lane == 1;
  // A thread with one row has many diagonals under way; their masks and x wait for the list all the same, and the next
  // ones for both (H200, 2.4 us with 9 diagonals in a row, 6.5 with 54, 9.7 with 81).
  const double of_row = s.rows() > 0 ? places / s.rows() : 0;
  w.teams = s.rows() / (thread_per_row ? simt::warp_size : weave::slice_rows);
  w.chain = thread_per_row ? of_row / 5.5 + std::max(0.0, of_row - 8) * 0.1 : of_row;
  if (d.slice_fill > 1.1) w.chain *= 1.8;  // masks differ from slice to slice
  if (value == 1) w.slots *= 3;            // one more fetch a place, from the table
  // Slices with the same diagonals share a list of them; where each has its own, lists are what takes long to build.
  w.listed = static_cast<double>(d.patterns) * (w.stored / std::max(1.0, s.rows()));
  return w;
}

}  // namespace heddle::weave_counts
