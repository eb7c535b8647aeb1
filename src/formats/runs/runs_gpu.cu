#include "formats/runs/runs.hpp"

namespace heddle {

namespace {

// A thread per row; the 16 of a slice read the values of a step side by side.
template <class V>
SIMT_KERNEL runs_thread_per_row(RunsView<V> A, const V* x, Update<V> update) {
  const std::int64_t row = simt::global_thread();
  if (row >= A.rows) return;
  const int i = static_cast<int>(row % rows_of_run);
  const RunSlice slice = A.slices[row / rows_of_run];
  const Offset end = A.slices[row / rows_of_run + 1].step;
  unsigned seen = 0;
  V sum = 0;
  for (Offset step = slice.step; step < end; ++step) {
    const unsigned bit = A.mask[step] >> i & 1u;
    seen |= bit;
    if (bit == 0) continue;
    const Offset k = step - slice.step;
    const Index col = k < slice.runs ? simt::cached_load(A.run_col + A.first_run(slice) + k) + i
                                     : simt::stream_load(A.col + (slice.before + k - slice.runs) * rows_of_run + i);
    sum += simt::stream_load(A.val + step * rows_of_run + i) * simt::cached_load(x + col);
  }
  for (Offset a = slice.aside; a < A.slices[row / rows_of_run + 1].aside; ++a) {
    if (A.aside.row[a] != row) continue;
    seen = 1;
    A.aside.each_entry(
        a, [&](Offset k, Index col) { sum += simt::stream_load(A.aside.val + k) * simt::cached_load(x + col); });
  }
  update.row(row, sum, seen != 0);
}

}  // namespace

template <class V>
void RunsFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 128;
  simt::launch(here, {simt::blocks_for(rows, threads), threads, 0, p.stream}, runs_thread_per_row<V>, view(), p.x,
               p.update);
}

template void RunsFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void RunsFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
