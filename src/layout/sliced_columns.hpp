// The columns of a sliced layout in 16 bits where they allow it. A slice is the work of a warp: T lanes share a row,
// and a team of T lanes has U rows; the rows of a team lie 32/T apart, so that neighbouring teams have neighbouring
// rows.
//
//   T = 8, U = 2, 8 rows a slice      lanes   0-7    8-15   16-23  24-31
//                                     rows    0, 4   1, 5   2, 6   3, 7
//
//   entry k of row p of a slice:  step k / T,  lane p % (32/T) * T + k % T,  row u = p / (32/T) of that lane
//
// A step is 32 lanes x U codes (layout/lane_pieces.hpp), the same arrangement as that of the values beside them. Slices
// whose columns do not fit four windows are `wide`: 32-bit columns in the same array, -1 for none.
#pragma once

#include "layout/column_windows.hpp"
#include "layout/lane_pieces.hpp"

namespace heddle {

struct TeamShape {
  int lanes = 1, rows = 1;  // T and U

  SIMT_BOTH int teams() const { return simt::warp_size / lanes; }
  SIMT_BOTH int slice_rows() const { return teams() * rows; }
  SIMT_BOTH int step_slots() const { return simt::warp_size * rows; }
  SIMT_BOTH int lane_of(int p, std::int64_t k) const { return p % teams() * lanes + static_cast<int>(k % lanes); }
  SIMT_BOTH int row_of_lane(int p) const { return p / teams(); }
};

struct ColumnSlice {
  Offset first = 0;    // its first step among all of the matrix
  Offset columns = 0;  // where its codes start
  Index width = 0;     // steps
  Index wide = 0;
  ColumnWindows windows = {};

  SIMT_BOTH std::int64_t code_count(TeamShape shape) const {
    return std::int64_t{width} * shape.step_slots() * (wide ? 2 : 1);
  }
  friend bool operator==(const ColumnSlice&, const ColumnSlice&) = default;
};

struct SlicedColumns {
  TeamShape shape;
  std::int64_t rows = 0;
  Offset steps = 0;
  Buffer<ColumnSlice> slices;
  Buffer<std::uint16_t> codes;
  Buffer<Index> row_of;  // stored row i is row row_of[i]; empty: rows are in their places

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.slices), f(self.codes), f(self.row_of);
  }
  std::int64_t stored_row(std::int64_t i) const { return row_of.empty() ? i : row_of[i]; }
  Index column(std::int64_t s, std::int64_t step, int lane, int u) const;  // -1: none
};

// The sizes alone: slices with `first`, `columns`, `width`, `wide` and windows, but no codes.
SlicedColumns plan_columns(const PatternView& A, TeamShape shape, std::int64_t sort);
std::int64_t code_count(const SlicedColumns& planned);
inline std::int64_t column_bytes(const SlicedColumns& planned) {
  return static_cast<std::int64_t>(planned.slices.bytes() + planned.row_of.bytes()) + 2 * code_count(planned);
}
// Fills in the codes.
void store_columns(const PatternView& A, SlicedColumns& planned);

// plan_columns for arrays on a device, on that device; rows are sorted in windows of 1,024 or not at all.
struct PlannedColumns {
  SlicedColumns columns;
  std::int64_t code_count = 0;
};
PlannedColumns plan_columns(simt::Emulator, const PatternView& there, TeamShape, std::int64_t sort, Device device);
PlannedColumns plan_columns(simt::Cuda, const PatternView& there, TeamShape, std::int64_t sort, Device device);

// f(lane, U slots of it, step of the slice) ... see the kernels. Columns of this lane in one step; -1: none.
template <Keep keep, int U>
SIMT_DEVICE void load_columns(const ColumnSlice& slice, const std::uint16_t* codes, Index step, Index (&col)[U]) {
  std::uint16_t code[U];
  load_pieces<keep>(codes + slice.columns + std::int64_t{step} * simt::warp_size * U, code);
#pragma unroll
  for (int u = 0; u < U; ++u) col[u] = code[u] == ColumnWindows::none ? -1 : slice.windows.decode(code[u]);
}
template <Keep keep, int U>
SIMT_DEVICE void load_wide_columns(const ColumnSlice& slice, const std::uint16_t* codes, Index step, Index (&col)[U]) {
  load_pieces<keep>(reinterpret_cast<const Index*>(codes + slice.columns) + std::int64_t{step} * simt::warp_size * U,
                    col);
}

// The other way round, for kernels that build.
template <int U>
SIMT_DEVICE void store_lane_columns(const ColumnSlice& slice, std::uint16_t* codes, Index step, const Index (&col)[U]) {
  const std::int64_t at = std::int64_t{step} * simt::warp_size * U;
  if (slice.wide) return store_pieces(reinterpret_cast<Index*>(codes + slice.columns) + at, col);
  std::uint16_t code[U];
#pragma unroll
  for (int u = 0; u < U; ++u) code[u] = col[u] < 0 ? ColumnWindows::none : WindowFinder::encode(slice.windows, col[u]);
  store_pieces(codes + slice.columns + at, code);
}

}  // namespace heddle
