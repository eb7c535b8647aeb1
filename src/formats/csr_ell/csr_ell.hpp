// The adaptive CSR/ELL hybrid of Matam and Kothapalli (2011): rows are split by length, once.
//
//   rows with fewer than T entries: sorted by length (the shorter first, equal ones as they were) and packed warp after
//   warp, as many as fit
//
//     warp w:  longest row r_max,  t = ceil(r_max / M) neighbouring lanes a row,  at most floor(32 / t) rows,
//              ceil(r_max / t) steps
//     step k:  lane l = q t + p reads position  start[w] + 32 k + l  =  entry k t + p of the warp's q-th row
//
//       t = 2:   a0 a1 b0 b1 c0 c1 ... | a2 .. b2 b3 c2 c3 ...        '..' padding: column -1, never multiplied
//
//   rows with T entries or more: stay contiguous (CSR); a warp takes a piece of at most L entries, so a long row is
//   shared by several warps, whose sums are added in a fixed order afterwards.
//
// One launch does both kinds of warp. T, M and L follow the paper's rules from the row lengths alone:
//   avg = mean length of the rows below 256;  T = next multiple of 32 above avg, at most 256;  M = ceil(avg) in 6..32;
//   L = 32 M
// Escape rule: where rows are very short and their lengths hardly vary, sorting cannot gain anything and costs
// locality. The paper then takes Bell and Garland's hyb, and so it is stored here, with K by Cusp's rule. The paper
// gives no threshold: ours is 8 entries at most in every row, and cv <= 0.05.
#pragma once

#include "core/system.hpp"
#include "formats/format.hpp"
#include "layout/crossing.hpp"
#include "layout/ell_and_rest.hpp"

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
             .meaning = "stored as hyb with rule=cusp instead",
             .words = {"no", "yes"},
             .may_be_automatic = true}};
  }
};

// What the paper's rules ask about the rows: exact numbers, so that any order of adding gives the same.
struct RowLengthSums {
  static constexpr std::int64_t short_row = 256, very_short = 8;

  std::int64_t rows = 0, entries = 0;     // of rows below 256
  std::int64_t longest = 0, squares = 0;  // of all rows; the squares count only while none is longer than 8

  SIMT_BOTH void add_row(std::int64_t length) {
    longest = length > longest ? length : longest;
    if (length < short_row) ++rows, entries += length;
    if (length <= very_short) squares += length * length;
  }
  SIMT_BOTH void add(const RowLengthSums& other) {
    rows += other.rows, entries += other.entries, squares += other.squares;
    longest = other.longest > longest ? other.longest : longest;
  }
};
RowLengthSums row_length_sums(const PatternView& A);
// The paper's rules; rows are judged by their lengths alone.
CsrEllSettings csr_ell_by_rules(const RowLengthSums& sums, std::int64_t rows, std::int64_t nnz);
CsrEllSettings csr_ell_by_rules(const PatternView& A);
// What is `automatic` becomes what the rules say.
void settle_by(CsrEllSettings& settings, const RowLengthSums& sums, std::int64_t rows, std::int64_t nnz);

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

// Warps one after the other that hold as many rows each, of as many lanes; up to where the next run begins.
struct WarpRun {
  std::int64_t warp;  // the first of them
  Index first;        // its first row
  std::int16_t rows, lanes;
};
// How ascending row lengths fall into warps: first_of_length[l] rows are shorter than l, and those below the last l
// are packed. `width` is 32 but for the paper's worked example.
Vector<WarpRun> pack_runs(std::span<const Index> first_of_length, int M, int width);
Vector<EllWarp> pack_rows(std::span<const Index> ascending_lengths, int M, int width);
// Where entry k of a warp's q-th row goes.
SIMT_BOTH Offset packed_place(const EllWarp& warp, std::int64_t q, Index k, int width) {
  return warp.start + Offset{k / warp.lanes} * width + q * warp.lanes + k % warp.lanes;
}

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
  EllAndRest<V> hyb;          // where the escape rule holds: then all others are empty

  bool uses_scratch() const { return !crossing.empty(); }
  static FormatInfo about();
  static void settle(Settings& settings, const PatternView& A);
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static CsrEllFormat build(Source<V> source, const Settings& settings);
  static std::optional<CsrEllFormat> build_there(simt::Emulator, Source<V> there, const Settings& settings);
  static std::optional<CsrEllFormat> build_there(simt::Cuda, Source<V> there, const Settings& settings);
  static bool settle_there(simt::Emulator, Settings& settings, Source<V> there);
  static bool settle_there(simt::Cuda, Settings& settings, Source<V> there);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.warp), f(self.ell_row), f(self.ell_length), f(self.ell_col), f(self.ell_val), f(self.piece), f(self.csr_row),
        f(self.csr_col), f(self.csr_val), f(self.crossing), f(self.partial);
    EllAndRest<V>::each_array(self.hyb, f);
  }
  bool escaped() const { return hyb.ell.shape.rows > 0; }
  CrossingView<V> pieces() const {
    V* sums = const_cast<V*>(partial.data());
    return {crossing.data(), crossing.size(), sums, sums};
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
