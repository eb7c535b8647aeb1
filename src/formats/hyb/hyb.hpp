// ELLPACK of K columns, and coordinates for what is longer: one long row costs its own length, not the matrix's height.
//
//   K = 2         ell.col       ell.val         rest.row  1 1 3
//   row 0  a      0  -1         a  .            rest.col  4 5 7
//   row 1  bcde   0   1         b  c            rest.val  d e h
//   row 2         -1 -1         .  .
//   row 3  fgh    2   3         f  g            entry k < K of row r is at  k * ld + r,  ld = rows rounded up to 32
//
// Padding is column -1, and the loop over the K columns tests for it (classic ELLPACK). The ELLPACK part writes every
// row of y, the rest is added: two or three launches, which is what small matrices pay.
#pragma once

#include "formats/format.hpp"
#include "layout/ell_and_rest.hpp"

namespace heddle {

struct HybSettings {
  int K = automatic;
  int rule = two_thirds;
  std::vector<Field> fields() {
    return {{.name = "K",
             .value = &K,
             .meaning = "entries of a row that the ELLPACK part takes; auto: by the rule",
             .low = 0,
             .high = INT32_MAX,
             .may_be_automatic = true},
            {.name = "rule",
             .value = &rule,
             .meaning = "two_thirds: at most a third of the rows is longer than K; cusp: fewer than a third, or fewer "
                        "than 4096 rows",
             .words = {"two_thirds", "cusp"}}};
  }
};

template <class V>
struct HybFormat {
  using Settings = HybSettings;
  static constexpr int threads = 256;

  std::int64_t cols = 0;
  EllAndRest<V> parts;

  bool uses_scratch() const { return parts.rest.uses_scratch(); }
  static FormatInfo about();
  static void settle(Settings& settings, const PatternView& A);
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static HybFormat build(Source<V> source, const Settings& settings);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    EllAndRest<V>::each_array(self.parts, f);
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
