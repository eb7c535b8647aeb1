// Sliced rows with 16-bit columns (codec/sliced_columns.hpp): the layout for local columns and rows of similar length.
//
//   slice of 32/T * U rows, as wide as its longest row        columns: 4 windows of 16,384 each, or 32 bits; with
//                                                             columns=bytes 4 windows of 64 for a step where they fit
//   values of a step: 32 lanes x U, beside the codes          a place without an entry has no column: x is not touched
#pragma once

#include <algorithm>
#include <bit>

#include "codec/sliced_columns.hpp"
#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

struct RowsSettings {
  ValueCodec codec = ValueCodec::raw;
  Open<int> lanes, per_lane;  // that share a row; rows of each of them: 1, 2 or 4
  Open<int> sort;             // rows that are sorted by their lengths together; 1: none
  Open<int> threads;          // of a block of the GPU
  Open<WeaveColumns> columns;
  Open<Keep> keep;

  bool in_bytes() const { return columns == WeaveColumns::bytes; }
  template <class F>
  void each(F f) {
    f("lanes", lanes), f("per_lane", per_lane), f("sort", sort), f("threads", threads), f("columns", columns),
        f("keep", keep);
  }
};

// How many lanes share a row, and how many rows a lane has a share of.
struct RowsTeam {
  // Under way at once where slices are few and the matrix stays in the L2: of doubles 64 registers hold no more.
  static constexpr int steps_at_once = 8;
  template <class V>
  static constexpr int most_at_once = sizeof(V) == 4 ? 12 : steps_at_once;
  static constexpr std::int64_t few_slices = 132 * 32;
  int lanes, per_lane;

  // A fifth of a row a lane when the matrix is large, and four lanes at most for rows that are not long (41 entries a
  // row, sorted by length, took 10.0 us where eight lanes took 13.4; H200, double); more when the matrix is small, as
  // long as a lane has fewer steps than can be under way. Four rows a lane while warps fill the GPU, else two (bands of
  // 120,000 and 150,000 rows: 5.4 and 8.8 us instead of 5.9 and 10.5 in float, of 70,000 rows 5.1 instead of 4.8). What
  // is named (not 0) stays.
  static RowsTeam of(std::int64_t rows, double mean, bool in_cache, int named_lanes, int named_per_lane) {
    constexpr double enough_warps = 4000, some_warps = 2000, warps_of_four = 3600;
    const double lane_rows = std::max<double>(1, static_cast<double>(rows)) / simt::warp_size;
    const int few = std::min(power_of_two(mean / 5), mean < 64 ? 4 : simt::warp_size), many = power_of_two(mean);
    const bool fills = lane_rows * few / 2 >= enough_warps;
    int lanes = fills ? few : std::clamp(power_of_two(2 * enough_warps / lane_rows), few, std::max(few, many));
    const auto halve = [&](double warps, int steps) {
      for (int half = lanes / 2; lanes > few && lane_rows * lanes > warps && mean <= half * steps; half /= 2)
        lanes = half;
    };
    if (!fills && in_cache) halve(some_warps, 6), halve(enough_warps, steps_at_once);
    if (named_lanes > 0) lanes = named_lanes;
    if (named_per_lane > 0) return {lanes, std::min(named_per_lane, 4)};
    return {lanes, !fills ? 1 : lane_rows * lanes / 4 >= warps_of_four ? 4 : 2};
  }
  // Rows of a slice.
  int slice_rows() const { return simt::warp_size / lanes * per_lane; }

 private:
  static int power_of_two(double at_most) {
    return at_most < 1 ? 1 : static_cast<int>(std::bit_floor(static_cast<unsigned>(std::min(at_most, 32.0))));
  }
};

template <class V>
struct Rows {
  using Settings = RowsSettings;

  std::int64_t rows = 0, cols = 0;
  int threads = 128;
  bool keep = false;
  bool bytes = false;  // slices may have columns in 8 bits
  SlicedColumns columns;
  ValueStore<V> values;

  static Footprint footprint(const PatternView& A, const RowsSettings& settings, int value_bytes);
  static Rows build(const CsrView<V>& A, const RowsSettings& settings);
  static std::optional<Rows> build_there(simt::Emulator, const MatrixThere<V>& A, const RowsSettings& settings, Device);
  static std::optional<Rows> build_there(simt::Cuda, const MatrixThere<V>& A, const RowsSettings& settings, Device);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    SlicedColumns::each_array(self.columns, f);
    ValueStore<V>::each_array(self.values, f);
  }
  bool uses_scratch() const { return false; }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
  bool multiply_many(OnCpu, const ProductMany<V>& product) const;
  bool multiply_many(simt::Emulator, const ProductMany<V>& product) const;
  bool multiply_many(simt::Cuda, const ProductMany<V>& product) const;
};

}  // namespace heddle::weave
