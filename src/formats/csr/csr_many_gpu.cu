#include "formats/csr/csr.hpp"
#include "layout/many.hpp"

namespace heddle {

namespace {

template <class V>
struct CsrRows {
  std::int64_t rows;
  int lanes;
  const Offset* ptr;
  const Index* col;
  const V* val;
};

// A team of `lanes` a row; every row is walked once for each 8 vectors.
template <class V>
SIMT_KERNEL csr_many_row_per_team(CsrRows<V> A, VectorsView<V> x, UpdateMany<V> update) {
  constexpr int K = vectors_at_once<1>;
  const std::int64_t row = simt::global_thread() / A.lanes;
  const int member = simt::thread() % A.lanes;
  const bool present = row < A.rows;
  const Offset begin = present ? simt::cached_load(A.ptr + row) : 0;
  const Offset end = present ? simt::cached_load(A.ptr + row + 1) : 0;
  for (int first = 0; first < x.count; first += K) {
    V sum[K] = {};
#pragma unroll 2
    for (Offset k = begin + member; k < end; k += A.lanes) {
      V element[K];
      const V value = simt::stream_load(A.val + k);
      load_elements(x, simt::stream_load(A.col + k), first, element);
#pragma unroll
      for (int j = 0; j < K; ++j) sum[j] += value * element[j];
    }
    team_sums(sum, A.lanes);
    if (present && member == 0) update_row(update, row, first, sum, end > begin);
  }
}

}  // namespace

template <class V>
bool CsrFormat<V>::multiply_many(simt::Here here, const ProductMany<V>& p) const {
  constexpr int threads = 128;
  const CsrRows<V> view{rows, lanes, ptr.data(), col.data(), val.data()};
  simt::launch(here, {simt::blocks_for(rows * lanes, threads), threads, 0, p.stream}, csr_many_row_per_team<V>, view,
               p.x, p.update);
  return true;
}

template bool CsrFormat<float>::multiply_many(simt::Here, const ProductMany<float>&) const;
template bool CsrFormat<double>::multiply_many(simt::Here, const ProductMany<double>&) const;

}  // namespace heddle
