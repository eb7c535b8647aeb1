// Long rows: a team of 32 to 1024 threads a row, four consecutive entries a thread and step. For dense rows, and for
// matrices of few rows with many entries, which have too few rows for a warp each.
//
//   L threads a row       row a   |a0 a1 a2 a3|a4 ..    |  ...  |    step 0: 4 L entries
//                                 |thread 0   |thread 1 |       |
//
//   entry k of row i:  step begin[i] + k / (4 L),  thread k / 4 % L,  place k % 4 of the thread
//   the 32 threads of a warp have their entries in pieces (layout/lane_pieces.hpp); a step is L / 32 warps
//
// Columns in 16 bits when the matrix has at most 65,535, else in 32; all bits set: no entry. A team's sums meet in
// shared memory, always in the same order.
#pragma once

#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

struct LongShape {
  static constexpr int per_thread = 4, warp_entries = simt::warp_size * per_thread;

  std::int64_t rows = 0;
  int lanes = 32;  // L
  bool wide = false;

  static LongShape of(const PatternView& A, const WeaveSettings& settings) {
    constexpr std::int64_t most_narrow_columns = 65535;
    return {A.rows, settings.team, A.cols > most_narrow_columns};
  }
  SIMT_BOTH int warps() const { return lanes / simt::warp_size; }
  SIMT_BOTH std::int64_t step_entries() const { return std::int64_t{lanes} * per_thread; }
  SIMT_BOTH std::int64_t steps(std::int64_t length) const { return (length + step_entries() - 1) / step_entries(); }
};

template <class V>
struct Long {
  std::int64_t cols = 0;
  LongShape shape;
  Buffer<Offset> begin;          // of each row in steps, and their number at the end
  Buffer<std::uint16_t> narrow;  // columns,
  Buffer<Index> wide;            // in one of the two
  ValueStore<V> values;

  static Footprint footprint(const PatternView& A, const WeaveSettings& settings, int value_bytes);
  static Long build(const CsrView<V>& A, const WeaveSettings& settings);
  static std::optional<Long> build_there(simt::Emulator, const CsrView<V>& A, const WeaveSettings& settings, Device);
  static std::optional<Long> build_there(simt::Cuda, const CsrView<V>& A, const WeaveSettings& settings, Device);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.begin), f(self.narrow), f(self.wide);
    ValueStore<V>::each_array(self.values, f);
  }
  bool uses_scratch() const { return false; }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
  bool multiply_many(simt::Emulator, const ProductMany<V>& product) const;
  bool multiply_many(simt::Cuda, const ProductMany<V>& product) const;
};

// What stands where there is no entry.
template <class C>
inline constexpr C no_long_column = static_cast<C>(~C{0});

}  // namespace heddle::weave
