// Row-grouped CSR: groups of rows, stored by columns inside a group, with row lengths.
//
//   rows a..f, group = 4
//
//   group 0   a0 b0 c0 d0 | a1 b1 c1 .. | a2 .. .. ..       length   3 2 2 1 2 1
//   group 1   e0 f0 | e1 ..                                  start    0 12 16
//
//   entry k of row r is at   start[j] + k * height(j) + r % group,   j = r / group
//   height(j) = group; the last group is stored with its real height, rows % group
//
// One block of `group` threads per group (groups below 32 share a block of 32), one thread per row, which stops at its
// row's own length; nothing to reduce. An order of the rows changes the padding: by length, or `amd`, approximate
// minimum degree, the paper's other candidate; both give up neighbours in x. Stored row i is row row_of[i]; columns,
// and so x, keep their places. What the paper calls a descending order is `ascending` here: its 1452.8 % zeros for
// trans4 are possible only with the longest rows in the last group, which may be short (that matrix's row of 114190
// entries in a group of 99; in one of 128 it alone would make 1807 %).
#pragma once

#include "formats/format.hpp"
#include "layout/sliced.hpp"

namespace heddle {

struct RgcsrSettings {
  enum Order { none, ascending, descending, amd };
  int group = 128;
  int order = none;
  std::vector<Field> fields();  // amd is among the orders in a build with SuiteSparse
};

template <class V>
struct RgcsrFormat {
  using Settings = RgcsrSettings;
  static constexpr bool uses_scratch = false;

  std::int64_t cols = 0;
  int group = 128;
  SlicedStore<V> part;

  static FormatInfo about();
  static void settle(Settings&, const PatternView&) {}
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static RgcsrFormat build(Source<V> source, const Settings& settings);
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
