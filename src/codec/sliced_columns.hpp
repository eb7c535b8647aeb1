// The columns of a sliced layout in 16 bits where they allow it. A slice is the work of a warp: T lanes share a row,
// and a team of T lanes has U rows; the rows of a team lie 32/T apart, so that neighbouring teams have neighbouring
// rows.
//
//   T = 8, U = 2, 8 rows a slice      lanes   0-7    8-15   16-23  24-31
//                                     rows    0, 4   1, 5   2, 6   3, 7
//
//   entry k of row p of a slice:  step k / T,  lane p % (32/T) * T + k % T,  row u = p / (32/T) of that lane
//
// A step is 32 lanes x U codes (codec/lane_pieces.hpp), the same arrangement as that of their values. Slices whose
// columns do not fit four windows are `wide`: 32-bit columns in the same array, -1 for none.
//
// Where it is asked for, slices have codes of 8 bits when each of their steps fits four windows of 64 columns: first
// the codes of all steps, then their windows, 16 bytes each. (Neighbouring rows have their k-th entries in a few
// places: so do 98 to 100 % of the slices of grids, blocked meshes, bands and lattices, 73 % of xenon1, 34 % of the
// unstructured mesh wave. One window of 256 columns a step, and distances along a row in 8 bits, both fit next to none
// of them: lines and planes of a grid lie further apart, and a step reaches from one into the next.)
#pragma once

#include "codec/column_windows.hpp"
#include "codec/lane_pieces.hpp"

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
  Index wide = 0;      // 1: columns of 32 bits; in_bytes: codes of 8
  ColumnWindows windows = {};

  static constexpr Index in_bytes = 2;

  // In units of 16 bits; slices begin at multiples of 64 bytes.
  SIMT_BOTH std::int64_t code_count(TeamShape shape) const {
    if (wide != in_bytes) return std::int64_t{width} * shape.step_slots() * (wide ? 2 : 1);
    return (std::int64_t{width} * (16 + shape.step_slots()) + 63) / 64 * 32;
  }
  // Of a slice in bytes.
  SIMT_BOTH const std::uint8_t* byte_codes(const std::uint16_t* codes) const {
    return reinterpret_cast<const std::uint8_t*>(codes + columns);
  }
  SIMT_BOTH const ByteWindows* step_windows(const std::uint16_t* codes, int step_slots) const {
    return reinterpret_cast<const ByteWindows*>(byte_codes(codes) + std::int64_t{width} * step_slots);
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

// The sizes alone: slices with `first`, `columns`, `width`, `wide` and windows, but no codes. bytes: in 8 bits what
// fits.
SlicedColumns plan_columns(const PatternView& A, TeamShape shape, std::int64_t sort, bool bytes = false);
std::int64_t code_count(const SlicedColumns& planned);
inline std::int64_t column_bytes(const SlicedColumns& planned) {
  return static_cast<std::int64_t>(planned.slices.bytes() + planned.row_of.bytes()) + 2 * code_count(planned);
}
// Fills in the codes.
void store_columns(const PatternView& A, SlicedColumns& planned);

// What slices take.
struct SliceSum {
  Offset steps = 0, codes = 0;

  SIMT_BOTH void add(const SliceSum& other) {
    steps += other.steps;
    codes += other.codes;
  }
};

// Where slices begin, for the kernel that fills them. Those of a few thousand know it inside their part only, and the
// host what comes before each part: so no kernel scans them (H200: a launch, 5 us of the host, and a wait).
struct SlicePlaces {
  static constexpr int most_parts = 192;  // they travel among the arguments of a kernel
  int slices_of_part = 0;                 // 0: slices know their places
  SliceSum before[most_parts];

  // Slice s, which knows its place from now on. By a warp. `unplaced`: as it was, where all warps of a block ask for it
  // and have met since they read it.
  SIMT_DEVICE ColumnSlice placed(ColumnSlice* slices, std::int64_t s) const {
    const ColumnSlice unplaced = slices[s];
    simt::sync_warp();
    return placed(slices, s, unplaced, simt::lane() == 0);
  }
  SIMT_DEVICE ColumnSlice placed(ColumnSlice* slices, std::int64_t s, const ColumnSlice& unplaced, bool writes) const {
    if (slices_of_part == 0) return unplaced;
    ColumnSlice slice = unplaced;
    slice.first += before[s / slices_of_part].steps;
    slice.columns += before[s / slices_of_part].codes;
    if (writes) slices[s] = slice;
    return slice;
  }
};

struct PlannedColumns {
  SlicedColumns columns;
  std::int64_t code_count = 0;
  SlicePlaces places;
};

// What is planned: the rows of a matrix, or those of its blocks of `block` rows and columns, which are all full.
struct PlannedRows {
  PatternView matrix;
  int block = 1;
};
// plan_columns for arrays on a device, on that device; rows are sorted in windows of 1,024 or not at all.
PlannedColumns plan_columns(simt::Emulator, const PlannedRows& there, TeamShape, std::int64_t sort, Device device,
                            bool bytes = false);
PlannedColumns plan_columns(simt::Cuda, const PlannedRows& there, TeamShape, std::int64_t sort, Device device,
                            bool bytes = false);

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

template <Keep keep, int U>
SIMT_DEVICE void load_byte_columns(const ColumnSlice& slice, const std::uint16_t* codes, Index step, Index (&col)[U]) {
  const simt::Pack<Index, 4> base = simt::cached_pack<4>(slice.step_windows(codes, simt::warp_size * U)[step].base);
  const ByteWindows windows{{base.at[0], base.at[1], base.at[2], base.at[3]}};
  std::uint8_t code[U];
  load_pieces<keep>(slice.byte_codes(codes) + std::int64_t{step} * simt::warp_size * U, code);
#pragma unroll
  for (int u = 0; u < U; ++u) col[u] = code[u] == ByteWindows::none ? -1 : windows.decode(code[u]);
}

// The windows of a step, found by a warp as ByteFinder::find does; col: of this lane, -1 for none. False: it does not
// fit.
template <int U>
SIMT_DEVICE bool find_step_windows(const Index (&col)[U], ByteWindows& found) {
  constexpr std::uint32_t no_column = UINT32_MAX;
  std::uint32_t covered = 0;
  for (int w = 0; w < ByteWindows::windows; ++w) {
    std::uint32_t lowest = no_column;
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const auto column = static_cast<std::uint32_t>(col[u]);
      if (col[u] >= 0 && column >= covered && column < lowest) lowest = column;
    }
    lowest = ~simt::max_lanes(~lowest);
    found.base[w] = lowest == no_column ? 0 : static_cast<Index>(lowest);
    if (lowest != no_column) covered = static_cast<std::uint32_t>(ByteFinder::end_of(w, lowest));
  }
  bool fits = true;
#pragma unroll
  for (int u = 0; u < U; ++u) fits &= col[u] < 0 || static_cast<std::uint32_t>(col[u]) < covered;
  return !simt::any(!fits);
}

