#include <algorithm>

#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "formats/weave/weave_padded.hpp"

namespace heddle::weave {

namespace {

// The rows of one warp, side by side.
template <int W, class V, class S, class C>
void multiply_warp(const Padded<V>& A, const C* codes, const CodedValues<V, S>& values, std::int64_t warp,
                   const Product<V>& p) {
  const PaddedShape& shape = A.shape;
  V sum[simt::warp_size] = {};
  bool present[simt::warp_size] = {};
  const std::int64_t first = warp * shape.teams();
  for (Index step = 0; step < shape.steps; ++step) {
    const std::int64_t begin = shape.step_begin(step, warp);
    for (int lane = 0; lane < simt::warp_size; ++lane) {
      const std::int64_t base = shape.base(first + lane / shape.lanes);
      for (int w = 0; w < W; ++w) {
        const C code = codes[begin + place_in_pieces<C, W>(lane, w)];
        if (code == no_padded_column<C>) break;
        sum[lane] += values.value(begin + place_in_pieces<S, W>(lane, w)) * p.x[base + code];
        present[lane] = true;
      }
    }
  }
  for (std::int64_t i = 0; i < std::min(shape.teams(), shape.rows - first); ++i) {
    V whole = 0;
    for (int t = 0; t < shape.lanes; ++t) whole += sum[i * shape.lanes + t];
    p.update.row(first + i, whole, present[i * shape.lanes]);
  }
}

}  // namespace

template <class V>
void Padded<V>::multiply(OnCpu, const Product<V>& p) const {
  dispatch_int<1, 4>(shape.per_lane, [&](auto W) {
    values.visit_all([&](const auto& coded) {
      with_codes(*this, [&](const auto* codes) {
        parallel_work(shape.warps(), shape.stored(), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t warp = begin; warp < end; ++warp) multiply_warp<W>(*this, codes, coded, warp, p);
        });
      });
    });
  });
}

template void Padded<float>::multiply(OnCpu, const Product<float>&) const;
template void Padded<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
