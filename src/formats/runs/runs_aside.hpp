// Rows of `runs` that are far longer than the others of their slice, along the row:
//
//   row    a a a a a a a a a a a a a . a a a a a a a . a a a   a     a         a     a     a a     a
//   parts  |                         0                       |                  1                   |
//   spans  |       masks 1111111111111 . 1111111 . 111       | columns 63 65 70 73 76 77 80         |
//
//   part   what a thread does at once. A row of two and more is shared: its parts are tasks of their own, whose sums
//          are added in order
//   span   either dense, so that x is read as it lies, 32 columns at a time, and each 32 have a mask for the entries
//          that are there; or each entry has its column
//
// How rows are cut depends on the matrix alone.
#pragma once

#include <cstdint>

#include <heddle/matrix.hpp>

#include "simt/annotations.hpp"

namespace heddle {

inline constexpr int columns_of_mask = 32;
inline constexpr int most_shared_parts = 1024;  // whose sums fit on the stack

struct AsideSpan {
  Offset entry;  // its first
  Offset at;     // its first mask in `mask`, or its first column in `col`
  Index first;   // column of the first mask; -1: not dense

  SIMT_BOTH bool is_dense() const { return first >= 0; }
};

struct SharedPart {
  Offset row, part;  // number of the row among those aside; part among all parts
};

template <class V>
struct AsideView {
  const Index* row;
  const Offset* work;      // entries of rows before this one that are not shared
  const Offset* part;      // first part of each row, and the number of parts
  const Offset* span;      // first span of each part, and the number of spans
  const AsideSpan* spans;  // and one behind the last
  const std::uint32_t* mask;
  const Index* col;
  const V* val;

  // f(entry, column) for the entries of row a, in order.
  template <class F>
  SIMT_BOTH void each_entry(Offset a, F f) const {
    for (Offset s = span[part[a]]; s < span[part[a + 1]]; ++s) {
      const AsideSpan here = spans[s];
      Offset k = here.entry;
      if (!here.is_dense())
        for (; k < spans[s + 1].entry; ++k) f(k, col[here.at + (k - here.entry)]);
      for (Index window = 0; k < spans[s + 1].entry; ++window)
        for (int i = 0; i < columns_of_mask; ++i)
          if ((mask[here.at + window] >> i & 1u) != 0) f(k++, here.first + window * columns_of_mask + i);
    }
  }
  SIMT_BOTH Offset length(Offset a) const { return spans[span[part[a + 1]]].entry - spans[span[part[a]]].entry; }
  SIMT_BOTH bool is_shared(Offset a) const { return part[a + 1] - part[a] > 1; }
};

template <class V>
struct AsideRows {
  Buffer<Index> row;
  Buffer<Offset> work, part, span;
  Buffer<AsideSpan> spans;
  Buffer<SharedPart> shared;
  Buffer<std::uint32_t> mask;
  Buffer<Index> col;
  Buffer<V> val;

  AsideView<V> view() const {
    return {row.data(), work.data(), part.data(), span.data(), spans.data(), mask.data(), col.data(), val.data()};
  }
  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.row), f(self.work), f(self.part), f(self.span), f(self.spans), f(self.shared);
    f(self.mask), f(self.col), f(self.val);
  }
};

}  // namespace heddle
