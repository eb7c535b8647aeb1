// Sliced diagonals: the layout for grids, where neighbouring rows have the same pattern shifted by one.
//
//   128 rows of a slice         [ d . . e . ]      diagonals of the slice, by ascending offset:
//   (here 3)                    [ f d . . e ]      offset -1  mask .11      offset 0  mask 111      offset 3  mask 11.
//                               [ . f d . . ]
//
//   pattern   the list of (offset, mask) of a slice; equal lists are stored once, and a grid has few of them
//   masks     which of the 128 rows have the diagonal: 4 words, word j bit l is row 32 j + l; number 0 has all
//             bits set; per_lane=1: number i + 1 is that of place i of the patterns, and can be read at once with it
//   values    128 of each diagonal; lane l of a warp has rows l, l + 32, l + 64, l + 96 (codec/lane_pieces.hpp)
//
//   values=constant: one value of each diagonal of a slice, and none at all per entry
//
// So a row costs its values and 0.13 bytes, and every load of x is contiguous over the warp. Places off the mask hold
// nothing and never touch x.
#pragma once

#include <memory>

#include "formats/weave/weave_layout.hpp"

namespace heddle::weave {

struct DiagonalsSettings {
  ValueCodec codec = ValueCodec::raw;
  Open<int> per_lane;  // rows of a lane: 4, or 1
  Open<Keep> keep;     // by the L1

  template <class F>
  void each(F f) {
    f("per_lane", per_lane), f("keep", keep);
  }
};

struct DiagonalSlice {
  Offset first;   // number of its first diagonal among all of the matrix
  Index pattern;  // where its pattern starts
  Index count;    // of diagonals
};
struct Diagonal {
  Index offset, mask;  // column - row; number of the mask
};
struct alignas(16) RowMask {
  std::uint32_t word[4];
  friend bool operator==(const RowMask&, const RowMask&) = default;
};

inline constexpr int rows_per_lane = 4, slice_rows = simt::warp_size * rows_per_lane;
// Up to here a large GPU has threads for all rows at once, and four rows a thread leave it waiting: 5-point grid of
// 300^2 in doubles 3.2 -> 2.5 us, of 400^2 3.3 -> 2.9, of 600^2 3.8 -> 4.8; 27-point grid of 60^3 16.5 -> 14.6, of 80^3
// 28.6 -> 33.3 (H200).
inline bool has_thread_a_row(std::int64_t rows, double mean) { return rows <= (mean > 10 ? 300'000 : 200'000); }

// Everything about the layout that follows from the pattern of the matrix; of one in host memory.
struct DiagonalSkeleton {
  Buffer<DiagonalSlice> slices;
  Buffer<Diagonal> pattern;
  Buffer<RowMask> masks;
  Offset diagonals = 0;
};
DiagonalSkeleton diagonal_skeleton(const PatternView& A);

template <class V>
struct DiagonalsFound;  // diagonals_found.hpp

template <class V>
struct Diagonals {
  using Settings = DiagonalsSettings;

  std::int64_t rows = 0, cols = 0;
  bool keep = false;
  int per_lane = rows_per_lane;  // rows a lane of the GPU works on: 4, or 1
  Buffer<DiagonalSlice> slices;
  Buffer<Diagonal> pattern;
  Buffer<RowMask> masks;
  ValueStore<V> values;

  static Footprint footprint(const PatternView& A, const DiagonalsSettings& settings, int value_bytes);
  static Footprint footprint(const DiagonalSkeleton& skeleton, const DiagonalsSettings& settings, int value_bytes);
  static Diagonals build(const CsrView<V>& A, const DiagonalsSettings& settings);
  static Diagonals build(const CsrView<V>& A, const DiagonalsSettings& settings, DiagonalSkeleton skeleton);
  using Found = std::shared_ptr<const DiagonalsFound<V>>;  // null: nobody has asked
  static std::optional<Diagonals> build_there(simt::Emulator, const MatrixThere<V>& A,
                                              const DiagonalsSettings& settings, Device, Found found = {});
  static std::optional<Diagonals> build_there(simt::Cuda, const MatrixThere<V>& A, const DiagonalsSettings& settings,
                                              Device, Found found = {});
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.slices), f(self.pattern), f(self.masks);
    ValueStore<V>::each_array(self.values, f);
  }
  bool uses_scratch() const { return false; }
  // Of all slices together, where values are not constant along them.
  std::int64_t stored_diagonals() const {
    return static_cast<std::int64_t>(values.raw.size() + values.f32.size() + values.code.size()) / slice_rows;
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
  bool multiply_many(OnCpu, const ProductMany<V>& product) const;
  bool multiply_many(simt::Emulator, const ProductMany<V>& product) const;
  bool multiply_many(simt::Cuda, const ProductMany<V>& product) const;
};

// per_lane=1 is for small matrices, where a mask that is known only by its number is one more wait: a copy for every
// place of the patterns.
void spread_masks(Buffer<Diagonal>& pattern, Buffer<RowMask>& masks);

// The number of values stored for the whole matrix, or more than `limit` when they exceed it.
std::int64_t diagonal_places(const PatternView& A, std::int64_t limit);
// Whether every diagonal of every slice has one value only.
template <class V>
bool constant_diagonals(const CsrView<V>& A, const DiagonalSkeleton& skeleton);
// Where row p of a slice has its value of a diagonal, among the diagonal's 128 values of type S.
template <class S>
SIMT_BOTH constexpr int diagonal_place(int p) {
  return place_in_pieces<S, rows_per_lane>(p % simt::warp_size, p / simt::warp_size);
}
// And whose value is there.
template <class S>
SIMT_BOTH constexpr int row_of_diagonal_place(int place) {
  constexpr int P = piece_size<S, rows_per_lane>(), piece = P * simt::warp_size;
  return (place / piece * P + place % P) * simt::warp_size + place / P % simt::warp_size;
}

}  // namespace heddle::weave
