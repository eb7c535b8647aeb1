#include "core/parallel.hpp"
#include "formats/weave/long_rows/long_rows.hpp"
#include "formats/weave/weave_slots.hpp"
#include "formats/weave/weave_slots_wide.hpp"

namespace heddle::weave {

namespace {

// The four entries of each of a warp's 32 lanes, 32 apart in their row, are slots, and the warps of a row its steps.
constexpr int W = LongShape::per_thread, slots = LongShape::warp_entries;
template <class V>
using RowSums = SlotSums<V, W>;

// The columns of a row, from its first warp on; -1 for none.
template <class Columns>
struct RowColumns;

template <class C>
struct RowColumns<EachColumn<C>> {
  const C* first;

  RowColumns(const EachColumn<C>& columns, std::int64_t, Offset warp) : first(columns.data + warp * slots) {}
  void columns(std::int64_t step, Index (&col)[slots]) const {
    const C* codes = first + step * slots;
    for (int i = 0; i < slots; ++i) col[i] = codes[i] == no_long_column<C> ? -1 : static_cast<Index>(codes[i]);
  }
#if defined(__x86_64__)
  HEDDLE_AVX512 __m512i operator()(std::int64_t step, int part) const {
    const C* codes = first + step * slots + part * 16;
    if constexpr (sizeof(C) == 4) return _mm512_loadu_si512(codes);  // none is -1 already
    const __m512i code = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes)));
    const __mmask16 absent = _mm512_cmpeq_epi32_mask(code, _mm512_set1_epi32(no_long_column<std::uint16_t>));
    return _mm512_mask_mov_epi32(code, absent, _mm512_set1_epi32(-1));
  }
#endif
};

template <>
struct RowColumns<QuadColumns> {
  const std::uint32_t* first;

  RowColumns(const QuadColumns& columns, std::int64_t, Offset warp) : first(columns.data + warp * simt::warp_size) {}
  void columns(std::int64_t step, Index (&col)[slots]) const {
    for (int lane = 0; lane < simt::warp_size; ++lane) {
      const std::uint32_t quad = first[step * simt::warp_size + lane];
      for (int w = 0; w < W; ++w) col[lane * W + w] = w < Quad::entries(quad) ? Quad::column(quad) + w : -1;
    }
  }
#if defined(__x86_64__)
  HEDDLE_AVX512 __m512i operator()(std::int64_t step, int part) const {
    const auto* quads = reinterpret_cast<const __m128i*>(first + step * simt::warp_size + part * 4);
    const __m512i lane = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    const __m512i place = _mm512_set_epi32(3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0);
    const __m512i quad = _mm512_permutexvar_epi32(lane, _mm512_castsi128_si512(_mm_loadu_si128(quads)));
    const __m512i entries = _mm512_and_si512(quad, _mm512_set1_epi32(7));
    const __mmask16 present = _mm512_cmpgt_epi32_mask(entries, place);
    return _mm512_mask_add_epi32(_mm512_set1_epi32(-1), present, _mm512_srli_epi32(quad, 3), place);
  }
#endif
};

template <>
struct RowColumns<RunColumns> {
  RowRun run;

  RowColumns(const RunColumns& columns, std::int64_t row, Offset) : run(columns.data[row]) {}
  void columns(std::int64_t step, Index (&col)[slots]) const {
    for (int lane = 0; lane < simt::warp_size; ++lane)
      for (int w = 0; w < W; ++w) {
        const auto entry = static_cast<Index>(step * slots) + w * simt::warp_size + lane;
        col[lane * W + w] = entry < run.entries ? run.column + entry : -1;
      }
  }
#if defined(__x86_64__)
  HEDDLE_AVX512 __m512i operator()(std::int64_t step, int part) const {
    const __m512i slot = _mm512_set_epi32(99, 67, 35, 3, 98, 66, 34, 2, 97, 65, 33, 1, 96, 64, 32, 0);
    const __m512i entry = _mm512_add_epi32(_mm512_set1_epi32(static_cast<Index>(step * slots) + part * 4), slot);
    const __mmask16 present = _mm512_cmplt_epi32_mask(entry, _mm512_set1_epi32(run.entries));
    return _mm512_mask_add_epi32(_mm512_set1_epi32(-1), present, entry, _mm512_set1_epi32(run.column));
  }
#endif
};

template <class V, class S, class Columns, class On>
inline V row_sum(On on, const Long<V>& A, std::int64_t row, const Columns& columns, const CodedValues<V, S>& values,
                 const V* x) {
  const Offset first = A.begin[row] * A.shape.warps(), steps = A.begin[row + 1] * A.shape.warps() - first;
  const RowColumns<Columns> of_row(columns, row, first);
  RowSums<V> sums;
  if constexpr (On::value == Isa::avx512 && std::is_same_v<S, V>) {
    sum_slots<W>(values.at(first * slots), slots, steps, x, of_row, sums);
  } else {
    sums.clear();
    for (Offset step = 0; step < steps; ++step) {
      Index col[slots];
      of_row.columns(step, col);
      add_step<W>(on, values, values.at((first + step) * slots), x, col, sums);
    }
  }
  return add_slots(sums.sum, slots);
}

}  // namespace

template <class V>
void Long<V>::multiply(OnCpu, const Product<V>& p) const {
  values.visit_all([&](const auto& coded) {
    with_columns(*this, [&](const auto& columns) {
      const std::int64_t places = begin[shape.rows] * shape.step_entries();
      parallel_work(shape.rows, places, [&](std::int64_t first, std::int64_t last) {
        with_isa([&](auto on) {
          for (std::int64_t row = first; row < last; ++row)
            p.update.row(row, row_sum(on, *this, row, columns, coded, p.x), begin[row + 1] > begin[row]);
        });
      });
    });
  });
}

template void Long<float>::multiply(OnCpu, const Product<float>&) const;
template void Long<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
