#include "formats/csr_ell/csr_ell.hpp"

#include "formats/csr_ell/csr_ell_build.hpp"
#include "simt/primitives/strided_sum.hpp"

namespace heddle {

namespace {

template <class V>
struct CsrEllView {
  const EllWarp* warp;
  const Index *ell_row, *ell_length, *ell_col;
  const V* ell_val;
  const CsrPiece* piece;
  const Index *csr_row, *csr_col;
  const V* csr_val;
  V* partial;
  std::int64_t warps, pieces;
};

template <class V>
SIMT_DEVICE void packed_rows(const CsrEllView<V>& A, const EllWarp& warp, const V* x, const Update<V>& update) {
  const int lane = simt::lane();
  const Offset end = warp.start + Offset{warp.steps} * simt::warp_size;
  const V sum = strided_sum<V>(warp.start + lane, end, Offset{simt::warp_size}, [&](Offset at) {
    const Index col = simt::stream_load(A.ell_col + at);
    return col >= 0 ? simt::stream_load(A.ell_val + at) * simt::cached_load(x + col) : V(0);
  });
  // Lane p = 0 of each row collects its t - 1 neighbours, in order; t is at most 8 by the paper's rules.
  V total = sum;
  for (int i = 1; i < warp.lanes; ++i) {
    const V other = simt::shuffle_down(sum, i);
    total += other;
  }
  const int q = lane / warp.lanes;
  if (q < warp.rows && lane % warp.lanes == 0) {
    const Index i = warp.first + q;
    update.row(simt::cached_load(A.ell_row + i), total, simt::cached_load(A.ell_length + i) > 0);
  }
}

template <class V>
SIMT_DEVICE void piece_of_row(const CsrEllView<V>& A, std::int64_t number, const V* x, const Update<V>& update) {
  const CsrPiece piece = A.piece[number];
  V sum = strided_sum<V>(piece.begin + simt::lane(), piece.end, Offset{simt::warp_size}, [&](Offset k) {
    return simt::stream_load(A.csr_val + k) * simt::cached_load(x + simt::stream_load(A.csr_col + k));
  });
  sum = simt::team_sum<simt::warp_size>(sum);
  if (simt::lane() != 0) return;
  if (piece.alone)
    update(simt::cached_load(A.csr_row + piece.row), sum);
  else
    A.partial[number] = sum;
}

// Both kinds of warp in one grid; no warp is of both.
template <class V>
SIMT_KERNEL csr_ell_row_pack_or_piece_per_warp(CsrEllView<V> A, const V* x, Update<V> update) {
  const std::int64_t number = simt::global_thread() / simt::warp_size;
  if (number < A.pieces)
    piece_of_row(A, number, x, update);
  else if (number - A.pieces < A.warps)
    packed_rows(A, A.warp[number - A.pieces], x, update);
}

}  // namespace

template <class V>
void CsrEllFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 256;
  if (escaped()) {
    multiply_sliced(here, hyb.ell.view(), p, threads);
    return add_product(here, hyb.rest, p);
  }
  const CsrEllView<V> A{warp.data(),  ell_row.data(), ell_length.data(), ell_col.data(), ell_val.data(),
                        piece.data(), csr_row.data(), csr_col.data(),    csr_val.data(), const_cast<V*>(partial.data()),
                        warp.size(),  piece.size()};
  simt::launch(here, {simt::blocks_for((A.warps + A.pieces) * simt::warp_size, threads), threads, 0, p.stream},
               csr_ell_row_pack_or_piece_per_warp<V>, A, p.x, p.update);
  combine(here, pieces(), p.update, Combine::store, p.stream);
}

template void CsrEllFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void CsrEllFormat<double>::multiply(simt::Here, const Product<double>&) const;

template bool CsrEllFormat<float>::settle_there(simt::Here, Settings&, Source<float>);
template bool CsrEllFormat<double>::settle_there(simt::Here, Settings&, Source<double>);
template std::optional<CsrEllFormat<float>> CsrEllFormat<float>::build_there(simt::Here, Source<float>,
                                                                             const Settings&);
template std::optional<CsrEllFormat<double>> CsrEllFormat<double>::build_there(simt::Here, Source<double>,
                                                                               const Settings&);

}  // namespace heddle
