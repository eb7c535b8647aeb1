#include "formats/csr_padded/csr_padded.hpp"
#include "simt/primitives/fetch_by_grid.hpp"

namespace heddle {

namespace {

// A lane takes a pair of neighbours: rows start aligned, so both come in one load. 16 lanes do 32 entries a step. Where
// a row begins is known only after a look at `ptr`, so `ahead` places are asked for at the same time.
template <class V, int Lanes>
SIMT_KERNEL csr_padded_row_per_half_warp(const Offset* ptr, const Index* length, const Index* col, const V* val,
                                         std::int64_t rows, std::int64_t ahead, const V* x, Update<V> update) {
  const std::int64_t row = simt::global_thread() / Lanes;
  const int member = simt::thread() % Lanes;
  const bool present = row < rows;
  const Offset begin = present ? simt::cached_load(ptr + row) : 0;
  const Index n = present ? simt::cached_load(length + row) : 0;
  fetch_by_grid(col, ahead);
  fetch_by_grid(val, ahead);
  const auto* cols = reinterpret_cast<const simt::Pack<Index, 2>*>(col + begin);
  const auto* vals = reinterpret_cast<const simt::Pack<V, 2>*>(val + begin);
  V sum = 0, second = 0;
#pragma unroll 2
  for (Offset pair = member; 2 * pair < n; pair += Lanes) {
    const simt::Pack<Index, 2> c = simt::stream_load(cols + pair);
    const simt::Pack<V, 2> v = simt::stream_load(vals + pair);
    sum += v.at[0] * simt::cached_load(x + c.at[0]);
    if (2 * pair + 1 < n) second += v.at[1] * simt::cached_load(x + c.at[1]);
  }
  sum = simt::team_sum<Lanes>(sum + second);
  if (present && member == 0) update.row(row, sum, n > 0);
}

// Of a small matrix, where one wait more is felt (H200, matrices of 1,500 to 3,300 rows: 5.1 -> 4.8 us cold, the same
// warm).
constexpr std::int64_t most_ahead = 1 << 17;

}  // namespace

template <class V>
void CsrPaddedFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 128;
  const std::int64_t blocks = simt::blocks_for(rows * row_unit, threads);
  simt::launch(here, {blocks, threads, 0, p.stream}, csr_padded_row_per_half_warp<V, row_unit>, ptr.data(),
               length.data(), col.data(), val.data(), rows, col.size() <= most_ahead ? col.size() : 0, p.x, p.update);
}

template void CsrPaddedFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void CsrPaddedFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