// The other way round, for kernels that build. By a warp.
template <int U>
SIMT_DEVICE void store_lane_columns(const ColumnSlice& slice, std::uint16_t* codes, Index step, const Index (&col)[U]) {
  const std::int64_t at = std::int64_t{step} * simt::warp_size * U;
  if (slice.wide == ColumnSlice::in_bytes) {
    ByteWindows windows;
    find_step_windows(col, windows);
    if (simt::lane() == 0) const_cast<ByteWindows*>(slice.step_windows(codes, simt::warp_size * U))[step] = windows;
    std::uint8_t code[U];
#pragma unroll
    for (int u = 0; u < U; ++u) code[u] = col[u] < 0 ? ByteWindows::none : ByteFinder::encode(windows, col[u]);
    return store_pieces(const_cast<std::uint8_t*>(slice.byte_codes(codes)) + at, code);
  }
  if (slice.wide) return store_pieces(reinterpret_cast<Index*>(codes + slice.columns) + at, col);
  std::uint16_t code[U];
#pragma unroll
  for (int u = 0; u < U; ++u) code[u] = col[u] < 0 ? ColumnWindows::none : WindowFinder::encode(slice.windows, col[u]);
  store_pieces(codes + slice.columns + at, code);
}

// What is left behind the windows of a slice in bytes. By a warp.
SIMT_DEVICE void store_behind_windows(const ColumnSlice& slice, TeamShape shape, std::uint16_t* codes) {
  if (slice.wide != ColumnSlice::in_bytes) return;
  std::uint16_t* end = codes + slice.columns + slice.code_count(shape);
  auto* at = reinterpret_cast<const std::uint16_t*>(slice.step_windows(codes, shape.step_slots()) + slice.width);
  for (std::uint16_t* to = const_cast<std::uint16_t*>(at) + simt::lane(); to < end; to += simt::warp_size) *to = 0;
}

}  // namespace heddle
