// Rows padded to one length, for small matrices, short rows and dense ones: no descriptor to read before the first
// entry, T lanes a row, W entries a lane and step. Neighbours of a row are in neighbouring lanes, which fetch x
// together.
//
//   T = 4, W = 2     row a   a0 a4 | a1 a5 | a2 a6 | a3 a7      one step of one row; 32/T rows make a warp's work
//
//   entry k of row i:  step k / (T W),  lane i % (32/T) * T + k % T,  place k / T % W of the lane
//   position           (i / (32/T) * steps + step) * 32 W + place in the lanes' pieces (codec/lane_pieces.hpp)
//   columns   narrow    in 16 bits as they are, where there are at most 65,535
//             relative  in 16 bits as column - row + 32,767, where all are that near to the diagonal
//             wide      in 32 bits
//             all bits set: no entry
#pragma once

#include <bit>

#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

struct PaddedSettings {
  ValueCodec codec = ValueCodec::raw;
  Open<int> lanes, per_lane;  // T and W

  template <class F>
  void each(F f) {
    f("lanes", lanes), f("per_lane", per_lane);
  }
};

enum class PaddedColumns { narrow, relative, wide };

template <class Code>
inline constexpr Code no_padded_column = static_cast<Code>(-1);

struct PaddedShape {
  std::int64_t rows = 0;
  int lanes = 1, per_lane = 1;  // T and W
  int lanes_log2 = 0;           // kernels shift by it: to divide by T takes them as long as to wait for a load
  PaddedColumns columns = PaddedColumns::narrow;
  Index steps = 0;

  static constexpr std::int64_t most_narrow = 0xffff, reach = 0x7fff;
  static PaddedShape of(std::int64_t rows, Offset longest, PaddedColumns columns, const PaddedSettings& settings) {
    const std::int64_t step = std::int64_t{settings.lanes} * settings.per_lane;
    return {.rows = rows,
            .lanes = settings.lanes,
            .per_lane = settings.per_lane,
            .lanes_log2 = std::countr_zero(static_cast<unsigned>(settings.lanes)),
            .columns = columns,
            .steps = static_cast<Index>((longest + step - 1) / step)};
  }
  // What a code of this row is added to.
  SIMT_BOTH std::int64_t base(std::int64_t row) const { return columns == PaddedColumns::relative ? row - reach : 0; }
  int code_bytes() const { return columns == PaddedColumns::wide ? 4 : 2; }
  SIMT_BOTH std::int64_t teams() const { return simt::warp_size >> lanes_log2; }
  SIMT_BOTH std::int64_t warps() const { return (rows + teams() - 1) >> (simt::warp_size_log2 - lanes_log2); }
  SIMT_BOTH std::int64_t step_begin(std::int64_t step, std::int64_t warp) const {
    return (warp * steps + step) * simt::warp_size * per_lane;
  }
  std::int64_t stored() const { return steps * warps() * simt::warp_size * per_lane; }
};

// How padded rows are shared out where settings leave it open; per_lane: 1, 4, or anything else for what suits. One
// entry a lane and up to four steps for the longest row; up to eight, and then up to twelve, which are all under way at
// once, where warps become many (H200, float: 48,000 rows of 9 1.96 us with two lanes, 1.87 with one; 73,000 of them
// 2.19 and 2.09, 2.72 with four; 29,000 of 39 4.2 us with four entries for each of 16 lanes, 2.5 with one for each of
// four); short rows have still fewer lanes where warps become more than a large GPU holds. Four entries a lane where
// few rows are one step of them, and where twelve steps do not reach.
struct PaddedTeam {
  static constexpr int steps_at_once = 8, most_at_once = 12;  // with one entry a lane; the latter of raw values and
  static constexpr std::int64_t few_warps = 132 * 32;         // of warps that all run at once
  int lanes, per_lane;

  static PaddedTeam of(std::int64_t rows, std::int64_t longest, int per_lane) {
    constexpr std::int64_t short_row = 32, some_warps = 2000, many_warps = 3000, too_many_warps = 6500;
    int lanes = 1;
    while (lanes < simt::warp_size && lanes * 4 < longest) lanes *= 2;
    const bool few = rows * lanes <= some_warps * simt::warp_size;
    const bool one_step = longest > short_row && longest <= lanes * 4;
    if (per_lane == 4 || (per_lane != 1 && few && one_step)) return {lanes, 4};
    const auto halve = [&](std::int64_t warps, std::int64_t steps) {
      while (lanes > 1 && rows * lanes > warps * simt::warp_size && longest <= lanes / 2 * steps) lanes /= 2;
    };
    halve(some_warps, steps_at_once);
    halve(many_warps, most_at_once);
    if (longest <= short_row) halve(too_many_warps, longest);
    return {lanes, per_lane == 1 || longest <= lanes * most_at_once ? 1 : 4};
  }
};

template <class V>
struct Padded {
  using Settings = PaddedSettings;

  std::int64_t cols = 0;
  PaddedShape shape;
  Buffer<std::uint16_t> col;  // narrow and relative columns,
  Buffer<Index> wide;         // or wide ones
  ValueStore<V> values;

  static Footprint footprint(const PatternView& A, const PaddedSettings& settings, int value_bytes);
  static Padded build(const CsrView<V>& A, const PaddedSettings& settings);
  using Found = Offset;  // the most entries of a row; -1: nobody has asked
  static std::optional<Padded> build_there(simt::Emulator, const MatrixThere<V>& A, const PaddedSettings& settings,
                                           Device, Found longest = -1);
  static std::optional<Padded> build_there(simt::Cuda, const MatrixThere<V>& A, const PaddedSettings& settings, Device,
                                           Found longest = -1);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.col), f(self.wide);
    ValueStore<V>::each_array(self.values, f);
  }
  bool uses_scratch() const { return false; }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
  bool multiply_many(simt::Emulator, const ProductMany<V>& product) const;
  bool multiply_many(simt::Cuda, const ProductMany<V>& product) const;
};

// The farthest a column is from the diagonal, in rows without repetition and in order.
template <class Pattern>
SIMT_BOTH std::int64_t reach_of_row(const Pattern& A, std::int64_t row) {
  if (A.length(row) == 0) return 0;
  const std::int64_t before = row - A.col[A.ptr[row]], behind = A.col[A.ptr[row + 1] - 1] - row;
  return before > behind ? before : behind;
}

// f(codes) with the columns of a Padded, as it has them.
template <class Layout, class F>
void with_codes(Layout& A, F f) {
  if (A.shape.columns == PaddedColumns::wide)
    f(A.wide.data());
  else
    f(A.col.data());
}

}  // namespace heddle::weave
