#include "formats/dia/dia.hpp"

namespace heddle {

namespace {

// The 32 rows of a warp share one word of each mask.
template <class V>
SIMT_KERNEL dia_thread_per_row(DiaView<V> A, const V* x, Update<V> update) {
  const std::int64_t row = simt::global_thread();
  if (row >= A.rows) return;
  const unsigned my_bit = 1u << (row % A.word_rows);
  unsigned seen = 0;
  V sum = 0;
#pragma unroll 4
  for (Index d = 0; d < A.diagonals; ++d) {
    const unsigned mask = simt::cached_load(A.masks_of(d) + row / A.word_rows);
    seen |= mask;
    if (mask & my_bit)
      sum += simt::stream_load(A.values_of(d) + row) * simt::cached_load(x + row + simt::cached_load(A.offset + d));
  }
  update.row(row, sum, (seen & my_bit) != 0);
}

// Values are read twice, by their own row and by that of the mirrored entry, and the second time shall find them in the
// L2: no load here tells the caches that it is the last.
template <class V>
SIMT_KERNEL dia_symmetric(DiaView<V> A, const V* x, Update<V> update) {
  const std::int64_t row = simt::global_thread();
  if (row >= A.rows) return;
  const unsigned my_bit = 1u << (row % A.word_rows);
  const std::int64_t word = row / A.word_rows;
  unsigned seen = 0;
  V sum = 0;
#pragma unroll 4
  for (Index d = A.diagonals - 1; d >= 0; --d) {
    const unsigned mirror = simt::cached_load(A.mirrors_of(d) + word);
    seen |= mirror;
    if (mirror & my_bit) {
      const std::int64_t column = row - simt::cached_load(A.offset + d);
      sum += simt::cached_load(A.values_of(d) + column) * simt::cached_load(x + column);
    }
  }
#pragma unroll 4
  for (Index d = 0; d < A.diagonals; ++d) {
    const unsigned mask = simt::cached_load(A.masks_of(d) + word);
    seen |= mask;
    if (mask & my_bit)
      sum += simt::cached_load(A.values_of(d) + row) * simt::cached_load(x + row + simt::cached_load(A.offset + d));
  }
  update.row(row, sum, (seen & my_bit) != 0);
}

// The same where the farthest diagonal is far away: a thread takes the rows row, row + far, row + 2 far, ... and keeps
// what the next of them reads again, the value on the farthest diagonal and two elements of x. The product of a grid is
// bound by the L2, and this saves three of fourteen loads (7-point).
template <class V>
class March {
 public:
  SIMT_DEVICE March(const DiaView<V>& A, std::int64_t cols, const V* x, std::int64_t row)
      : A_(A), cols_(cols), x_(x), far_(simt::cached_load(A.offset + A.diagonals - 1)), row_(row), here_(element(row)) {
    if (row < far_) return;
    below_ = element(row - far_);
    far_value_ = simt::cached_load(A.values_of(A.diagonals - 1) + row - far_);
  }
  SIMT_DEVICE std::int64_t row() const { return row_; }

  SIMT_DEVICE void multiply(Update<V>& update) {
    const Index last = A_.diagonals - 1;
    const std::int64_t word = row_ / A_.word_rows;
    const unsigned my_bit = 1u << (row_ % A_.word_rows);
    const V above = element(row_ + far_), value = simt::cached_load(A_.values_of(last) + row_);
    unsigned seen = simt::cached_load(A_.mirrors_of(last) + word);
    V sum = 0;
    if (seen & my_bit) sum += far_value_ * below_;
#pragma unroll 4
    for (Index d = last - 1; d >= 0; --d) {
      const unsigned mirror = simt::cached_load(A_.mirrors_of(d) + word);
      seen |= mirror;
      if (mirror & my_bit) {
        const std::int64_t column = row_ - simt::cached_load(A_.offset + d);
        sum += simt::cached_load(A_.values_of(d) + column) * simt::cached_load(x_ + column);
      }
    }
#pragma unroll 4
    for (Index d = 0; d < last; ++d) {
      const unsigned mask = simt::cached_load(A_.masks_of(d) + word);
      seen |= mask;
      if (mask & my_bit)
        sum +=
            simt::cached_load(A_.values_of(d) + row_) * simt::cached_load(x_ + row_ + simt::cached_load(A_.offset + d));
    }
    const unsigned mask = simt::cached_load(A_.masks_of(last) + word);
    seen |= mask;
    if (mask & my_bit) sum += value * above;
    update.row(row_, sum, (seen & my_bit) != 0);
    below_ = here_;
    here_ = above;
    far_value_ = value;
    row_ += far_;
  }

 private:
  SIMT_DEVICE V element(std::int64_t column) const { return column < cols_ ? simt::cached_load(x_ + column) : V(0); }

  const DiaView<V>& A_;
  std::int64_t cols_;
  const V* x_;
  std::int64_t far_, row_;
  V here_, below_ = 0, far_value_ = 0;  // x at the row and below it, the mirrored value on the farthest diagonal
};

template <class V>
SIMT_KERNEL dia_symmetric_march(DiaView<V> A, std::int64_t cols, std::int64_t far, int steps, const V* x,
                                Update<V> update) {
  const std::int64_t chunks = (far + simt::block_threads() - 1) / simt::block_threads();
  const std::int64_t first = simt::block() % chunks * simt::block_threads() + simt::thread();
  if (first >= far) return;
  March<V> march(A, cols, x, simt::block() / chunks * steps * far + first);
  for (int step = 0; step < steps && march.row() < A.rows; ++step) march.multiply(update);
}

}  // namespace

template <class V>
void DiaFormat<V>::multiply(simt::Here here, const Product<V>& p) const {
  constexpr int threads = 256;
  if (march_steps > 0) {
    const std::int64_t segments = (rows + far * march_steps - 1) / (far * march_steps);
    simt::launch(here, {simt::blocks_for(far, threads) * segments, threads, 0, p.stream}, dia_symmetric_march<V>,
                 view(), cols, far, march_steps, p.x, p.update);
  } else {
    const auto kernel = symmetric ? dia_symmetric<V> : dia_thread_per_row<V>;
    simt::launch(here, {simt::blocks_for(rows, threads), threads, 0, p.stream}, kernel, view(), p.x, p.update);
  }
  if (remainder.nnz() > 0) add_product(here, remainder, p);
}

template void DiaFormat<float>::multiply(simt::Here, const Product<float>&) const;
template void DiaFormat<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle
