#include "core/dispatch.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "formats/bcsr/bcsr.hpp"
#include "simd/ahead.hpp"
#include "simd/block_line.hpp"

namespace heddle {

namespace {

// The sums of one block row: a line of C partial sums for each of its rows. R = 0: the rows of a block are known at run
// time only; otherwise all indices are constants and the lines live in registers.
template <Isa set, class V, int R, int C>
struct BlockRowSums {
  using Line = BlockLine<set, V, C>;

  const BlockShape shape;
  std::uint64_t present = 0;  // places that are an entry in some block
  Line sum[R > 0 ? R : most_block_rows];

  int lines() const { return R > 0 ? R : shape.r; }

  void add_full(const V* val, const V* x) {
    Line block_x;
    block_x.load(x);
    for (int i = 0; i < lines(); ++i) sum[i].add_product(val + i * C, block_x);
  }
  void add_with_holes(std::uint64_t mask, const V* val, const V* x) {
    unsigned columns = 0;
    for (int i = 0; i < lines(); ++i) columns |= shape.line(mask, i);
    Line block_x;
    block_x.load_kept(columns, x);
    for (int i = 0; i < lines(); ++i) sum[i].add_kept_product(shape.line(mask, i), val + i * C, block_x);
  }
};

template <Isa set, class V, int R, int C>
inline void multiply_block_row(const BcsrFormat<V>& A, std::int64_t block_row, const Product<V>& p) {
  const BlockShape shape = R > 0 ? BlockShape{R, C} : BlockShape{A.shape.r, C};
  BlockRowSums<set, V, R, C> sums{shape};
  for (Offset b = A.ptr[block_row]; b < A.ptr[block_row + 1]; ++b) {
    const std::uint64_t mask = load_mask(A.mask.data(), shape.mask_bytes(), b);
    const V* val = A.val.data() + b * shape.places();
    const V* x = p.x + std::int64_t{A.col[b]} * C;
    sums.present |= mask;
    ask_ahead(val, shape.places());
    if (mask == shape.full())
      sums.add_full(val, x);
    else
      sums.add_with_holes(mask, val, x);
  }
  const std::int64_t first = block_row * shape.r;
  for (int i = 0; i < shape.r && first + i < A.rows; ++i)
    p.update.row(first + i, sums.sum[i].total(), shape.line(sums.present, i) != 0);
}

template <class V, int R, int C>
void multiply_all(const BcsrFormat<V>& A, const Product<V>& p) {
  parallel_stretches(A.task.size() - 1, tasks_per_thread, [&](std::int64_t first, std::int64_t last) {
    with_isa([&](auto on) {
      for (std::int64_t b = A.task[first]; b < A.task[last]; ++b) multiply_block_row<on, V, R, C>(A, b, p);
    });
  });
}

}  // namespace

template <class V>
void BcsrFormat<V>::multiply(OnCpu where, const Product<V>& p) const {
  if (symmetric()) return multiply_symmetric(where, p);
  dispatch_int<1, 2, 3, 4, 5, 6, 7, 8>(shape.c, [&](auto c) {
    if (shape.r == shape.c)
      multiply_all<V, c, c>(*this, p);
    else
      multiply_all<V, 0, c>(*this, p);
  });
}

template void BcsrFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void BcsrFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
