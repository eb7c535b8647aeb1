// Compressed rows, each padded to a multiple of 16 entries: the format of SpMV4GPU (Baskaran and Bordawekar).
//
//   lengths 3, 0, 18:   ptr  0       16  16               48      length  3 0 18
//                            a a a . . | c c c c ... c c . . .
//
//   entry k of row r is at   ptr[r] + k ,   k < length[r];   ptr[r] is a multiple of 16
//
// Every row starts on a boundary of 64 bytes (float) or 128 bytes (double). Half a warp works on a row, two
// neighbours per lane and step. Padding is stored as (column 0, value 0) and never used: lanes stop at the length.
#pragma once

#include "formats/format.hpp"

namespace heddle {

struct CsrPaddedSettings {
  std::vector<Field> fields() { return {}; }
};

template <class V>
struct CsrPaddedFormat {
  using Settings = CsrPaddedSettings;
  static constexpr bool uses_scratch = false;
  static constexpr Offset row_unit = 16;  // the lanes of a half warp

  std::int64_t rows = 0, cols = 0;
  Buffer<Offset> ptr;  // where rows start, and the number of places
  Buffer<Index> length;
  Buffer<Index> col;
  Buffer<V> val;
  Buffer<Index> task;  // first row of each CPU task, and `rows`

  static FormatInfo about();
  static void settle(Settings&, const PatternView&) {}
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static CsrPaddedFormat build(Source<V> source, const Settings& settings);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.ptr), f(self.length), f(self.col), f(self.val), f(self.task);
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
