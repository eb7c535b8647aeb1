#include "core/parallel.hpp"
#include "formats/csb/csb.hpp"

namespace heddle {

namespace {

// The entries of a cell; y: of the first row of its band. A function of its own, as GCC keeps half of the pointers on
// the stack where it is a part of a larger one.
template <bool scaled, class V>
[[gnu::noinline]] void add_cell(const std::uint16_t* row, const std::uint16_t* col, const V* val, Offset entries,
                                V alpha, const V* tile, V* y) {
  for (Offset k = 0; k < entries; ++k) {
    const V product = val[k] * tile[col[k]];
    y[row[k]] += scaled ? alpha * product : product;
  }
}

template <class V>
void add_band(const CsbFormat<V>& A, std::int64_t band, V alpha, const V* x, V* y) {
  const auto add = alpha == V(1) ? add_cell<false, V> : add_cell<true, V>;
  for (Offset cell = A.bands.first_cell[band]; cell < A.bands.first_cell[band + 1]; ++cell) {
    const Offset from = A.start[cell], entries = A.start[cell + 1] - from;
    const V* tile = x + static_cast<std::int64_t>(A.tile[cell]) * A.tile_cols;
    add(A.row.data() + from, A.col.data() + from, A.val.data() + from, entries, alpha, tile, y);
  }
}

}  // namespace

template <class V>
void CsbFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  const Update<V>& update = p.update;
  parallel_work(band_count(), val.size(), [&](std::int64_t band, std::int64_t last) {
    for (; band < last; ++band) {
      const std::int64_t first = bands.first_row[band];
      for (std::int64_t at = first; at < bands.first_row[band + 1]; ++at) update.without_entries(at);
      add_band(*this, band, update.alpha, p.x, update.y + first);
    }
  });
}

template void CsbFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void CsbFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
