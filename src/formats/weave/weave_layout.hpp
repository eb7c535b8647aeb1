// What the layouts of weave share. A layout is a small format of its own (formats/format.hpp) without name and registry
// line: settings, footprint, build, restore, each_array, multiply on the three devices. The settings are those of a
// plan that the layout has a use for (weave_settings.hpp), and the codec of the values.
#pragma once

#include "codec/column_windows.hpp"
#include "codec/lane_pieces.hpp"
#include "codec/value_codec.hpp"
#include "formats/format.hpp"
#include "formats/settings.hpp"

namespace heddle {

enum class WeaveColumns { each, bytes, runs, quads };

namespace weave {

// Of a matrix that lies anywhere, or of which only facts are known.
struct MatrixShape {
  std::int64_t rows = 0, cols = 0, entries = 0;

  MatrixShape(std::int64_t its_rows, std::int64_t its_cols, std::int64_t its_entries)
      : rows(its_rows), cols(its_cols), entries(its_entries) {}
  MatrixShape(const PatternView& A) : MatrixShape(A.rows, A.cols, A.nnz()) {}
  std::int64_t nnz() const { return entries; }
  double mean() const { return rows > 0 ? static_cast<double>(entries) / static_cast<double>(rows) : 0; }
};

// Whether a large GPU's L2 keeps the matrix from one product to the next, with x and y.
inline constexpr double cache_bytes = 40e6;
inline bool stays_in_cache(const MatrixShape& A, int value_bytes, double column_bytes = 2) {
  const double bytes = (column_bytes + value_bytes) * static_cast<double>(A.entries);
  return bytes + 8.0 * static_cast<double>(A.rows + A.cols) < cache_bytes;
}

// f(std::integral_constant<Keep, k>)
template <class F>
void dispatch_keep(bool keep, F f) {
  if (keep)
    f(std::integral_constant<Keep, Keep::matrix>{});
  else
    f(std::integral_constant<Keep, Keep::nothing>{});
}

}  // namespace weave
}  // namespace heddle
