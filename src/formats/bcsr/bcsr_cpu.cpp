#include <bit>

#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "formats/bcsr/bcsr.hpp"

namespace heddle {

namespace {

// One block row. R = 0: the rows of a block are known at run time only.
//
// Full blocks go to `sum`, whose indices are all constants when R is, so that it lives in registers, a vector of
// partial sums per row. Blocks with holes go place by place to `loose`, in memory.
template <class V, int R, int C>
struct BlockRowSums {
  static constexpr int most_r = R > 0 ? R : most_block_rows;
  static constexpr int vector = static_cast<int>(16 / sizeof(V));
  static constexpr int width = C < vector ? C : vector;

  const BlockShape shape;
  std::uint64_t present = 0;  // places that are an entry in some block
  bool has_holes = false;
  V sum[most_r][width] = {};
  V loose[most_r * C] = {};

  int lines() const { return R > 0 ? R : shape.r; }

  void add_full(const V* val, const V* x) {
    for (int i = 0; i < lines(); ++i)
      for (int j = 0; j < C; ++j) sum[i][j % width] += val[i * C + j] * x[j];
  }
  void add_with_holes(std::uint64_t mask, const V* val, const V* x) {
    has_holes = true;
    for (; mask != 0; mask &= mask - 1) {
      const int place = std::countr_zero(mask);
      loose[place] += val[place] * x[place % C];
    }
  }
  V total(int i) const {
    V all = 0;
    for (int w = 0; w < width; ++w) all += sum[i][w];
    if (has_holes)
      for (int j = 0; j < C; ++j) all += loose[i * C + j];
    return all;
  }
};

template <class V, int R, int C>
void multiply_block_row(const BcsrFormat<V>& A, std::int64_t block_row, const Product<V>& p) {
  const BlockShape shape = R > 0 ? BlockShape{R, C} : BlockShape{A.shape.r, C};
  BlockRowSums<V, R, C> sums{shape};
  for (Offset b = A.ptr[block_row]; b < A.ptr[block_row + 1]; ++b) {
    const std::uint64_t mask = load_mask(A.mask.data(), shape.mask_bytes(), b);
    const V* val = A.val.data() + b * shape.places();
    const V* x = p.x + std::int64_t{A.col[b]} * C;
    sums.present |= mask;
    if (mask == shape.full())
      sums.add_full(val, x);
    else
      sums.add_with_holes(mask, val, x);
  }
  const std::int64_t first = block_row * shape.r;
  for (int i = 0; i < shape.r && first + i < A.rows; ++i)
    p.update.row(first + i, sums.total(i), shape.line(sums.present, i) != 0);
}

template <class V, int R, int C>
void multiply_all(const BcsrFormat<V>& A, const Product<V>& p) {
  parallel_tasks(A.task.size() - 1, [&](std::int64_t t) {
    for (std::int64_t b = A.task[t]; b < A.task[t + 1]; ++b) multiply_block_row<V, R, C>(A, b, p);
  });
}

}  // namespace

template <class V>
void BcsrFormat<V>::multiply(OnCpu, const Product<V>& p) const {
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
