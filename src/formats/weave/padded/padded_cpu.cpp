#include <algorithm>

#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "formats/weave/padded/padded.hpp"
#include "formats/weave/weave_slots.hpp"
#include "formats/weave/weave_slots_wide.hpp"

namespace heddle::weave {

namespace {

// The codes of the rows of one warp: a slot for each of the W places of a lane.
template <class C, int W>
struct WarpCodes {
  static constexpr int slots = simt::warp_size * W;
  const C* first;       // of the first step
  std::int64_t stride;  // to the next one
  Index base[slots];    // what the codes of a slot are added to

  WarpCodes(const PaddedShape& shape, const C* codes, std::int64_t warp)
      : first(codes + shape.step_begin(0, warp)), stride(shape.step_begin(1, 0)) {
    static_assert(piece_size<C, W>() == W, "codes lie in the order of the slots");
    const std::int64_t row = warp * shape.teams();
    for (int i = 0; i < slots; ++i) base[i] = static_cast<Index>(shape.base(row + i / W / shape.lanes));
  }
  void columns(Index step, Index (&col)[slots]) const {
    const C* codes = first + step * stride;
    for (int i = 0; i < slots; ++i)
      col[i] = codes[i] == no_padded_column<C> ? -1 : base[i] + static_cast<Index>(codes[i]);
  }
#if defined(__x86_64__)
  HEDDLE_AVX512 __m512i operator()(std::int64_t step, int part) const {
    const C* codes = first + step * stride + part * 16;
    if constexpr (sizeof(C) == 4) return _mm512_loadu_si512(codes);  // none is -1 already, and they have no base
    const __m512i code = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes)));
    const __mmask16 absent = _mm512_cmpeq_epi32_mask(code, _mm512_set1_epi32(no_padded_column<std::uint16_t>));
    const __m512i column = _mm512_add_epi32(code, _mm512_loadu_si512(base + part * 16));
    return _mm512_mask_mov_epi32(column, absent, _mm512_set1_epi32(-1));
  }
#endif
};

// The rows of one warp, side by side.
template <int W, class V, class S, class C, class On>
inline void multiply_warp(On on, const Padded<V>& A, const C* codes, const CodedValues<V, S>& values, std::int64_t warp,
                          const Product<V>& p) {
  const PaddedShape& shape = A.shape;
  const WarpCodes<C, W> columns(shape, codes, warp);
  SlotSums<V, W> sums;
  if constexpr (On::value == Isa::avx512 && std::is_same_v<S, V>) {
    sum_slots<W>(values.at(shape.step_begin(0, warp)), columns.stride, shape.steps, p.x, columns, sums);
  } else {
    sums.clear();
    for (Index step = 0; step < shape.steps; ++step) {
      Index col[SlotSums<V, W>::slots];
      columns.columns(step, col);
      add_step<W>(on, values, values.at(shape.step_begin(step, warp)), p.x, col, sums);
    }
  }
  const std::int64_t first = warp * shape.teams();
  const int rows = static_cast<int>(std::min(shape.teams(), shape.rows - first)), slots = shape.lanes * W;
  for (int i = 0; i < rows; ++i)
    p.update.row(first + i, add_slots(sums.sum + i * slots, slots), sums.absent[i * slots] == 0);
}

}  // namespace

template <class V>
void Padded<V>::multiply(OnCpu, const Product<V>& p) const {
  dispatch_int<1, 4>(shape.per_lane, [&](auto W) {
    values.visit_all([&](const auto& coded) {
      with_codes(*this, [&](const auto* codes) {
        parallel_work(shape.warps(), shape.stored(), [&](std::int64_t begin, std::int64_t end) {
          with_isa([&](auto on) {
            for (std::int64_t warp = begin; warp < end; ++warp) multiply_warp<W>(on, *this, codes, coded, warp, p);
          });
        });
      });
    });
  });
}

template void Padded<float>::multiply(OnCpu, const Product<float>&) const;
template void Padded<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
