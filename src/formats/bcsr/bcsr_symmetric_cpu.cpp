// Half of the blocks are stored: those left of the diagonal are read, transposed, from where other rows keep them.
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "formats/bcsr/bcsr.hpp"
#include "simd/ahead.hpp"
#include "simd/block_line.hpp"

namespace heddle {

namespace {

// The sums of one block row. A stored block adds to a line of partial sums for each of its rows, as without symmetry;
// a line of a transposed one, times one element of x, adds to all rows at once.
template <Isa set, class V, int B>
struct SymmetricSums {
  using Line = BlockLine<set, V, B>;
  static constexpr BlockShape shape{B, B};

  std::uint64_t present = 0;  // places that are an entry in some block
  Line sum[B], transposed;

  void add(std::uint64_t mask, const V* val, const V* x) {
    unsigned columns = 0;
    for (int i = 0; i < B; ++i) columns |= shape.line(mask, i);
    Line block_x;
    block_x.load_kept(columns, x);
    for (int i = 0; i < B; ++i) sum[i].add_kept_product(shape.line(mask, i), val + i * B, block_x);
  }
  void add_full(const V* val, const V* x) {
    Line block_x;
    block_x.load(x);
    for (int i = 0; i < B; ++i) sum[i].add_product(val + i * B, block_x);
  }
  void add_transposed(std::uint64_t mask, const V* val, const V* x) {
    for (int j = 0; j < B; ++j) {
      unsigned rows = 0;
      for (int i = 0; i < B; ++i) rows |= static_cast<unsigned>(mask >> (i * B + j) & 1) << i;
      if (rows != 0) transposed.add_kept_product(rows, val + j * B, everywhere(x[j]));
    }
  }
  void add_full_transposed(const V* val, const V* x) {
    for (int j = 0; j < B; ++j) transposed.add_product(val + j * B, everywhere(x[j]));
  }

 private:
  static Line everywhere(V value) {
    V all[B];
    for (V& one : all) one = value;
    Line line;
    line.load(all);
    return line;
  }
};

template <Isa set, class V, int B>
inline void multiply_block_row(const BcsrFormat<V>& A, std::int64_t block_row, const Product<V>& p) {
  constexpr BlockShape shape{B, B};
  SymmetricSums<set, V, B> sums;
  const Offset begin = A.ptr[block_row], end = A.ptr[block_row + 1], left = begin + A.left_of(block_row);
  const bool full = A.mask.empty();
  const auto mask_of = [&](Offset b) {
    const std::uint64_t mask = full ? shape.full() : load_mask(A.mask.data(), shape.mask_bytes(), b);
    sums.present |= mask;
    return mask;
  };
  const Index* at = A.at.data() + (begin - A.own[block_row]);
  for (Offset b = begin; b < left; ++b) {
    const std::uint64_t mask = mask_of(b);
    const V* val = A.val.data() + std::int64_t{*at++} * shape.places();
    const V* x = p.x + std::int64_t{A.col[b]} * B;
    mask == shape.full() ? sums.add_full_transposed(val, x) : sums.add_transposed(mask, val, x);
  }
  const V* val = A.val.data() + A.own[block_row] * shape.places();
  for (Offset b = left; b < end; ++b, val += shape.places()) {
    const std::uint64_t mask = mask_of(b);
    const V* x = p.x + std::int64_t{A.col[b]} * B;
    ask_ahead(val, shape.places());
    mask == shape.full() ? sums.add_full(val, x) : sums.add(mask, val, x);
  }
  V mirrored[B];
  sums.transposed.store(mirrored);
  const std::int64_t first = block_row * B;
  for (int i = 0; i < B && first + i < A.rows; ++i)
    p.update.row(first + i, mirrored[i] + sums.sum[i].total(), shape.line(sums.present, i) != 0);
}

}  // namespace

template <class V>
void BcsrFormat<V>::multiply_symmetric(OnCpu, const Product<V>& p) const {
  dispatch_symmetric(shape.r, [&](auto size) {
    parallel_stretches(task.size() - 1, tasks_per_thread, [&](std::int64_t first, std::int64_t last) {
      with_isa([&](auto on) {
        for (std::int64_t b = task[first]; b < task[last]; ++b) multiply_block_row<on, V, size.value>(*this, b, p);
      });
    });
  });
}

template void BcsrFormat<float>::multiply_symmetric(OnCpu, const Product<float>&) const;
template void BcsrFormat<double>::multiply_symmetric(OnCpu, const Product<double>&) const;

}  // namespace heddle
