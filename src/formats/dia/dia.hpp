// Diagonals: every well-filled diagonal is stored whole, without column numbers; what lies elsewhere is a remainder of
// coordinates (layout/coordinates.hpp) that is added afterwards.
//
//   a b . .      offset   0  1              diagonal d holds the entries with  column = row + offset[d]
//   . c d .      val      a c 0 e | b d f 0        ld = rows rounded up to 32
//   g . . f      mask     1 1 0 1 | 1 1 1 0
//   . . . e      remainder  g at (2, 0)
//
//   entry (row, row + offset[d]) is at   val[d*ld + row] ;   it is one when bit row % 32 of mask[d*ld/32 + row/32] is
//   set
//
// The bits tell entries (stored zeros among them) from fill-in and from places outside the matrix; they cost 1/8 byte
// per place and are read by the 32 lanes of a warp in one word. A diagonal is stored when at least min_occupancy
// percent of its `rows` places are entries. At 50 %, a double takes 16.25 bytes per entry here and 16 in the remainder;
// everything fuller is smaller here.
//
// values=symmetric stores the diagonals on and above the main one alone (offset >= 0). An entry below, (row, row - o),
// is read from where the entry (row - o, row) keeps the same value:
//
//   a b . .      offset   0  1          row r adds   val[d*ld + r] * x[r + o]        when its bit in mask is set
//   b c d .      val      a c e f | b d 0 0          val[d*ld + r - o] * x[r - o]    when its bit in mirror is set
//   . d e .      mask     1 1 1 1 | 1 1 0 0
//   . . . f      mirror   0 0 0 0 | 0 1 1 0
//
// So half of the values come from memory, and the other half, shifted, from a cache. No two threads write one sum, and
// the sums are those of values=raw, bit for bit. Values that are not symmetric are refused.
#pragma once

#include "core/system.hpp"
#include "formats/format.hpp"
#include "formats/symmetric.hpp"
#include "layout/coordinates.hpp"

namespace heddle {

struct DiaSettings {
  int values = static_cast<int>(StoredValues::raw);
  int min_occupancy = 50;

  bool symmetric() const { return values == static_cast<int>(StoredValues::symmetric); }
  std::vector<Field> fields() {
    return {stored_values_field(values),
            {.name = "min_occupancy",
             .value = &min_occupancy,
             .meaning = "percent of the rows that must have an entry on a diagonal for it to be stored whole",
             .low = 1,
             .high = 100}};
  }
};

// The first offsets, in host memory wherever the rest is: arguments of kernels.
struct KnownOffsets {
  static constexpr int most = 14;
  Index at[most] = {};

  SIMT_BOTH Index operator[](Index d) const { return at[d]; }
};

// What the kernels see of the diagonals.
template <class V>
struct DiaView {
  static constexpr std::int64_t word_rows = 32;

  std::int64_t rows, cols, ld;
  Index diagonals, mirrored;
  const Index* offset;
  const std::uint32_t *mask, *mirror;  // mirror: null without symmetric values
  const V* val;
  KnownOffsets known;

  SIMT_BOTH const std::uint32_t* masks_of(Index d) const { return mask + d * (ld / word_rows); }
  SIMT_BOTH const std::uint32_t* mirrors_of(Index d) const { return mirror + d * (ld / word_rows); }
  SIMT_BOTH const V* values_of(Index d) const { return val + d * ld; }
};

// Which diagonals are stored, and where the rest of each row starts; without ptr: not known yet.
struct DiagonalsAndRest {
  Vector<Index> offset;
  Buffer<Offset> ptr;
};

template <class V>
struct DiaFormat {
  using Settings = DiaSettings;
  using Found = DiagonalsAndRest;

  std::int64_t rows = 0, cols = 0, ld = 0;
  bool symmetric = false;
  Index mirrored = 0;  // with symmetric values: the diagonals above the main one
  KnownOffsets known;
  Buffer<Index> offset;  // ascending
  Buffer<std::uint32_t> mask, mirror;
  Buffer<V> val;
  Coordinates<V> remainder;

  bool uses_scratch() const { return remainder.uses_scratch(); }
  static FormatInfo about();
  static void settle(Settings&, const PatternView&) {}
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static Footprint at_most(const PatternView& A, const Settings& settings, int value_bytes, Found& parts);
  static DiaFormat build(Source<V> source, const Settings& settings, Found parts = {});
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.offset), f(self.mask), f(self.mirror), f(self.val);
    Coordinates<V>::each_array(self.remainder, f);
  }
  DiaView<V> view() const {
    return {rows,          cols,       ld,   static_cast<Index>(offset.size()), mirrored, offset.data(), mask.data(),
            mirror.data(), val.data(), known};
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
