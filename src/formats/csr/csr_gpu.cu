#include "core/dispatch.hpp"
#include "formats/csr/csr.hpp"
#include "simt/primitives/strided_sum.hpp"

namespace heddle {

namespace {

template <class V, int Lanes>
SIMT_KERNEL csr_row_per_team(const Offset* ptr, const Index* col, const V* val, std::int64_t rows, const V* x,
                             Update<V> update) {
  const std::int64_t row = simt::global_thread() / Lanes;
  const int member = simt::thread() % Lanes;
  const bool present = row < rows;
  const Offset begin = present ? simt::cached_load(ptr + row) : 0;
  const Offset end = present ? simt::cached_load(ptr + row + 1) : 0;
  V sum = strided_sum<V>(begin + member, end, Offset{Lanes}, [&](Offset k) {
    return simt::stream_load(val + k) * simt::cached_load(x + simt::stream_load(col + k));
  });
  sum = simt::team_sum<Lanes>(sum);
  if (present && member == 0) update.row(row, sum, end > begin);
}

}  // namespace

template <class V>
void CsrFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 128;
  const std::int64_t blocks = simt::blocks_for(rows * lanes, threads);
  dispatch_int<1, 2, 4, 8, 16, 32>(lanes, [&](auto team) {
    simt::launch(here, {blocks, threads, 0, p.stream}, csr_row_per_team<V, team>, ptr.data(), col.data(), val.data(),
                 rows, p.x, p.update);
  });
}

template void CsrFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void CsrFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
