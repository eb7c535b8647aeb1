#include "formats/csb/csb.hpp"

namespace heddle {

namespace {

template <class V>
struct CsbArrays {
  const Index *first_row, *tile;
  const Offset *first_cell, *start;
  const std::uint16_t *row, *col;
  const V* val;
  std::int64_t tile_cols;
};

// Right on every GPU and fast on none: a block walks a band, and each of its threads adds what belongs to rows of its
// own. So no two threads write one sum, and each is added up in the order of columns.
template <class V>
SIMT_KERNEL csb_band_per_block(CsbArrays<V> A, const V* x, Update<V> update) {
  const std::int64_t band = simt::block(), first = A.first_row[band], last = A.first_row[band + 1];
  const int me = simt::thread(), owners = simt::block_threads();
  for (std::int64_t at = first + me; at < last; at += owners) update.without_entries(at);
  for (Offset cell = A.first_cell[band]; cell < A.first_cell[band + 1]; ++cell) {
    const V* tile = x + A.tile[cell] * A.tile_cols;
    for (Offset k = A.start[cell]; k < A.start[cell + 1]; ++k) {
      const int row = simt::cached_load(A.row + k);
      if (row % owners != me) continue;
      update.y[first + row] += update.alpha * (simt::cached_load(A.val + k) * simt::cached_load(tile + A.col[k]));
    }
  }
}

}  // namespace

template <class V>
void CsbFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 128;
  const CsbArrays<V> arrays{bands.first_row.data(),
                            tile.data(),
                            bands.first_cell.data(),
                            start.data(),
                            row.data(),
                            col.data(),
                            val.data(),
                            tile_cols};
  simt::launch(here, {band_count(), threads, 0, p.stream}, csb_band_per_block<V>, arrays, p.x, p.update);
}

template void CsbFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void CsbFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
