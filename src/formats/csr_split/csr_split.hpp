// Compressed rows, cut into equal shares of entries whatever the rows are: the robust choice for power laws and giant
// rows.
//
//   rows        |a  a  a  b  c  c  c  c |c  c  c  d  f  f ...      row e has no entries
//   row_end      0  0  1  1  0  0  0  0 |0  0  1  1  0  1          one bit an entry: the last one of its row
//   rank[share]  0                       2                         rows that end before the share
//   row_of       a  b  c  d  f                                     rows with entries, in order; absent when all have
//   empty        e                                                 rows without entries
//
//   the entry at k ends row  row_of[rank[share] + row_end bits set in the share before k]
//
// A warp walks its share 32 entries a step. While no row ends, each lane just adds up its own products; when rows end,
// a segmented sum steered by the bits (five shuffles) finishes them all at once, and neighbouring lanes write
// neighbouring elements of y. Rows that cross shares are put together afterwards (layout/crossing.hpp).
#pragma once

#include "formats/format.hpp"
#include "layout/crossing.hpp"

namespace heddle {

struct CsrSplitSettings {
  int share = automatic;
  std::vector<Field> fields() {
    return {{.name = "share",
             .value = &share,
             .meaning = "entries per warp; auto: by the number of entries",
             .numbers = {128, 256, 512, 1024},
             .may_be_automatic = true}};
  }
};

template <class V>
struct CsrSplitFormat {
  using Settings = CsrSplitSettings;
  static constexpr bool uses_scratch = true;

  std::int64_t rows = 0, cols = 0;
  int share = 256;
  Buffer<Index> col;
  Buffer<V> val;
  Buffer<std::uint32_t> row_end;  // 32 entries a word
  Buffer<Index> rank;             // per share
  Buffer<Index> row_of, empty;
  Buffer<Crossing> crossing;
  Buffer<V> head, tail;  // scratch of `multiply`

  static FormatInfo about();
  static void settle(Settings& settings, const PatternView& A);
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static CsrSplitFormat build(Source<V> source, const Settings& settings);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.col), f(self.val), f(self.row_end), f(self.rank), f(self.row_of), f(self.empty), f(self.crossing),
        f(self.head), f(self.tail);
  }
  CrossingView<V> pieces() const {
    return {crossing.data(), crossing.size(), const_cast<V*>(head.data()), const_cast<V*>(tail.data())};
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
