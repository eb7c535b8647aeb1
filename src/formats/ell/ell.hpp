// ELLPACK: every row as long as the longest one, stored by columns. Kept as the papers compare against it.
//
//   A = [ a0 a1 a2 ]     col, val   a0 b0 c0 d0 | a1 .. c1 d1 | a2 .. .. ..      one column of places after another
//       [ b0       ]
//       [ c0 c1    ]     entry k of row r is at   k * ld + r,   ld = rows rounded up to 32
//       [ d0 d1    ]     .. has column -1
//
// There are no row lengths: each of the ld * longest places is visited and tested for padding. That test, and those
// visits, are what ellr saves.
#pragma once

#include "formats/format.hpp"
#include "layout/sliced.hpp"

namespace heddle {

struct EllSettings {
  int block = 256;
  std::vector<Field> fields() {
    return {{.name = "block", .value = &block, .meaning = "GPU threads of a block", .numbers = {128, 256, 512}}};
  }
};

template <class V>
struct EllFormat {
  using Settings = EllSettings;
  static constexpr bool uses_scratch = false;

  std::int64_t cols = 0;
  int block = 256;
  SlicedStore<V> part;

  static FormatInfo about();
  static void settle(Settings&, const PatternView&) {}
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static EllFormat build(Source<V> source, const Settings& settings);
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
