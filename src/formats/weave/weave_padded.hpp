// Rows padded to one length, for small matrices and dense ones: no descriptor to read before the first entry, columns
// in 16 bits as they are (so at most 65,535 columns), T lanes a row, W consecutive entries a lane and step.
//
//   T = 4, W = 2     row a   a0 a1 | a2 a3 | a4 a5 | a6 a7      one step of one row; 32/T rows make a warp's work
//
//   entry k of row i:  step k / (T W),  lane i % (32/T) * T + k / W % T,  place k % W of the lane
//   position           (step * warps + i / (32/T)) * 32 W + place in the lanes' pieces (layout/lane_pieces.hpp)
//   column 0xffff: no entry
#pragma once

#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

struct PaddedShape {
  std::int64_t rows = 0;
  int lanes = 1, per_lane = 1;  // T and W
  Index steps = 0;

  static constexpr std::uint16_t none = 0xffff;
  static PaddedShape of(std::int64_t rows, Offset longest, const WeaveSettings& settings) {
    const std::int64_t step = std::int64_t{settings.lanes} * settings.per_lane;
    return {rows, settings.lanes, settings.per_lane, static_cast<Index>((longest + step - 1) / step)};
  }
  SIMT_BOTH std::int64_t teams() const { return simt::warp_size / lanes; }
  SIMT_BOTH std::int64_t warps() const { return (rows + teams() - 1) / teams(); }
  SIMT_BOTH std::int64_t step_begin(std::int64_t step, std::int64_t warp) const {
    return (step * warps() + warp) * simt::warp_size * per_lane;
  }
  std::int64_t stored() const { return steps * warps() * simt::warp_size * per_lane; }
};

template <class V>
struct Padded {
  std::int64_t cols = 0;
  PaddedShape shape;
  Buffer<std::uint16_t> col;
  ValueStore<V> values;

  static Footprint footprint(const PatternView& A, const WeaveSettings& settings, int value_bytes);
  static Padded build(const CsrView<V>& A, const WeaveSettings& settings);
  static std::optional<Padded> build_there(simt::Emulator, const CsrView<V>& A, const WeaveSettings& settings, Device);
  static std::optional<Padded> build_there(simt::Cuda, const CsrView<V>& A, const WeaveSettings& settings, Device);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.col);
    ValueStore<V>::each_array(self.values, f);
  }
  bool uses_scratch() const { return false; }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
  bool multiply_many(simt::Emulator, const ProductMany<V>& product) const;
  bool multiply_many(simt::Cuda, const ProductMany<V>& product) const;
};

}  // namespace heddle::weave
