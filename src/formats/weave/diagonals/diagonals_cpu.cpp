#include <algorithm>

#include "core/parallel.hpp"
#include "core/thread_share.hpp"
#include "formats/weave/diagonals/diagonals.hpp"
#include "simd/ahead.hpp"
#include "simd/fetch.hpp"
#include "simd/update_rows.hpp"
#include "simd/wide.hpp"

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
  // Which rows have entries; all of them as soon as one diagonal is whole.
  RowMask present() const {
    const Diagonal* pattern = A.pattern.data() + slice.pattern;
    RowMask found = {};
    for (Index d = 0; d < slice.count; ++d) {
      const std::uint32_t* mask = A.masks[pattern[d].mask].word;
      if (pattern[d].mask == 0) return A.masks[0];
      for (int w = 0; w < rows_per_lane; ++w) found.word[w] |= mask[w];
    }
    return found;
  }
};

#if defined(__x86_64__)
// The sums of all rows of a slice stay in registers. Nothing of x is read off the mask, so its ends need no care.
template <class V>
struct WideSlice {
  using Lanes = Wide<V>;
  static constexpr int parts = slice_rows / Lanes::lanes, parts_of_word = parts / rows_per_lane;
  typename Lanes::Type sum[parts];

  HEDDLE_AVX512 void add(const RowMask* mask, int part, typename Lanes::Type value, const V* x) {
    const V* at = x + part * Lanes::lanes;
    if (!mask) {
      sum[part] += value * Lanes::load(at);
    } else {
      const auto kept = Lanes::load_mask(mask->word, part);
      sum[part] = Lanes::add(kept, sum[part], value * Lanes::load(kept, at));
    }
  }
  HEDDLE_AVX512 void add_constant(const RowMask* mask, V constant, const V* x) {
#pragma GCC unroll 16
    for (int part = 0; part < parts; ++part) add(mask, part, Lanes::all(constant), x);
  }
  HEDDLE_AVX512 void add_values(const RowMask* mask, const CodedValues<V, V>&, const V* stored, const V* x) {
    constexpr int P = piece_of<V>;
#pragma GCC unroll 4
    for (int word = 0; word < rows_per_lane; word += P)
#pragma GCC unroll 4
      for (int part = 0; part < parts_of_word; ++part) {
        typename Lanes::Type value[P];
        ask_ahead(stored + (word * parts_of_word + part * P) * Lanes::lanes, P * Lanes::lanes);
        load_pieces_wide(stored + (word * parts_of_word + part * P) * Lanes::lanes, value);
#pragma GCC unroll 4
        for (int i = 0; i < P; ++i) add(mask, (word + i) * parts_of_word + part, value[i], x);
      }
  }
  // Floats that are doubles: each register of them is two.
  HEDDLE_AVX512 void add_values(const RowMask* mask, const CodedValues<double, float>&, const float* stored,
                                const V* x) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      __m512 value[rows_per_lane];
      load_pieces_wide(stored + half * rows_per_lane * Wide<float>::lanes, value);
#pragma GCC unroll 4
      for (int word = 0; word < rows_per_lane; ++word) {
        const int part = word * parts_of_word + 2 * half;
        add(mask, part, _mm512_cvtps_pd(_mm512_castps512_ps256(value[word])), x);
        add(mask, part + 1, _mm512_cvtps_pd(_mm512_extractf32x8_ps(value[word], 1)), x);
      }
    }
  }
  HEDDLE_AVX512 void add_values(const RowMask* mask, const CodedValues<V, std::uint8_t>& values,
                                const std::uint8_t* stored, const V* x) {
#pragma GCC unroll 4
    for (int part = 0; part < parts_of_word; ++part)
#pragma GCC unroll 4
      for (int word = 0; word < rows_per_lane; ++word)
        add(mask, word * parts_of_word + part,
            Lanes::look_up(values.table, stored + part * rows_per_lane * Lanes::lanes, word), x);
  }
};

template <class V, class S>
HEDDLE_AVX512 inline void sum_slice(const Diagonals<V>& A, const CodedValues<V, S>& values, const DiagonalSlice& slice,
                                    const V* x, V* to) {
  const Diagonal* pattern = A.pattern.data() + slice.pattern;
  WideSlice<V> rows;
#pragma GCC unroll 16
  for (int part = 0; part < rows.parts; ++part) rows.sum[part] = Wide<V>::zero();
  const auto each = [&](auto add) HEDDLE_AVX512 {
    for (Index d = 0; d < slice.count; ++d) {
      const V* at = x + pattern[d].offset;
      if (pattern[d].mask == 0)
        add(nullptr, d, at);
      else
        add(&A.masks[pattern[d].mask], d, at);
    }
  };
  if (A.values.codec == ValueCodec::constant) {
    const V* constant = A.values.raw.data() + slice.first;
    each([&](const RowMask* mask, Index d, const V* at) HEDDLE_AVX512 { rows.add_constant(mask, constant[d], at); });
  } else {
    const S* stored = values.data + slice.first * slice_rows;
    each([&](const RowMask* mask, Index d, const V* at)
             HEDDLE_AVX512 { rows.add_values(mask, values, stored + std::int64_t{d} * slice_rows, at); });
  }
#pragma GCC unroll 16
  for (int part = 0; part < rows.parts; ++part) Wide<V>::store(to + part * Wide<V>::lanes, rows.sum[part]);
}
#endif

template <class V, class S, class On>
inline void multiply_slice(On on, const Diagonals<V>& A, const CodedValues<V, S>& values, std::int64_t s,
                           const Product<V>& p) {
  const std::int64_t first = s * slice_rows, count = std::min<std::int64_t>(slice_rows, A.rows - first);
  const SliceProduct<V, S> product{A, values, p.x + first, A.slices[s], first};
  alignas(64) V sum[slice_rows];
  if constexpr (On::value == Isa::avx512) {
    sum_slice(A, values, A.slices[s], p.x + first, sum);
  } else {
    std::fill_n(sum, slice_rows, V(0));
    if (A.values.codec == ValueCodec::constant)
      product.add_constants(sum);
    else
      product.add_values(on, sum);
  }
  const RowMask present = product.present();
  if ((present.word[0] & present.word[1] & present.word[2] & present.word[3]) == all)
    return update_rows(p.update, first, count, sum);
  constexpr int lanes = simt::warp_size;
  for (std::int64_t i = 0; i < count; i += lanes)
    update_rows(p.update, first + i, std::min<std::int64_t>(lanes, count - i), sum + i, present.word[i / lanes]);
}

}  // namespace

template <class V>
void Diagonals<V>::multiply(OnCpu, const Product<V>& p) const {
  if (slices.empty()) return;
  const DiagonalSlice& last = slices[slices.size() - 1];
  const std::int64_t work = work_of_diagonals((last.first + last.count) * slice_rows + rows);
  values.visit([&](const auto& coded) {
    parallel_work(slices.size(), work, [&](std::int64_t begin, std::int64_t end) {
      with_isa([&](auto on) {
        for (std::int64_t s = begin; s < end; ++s) multiply_slice(on, *this, coded, s, p);
      });
    });
  });
}

template void Diagonals<float>::multiply(OnCpu, const Product<float>&) const;
template void Diagonals<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
