// Sliced rows with 16-bit columns (layout/sliced_columns.hpp): the layout for local columns and rows of similar length.
//
//   slice of 32/T * U rows, as wide as its longest row        columns: 4 windows of 16,384 each, or 32 bits; with
//                                                             columns=bytes 4 windows of 64 for a step where they fit
//   values of a step: 32 lanes x U, beside the codes          a place without an entry has no column: x is not touched
#pragma once

#include "formats/weave/weave_layout.hpp"
#include "layout/sliced_columns.hpp"

namespace heddle::weave {

template <class V>
struct Rows {
  std::int64_t rows = 0, cols = 0;
  int threads = 128;
  bool keep = false;
  bool bytes = false;  // slices may have columns in 8 bits
  SlicedColumns columns;
  ValueStore<V> values;

  static Footprint footprint(const PatternView& A, const WeaveSettings& settings, int value_bytes);
  static Rows build(const CsrView<V>& A, const WeaveSettings& settings);
  static std::optional<Rows> build_there(simt::Emulator, const CsrView<V>& A, const WeaveSettings& settings, Device);
  static std::optional<Rows> build_there(simt::Cuda, const CsrView<V>& A, const WeaveSettings& settings, Device);
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
