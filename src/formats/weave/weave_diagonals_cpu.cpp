#include <algorithm>

#include "core/parallel.hpp"
#include "formats/weave/weave_diagonals.hpp"
#include "layout/fetch.hpp"
#include "layout/update_rows.hpp"

namespace heddle::weave {

namespace {

constexpr std::uint32_t all = ~0u;

// Rows whose values lie among each other: 32 lanes x P.
template <class S>
constexpr int piece_of = piece_size<S, rows_per_lane>();

// One diagonal on the rows 32 u .. of a slice, u = first .. first + P - 1. `value(i, lane)` is that of row
// 32 (first + i) + lane. Values, x and sums run along the rows.
template <int P, class V, class F>
inline void add_rows(const std::uint32_t* mask, bool inside, const V* x, V* sum, F value) {
  constexpr int lanes = simt::warp_size;
  std::uint32_t common = all;
  for (int i = 0; i < P; ++i) common &= mask[i];
  if (common == all) {
    for (int lane = 0; lane < lanes; ++lane)
      for (int i = 0; i < P; ++i) sum[i * lanes + lane] += value(i, lane) * x[i * lanes + lane];
  } else if (inside) {  // off the mask x is read and the product dropped: so there is no branch
    for (int lane = 0; lane < lanes; ++lane)
      for (int i = 0; i < P; ++i)
        sum[i * lanes + lane] += kept(value(i, lane) * x[i * lanes + lane], -static_cast<Index>(mask[i] >> lane & 1));
  } else {
    for (int i = 0; i < P; ++i)
      for (int lane = 0; lane < lanes; ++lane)
        if ((mask[i] >> lane & 1) != 0) sum[i * lanes + lane] += value(i, lane) * x[i * lanes + lane];
  }
}

template <class V, class S>
struct SliceProduct {
  const Diagonals<V>& A;
  const CodedValues<V, S>& values;
  const V* x;  // of the first row of the slice
  DiagonalSlice slice;
  std::int64_t first;

  // Whether x has an element for every row of the slice on this diagonal, masked or not.
  bool inside(Index offset) const { return first + offset >= 0 && first + offset + slice_rows <= A.cols; }

  template <class F>
  void each_diagonal(F f) const {
    const Diagonal* pattern = A.pattern.data() + slice.pattern;
    for (Index d = 0; d < slice.count; ++d) {
      const Diagonal diagonal = pattern[d];
      f(d, A.masks[diagonal.mask].word, inside(diagonal.offset), x + diagonal.offset);
    }
  }
  // Few sums at a time, for all diagonals: they stay in registers.
  void add_constants(V* sum) const {
    constexpr int lanes = simt::warp_size;
    const V* constant = A.values.raw.data() + slice.first;
    for (int u = 0; u < rows_per_lane; ++u)
      each_diagonal([&](Index d, const std::uint32_t* mask, bool inside, const V* at) {
        add_rows<1>(mask + u, inside, at + u * lanes, sum + u * lanes, [&](int, int) { return constant[d]; });
      });
  }
  template <class On>
  void add_values(On on, V* sum) const {
    constexpr int P = piece_of<S>, lanes = simt::warp_size;
    for (int u = 0; u < rows_per_lane; u += P)
      each_diagonal([&](Index d, const std::uint32_t* mask, bool inside, const V* at) {
        const S* stored = values.data + (slice.first + d) * slice_rows + u * lanes;
        V decoded[P * lanes];
        if constexpr (std::is_same_v<S, std::uint8_t>) load_values(on, values, stored, decoded);
        add_rows<P>(mask + u, inside, at + u * lanes, sum + u * lanes, [&](int i, int lane) {
          if constexpr (std::is_same_v<S, std::uint8_t>)
            return decoded[lane * P + i];
          else
            return static_cast<V>(stored[lane * P + i]);
        });
      });
  }
  RowMask present() const {
    RowMask found = {};
    each_diagonal([&](Index, const std::uint32_t* mask, bool, const V*) {
      for (int w = 0; w < rows_per_lane; ++w) found.word[w] |= mask[w];
    });
    return found;
  }
};

template <class V, class S, class On>
inline void multiply_slice(On on, const Diagonals<V>& A, const CodedValues<V, S>& values, std::int64_t s,
                           const Product<V>& p) {
  const std::int64_t first = s * slice_rows, count = std::min<std::int64_t>(slice_rows, A.rows - first);
  const SliceProduct<V, S> product{A, values, p.x + first, A.slices[s], first};
  alignas(64) V sum[slice_rows] = {};
  if (A.values.codec == ValueCodec::constant)
    product.add_constants(sum);
  else
    product.add_values(on, sum);
  const RowMask present = product.present();
  if ((present.word[0] & present.word[1] & present.word[2] & present.word[3]) == all)
    return update_rows(p.update, first, count, sum);
  for (std::int64_t i = 0; i < count; ++i) p.update.row(first + i, sum[i], (present.word[i / 32] >> (i % 32) & 1) != 0);
}

}  // namespace

template <class V>
void Diagonals<V>::multiply(OnCpu, const Product<V>& p) const {
  values.visit([&](const auto& coded) {
    parallel_ranges(slices.size(), 8, [&](std::int64_t begin, std::int64_t end) {
      with_isa([&](auto on) {
        for (std::int64_t s = begin; s < end; ++s) multiply_slice(on, *this, coded, s, p);
      });
    });
  });
}

template void Diagonals<float>::multiply(OnCpu, const Product<float>&) const;
template void Diagonals<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
