// The adaptive CSR/ELL hybrid of Matam and Kothapalli (2011): rows are split by length, once.
//
//   rows with fewer than T entries: sorted by length (descending, stable) and packed warp after warp
//
//     warp w:  longest row r_max,  t = ceil(r_max / M) neighbouring lanes a row,  floor(32 / t) rows,  ceil(r_max / t)
//     steps step k:  lane l = q t + p reads position  start[w] + 32 k + l  =  entry k t + p of the warp's q-th row
//
//       t = 2:   a0 a1 b0 b1 c0 c1 ... | a2 .. b2 b3 c2 .. ...        '..' padding: column -1, never multiplied
//
//   rows with T entries or more: stay contiguous (CSR); a warp takes a piece of at most L entries, so a long row is
//   shared by several warps, whose sums are added in a fixed order afterwards.
//
// One launch does both kinds of warp. T, M and L follow the paper's rules from the row lengths alone:
//   avg = mean length of the rows below 256;  T = next multiple of 32 above avg, at most 256;  M = ceil(avg) in 6..32;
//   L = 32 M
// Escape rule: when no row has more than 8 entries and lengths hardly vary (cv <= 0.05), sorting cannot gain anything
// and costs locality: rows keep their order, one lane each (plain ELL).
#pragma once

#include "core/system.hpp"
#include "formats/format.hpp"
#include "layout/crossing.hpp"

namespace heddle {

struct CsrEllSettings {
  int T = automatic, M = automatic, L = automatic, escape = automatic;
  std::vector<Field> fields() {
    return {{.name = "T",
             .value = &T,
             .meaning = "rows with T entries or more are CSR",
             .low = 1,
             .high = 1 << 20,
             .may_be_automatic = true},
            {.name = "M",
             .value = &M,
             .meaning = "entries per lane in an ELL warp, at most",
             .low = 1,
             .high = 1 << 20,
             .may_be_automatic = true},
            {.name = "L",
             .value = &L,
             .meaning = "entries per CSR warp, at most",
             .low = 32,
             .high = 1 << 20,
             .may_be_automatic = true},
            {.name = "escape",
             .value = &escape,
             .meaning = "keep rows in order, one lane each",
             .words = {"no", "yes"},
             .may_be_automatic = true}};
  }
};

// The paper's rules; rows are judged by their lengths alone.
CsrEllSettings csr_ell_rules(const PatternView& A);

struct EllWarp {
  Offset start;        // of its entries
  Index first;         // its first row, as a number among the sorted ELL rows
  std::int16_t rows;   // rows it holds
  std::int16_t lanes;  // t, lanes a row
  std::int32_t steps;
};

struct CsrPiece {
  Offset begin, end;
  Index row;           // number among the CSR rows
  std::int32_t alone;  // 1: the whole row, written directly; 0: a piece, its sum waits in `partial`
};

// How sorted row lengths fall into warps. `width` is 32 but for the paper's worked example.
Vector<EllWarp> pack_rows(std::span<const Index> lengths, int M, bool escape, int width);

template <class V>
struct CsrEllFormat {
  using Settings = CsrEllSettings;

  std::int64_t rows = 0, cols = 0;
  Buffer<EllWarp> warp;
  Buffer<Index> ell_row, ell_length;  // row and length of the i-th ELL row
  Buffer<Index> ell_col;              // -1: padding
  Buffer<V> ell_val;
  Buffer<CsrPiece> piece;
  Buffer<Index> csr_row;
  Buffer<Index> csr_col;
  Buffer<V> csr_val;
  Buffer<Crossing> crossing;  // long rows: {row, first piece, further pieces}
  Buffer<V> partial;          // scratch: one sum per piece

  bool uses_scratch() const { return !crossing.empty(); }
  static FormatInfo about();
  static void settle(Settings& settings, const PatternView& A);
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static CsrEllFormat build(Source<V> source, const Settings& settings);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.warp), f(self.ell_row), f(self.ell_length), f(self.ell_col), f(self.ell_val), f(self.piece), f(self.csr_row),
        f(self.csr_col), f(self.csr_val), f(self.crossing), f(self.partial);
  }
  CrossingView<V> pieces() const {
    V* sums = const_cast<V*>(partial.data());
    return {crossing.data(), crossing.size(), sums, sums};
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
