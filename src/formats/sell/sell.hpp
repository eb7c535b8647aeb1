// Sliced ELLPACK (sigma = 1) and SELL-C-sigma: slices of C rows, each as wide as its own longest row.
//
//   rows a..f, C = 4, lanes = 1                              lanes = 2: neighbours of a row sit side by side
//
//   slice 0   a0 b0 c0 d0 | a1 b1 c1 .. | a2 .. .. ..        a0 a1 b0 b1 c0 c1 d0 .. | a2 .. .. .. .. .. .. ..
//   slice 1   e0 f0 .. .. | e1 .. .. ..                      e0 e1 f0 .. .. .. .. ..
//   start     0 12 20                                        .. has column -1
//
//   entry k of row r is at   start[s] + ((k / lanes) * C + r % C) * lanes + k % lanes,   s = r / C
//
// With sigma > 1 rows are first sorted inside windows of sigma rows, longest first: stored row i is row row_of[i]. Rows
// of one slice become alike (little padding) and stay near their place (x stays in cache). The width of a slice comes
// from `start`; there are no row lengths, lanes walk the whole width and skip padding by its column.
#pragma once

#include "formats/format.hpp"
#include "layout/sliced.hpp"

namespace heddle {

struct SellSettings {
  int C = 32;
  int sigma = 1;
  int lanes = 1;
  std::vector<Field> fields() {
    return {
        {.name = "C", .value = &C, .meaning = "rows of a slice", .low = 2, .high = 1024},
        {.name = "sigma",
         .value = &sigma,
         .meaning = "rows of a sorting window; 1: not sorted",
         .low = 1,
         .high = INT32_MAX},
        {.name = "lanes", .value = &lanes, .meaning = "GPU lanes that share a row", .numbers = {1, 2, 4, 8, 16, 32}}};
  }
};

template <class V>
struct SellFormat {
  using Settings = SellSettings;
  static constexpr bool uses_scratch = false;

  std::int64_t cols = 0;
  SlicedStore<V> part;

  static FormatInfo about();
  static void settle(Settings&, const PatternView&) {}
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static SellFormat build(Source<V> source, const Settings& settings);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    SlicedStore<V>::each_array(self.part, f);
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
