// Coordinates, sorted by row: every entry says where it is. Arrays and kernels are layout/coordinates.hpp; y is set to
// beta y first, because rows without entries are not visited.
#pragma once

#include "formats/format.hpp"
#include "layout/coordinates.hpp"

namespace heddle {

struct CooSettings {
  std::vector<Field> fields() { return {}; }
};

template <class V>
struct CooFormat {
  using Settings = CooSettings;

  std::int64_t rows = 0, cols = 0;
  Coordinates<V> entries;

  bool uses_scratch() const { return entries.uses_scratch(); }
  static FormatInfo about();
  static void settle(Settings&, const PatternView&) {}
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static CooFormat build(Source<V> source, const Settings& settings);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    Coordinates<V>::each_array(self.entries, f);
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
