#include "core/parallel.hpp"
#include "formats/csr_ell/csr_ell.hpp"
#include "simd/row_sum.hpp"

namespace heddle {

namespace {

// All 32 lanes of a warp at once: the inner loop runs over neighbouring positions.
template <class V>
void add_warp(const CsrEllFormat<V>& A, const EllWarp& warp, const Product<V>& p) {
  V sum[simt::warp_size] = {};
  for (std::int32_t step = 0; step < warp.steps; ++step) {
    const Index* col = A.ell_col.data() + warp.start + Offset{step} * simt::warp_size;
    const V* val = A.ell_val.data() + warp.start + Offset{step} * simt::warp_size;
    for (int lane = 0; lane < simt::warp_size; ++lane)
      if (col[lane] >= 0) sum[lane] += val[lane] * p.x[col[lane]];
  }
  for (int q = 0; q < warp.rows; ++q) {
    V total = 0;
    for (int i = 0; i < warp.lanes; ++i) total += sum[q * warp.lanes + i];
    p.update.row(A.ell_row[warp.first + q], total, A.ell_length[warp.first + q] > 0);
  }
}

}  // namespace

template <class V>
void CsrEllFormat<V>::multiply(OnCpu cpu, const Product<V>& p) const {
  if (escaped()) {
    multiply_sliced(cpu, hyb.ell.view(), p);
    return add_product(cpu, hyb.rest, p);
  }
  parallel_work(warp.size(), ell_val.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t w = begin; w < end; ++w) add_warp(*this, warp[w], p);
  });
  V* sums = const_cast<V*>(partial.data());
  parallel_work(piece.size(), csr_val.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const CsrPiece part = piece[i];
      const V sum = row_sum(csr_col.data() + part.begin, csr_val.data() + part.begin, part.end - part.begin, p.x);
      if (part.alone)
        p.update(csr_row[part.row], sum);
      else
        sums[i] = sum;
    }
  });
  combine(cpu, pieces(), p.update, Combine::store);
}

template void CsrEllFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void CsrEllFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
