#include <algorithm>
#include <bit>

#include "core/dispatch.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "formats/bell/bell.hpp"

namespace heddle {

namespace {

constexpr int lanes_at_once = 32;

// Up to 32 neighbouring lanes of one slice, worked on side by side: values and sums of a step are contiguous.
template <class V, int C>
struct LaneGroup {
  const BellView<V>& A;
  const V* x;
  std::int64_t stride;  // from a place of a block to the next one
  V sum[most_block_rows][lanes_at_once] = {};
  std::uint64_t present[lanes_at_once] = {};  // places that are an entry in some block

  // The blocks in slots q .. q+n-1, whose values start at `val`: all of them full.
  void add_full(Offset q, const V* val, int n) {
    V block_x[lanes_at_once];
    for (int j = 0; j < C; ++j) {
      for (int lane = 0; lane < n; ++lane) block_x[lane] = x[std::int64_t{A.col[q + lane]} * C + j];
      for (int i = 0; i < A.shape.r; ++i) {
        const V* line = val + (i * C + j) * stride;
        for (int lane = 0; lane < n; ++lane) sum[i][lane] += line[lane] * block_x[lane];
      }
    }
  }
  // One block, place by place.
  void add_one(Offset q, const V* val, int lane, std::uint64_t mask) {
    const V* block_x = x + std::int64_t{A.col[q + lane]} * C;
    for (; mask != 0; mask &= mask - 1) {
      const int place = std::countr_zero(mask);
      sum[place / C][lane] += val[place * stride + lane] * block_x[place % C];
    }
  }
  // Block k of each lane; n lanes have one.
  void add(Offset q, const V* val, int n) {
    std::uint64_t mask[lanes_at_once], all = A.shape.full();
    for (int lane = 0; lane < n; ++lane) {
      mask[lane] = load_mask(A.mask, A.shape.mask_bytes(), q + lane);
      present[lane] |= mask[lane];
      all &= mask[lane];
    }
    if (all == A.shape.full())
      add_full(q, val, n);
    else
      for (int lane = 0; lane < n; ++lane) add_one(q, val, lane, mask[lane]);
  }
};

// Lanes `first` to `first` + n - 1 of slice s.
template <class V, int C>
inline void multiply_lanes(const BellView<V>& A, std::int64_t s, std::int64_t first, int n, const Product<V>& p) {
  const std::int64_t stride = A.slices.stride(s), stored = s * A.slices.slice + first;
  const BlockShape shape{A.shape.r, C};
  LaneGroup<V, C> group{A, p.x, stride};
  int left = n;  // lanes that have a block k: the first ones, because lengths descend
  Offset q = A.start[s] + first;
  for (Index k = 0; k < A.length[stored]; ++k, q += stride) {
    while (A.length[stored + left - 1] <= k) --left;
    group.add(q, A.val + (q - first) * shape.places() + first, left);
  }
  for (int lane = 0; lane < n; ++lane) {
    const std::int64_t row = std::int64_t{A.row_of[stored + lane]} * shape.r;
    for (int i = 0; i < shape.r && row + i < A.rows; ++i)
      p.update.row(row + i, group.sum[i][lane], shape.line(group.present[lane], i) != 0);
  }
}

}  // namespace

template <class V>
void BellFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  const BellView<V> A = view();
  const std::int64_t per_slice = (slices.slice + lanes_at_once - 1) / lanes_at_once;
  const std::int64_t groups = per_slice * slices.slices(), work = val.size() + rows;
  dispatch_int<1, 2, 3, 4, 5, 6, 7, 8>(shape.c, [&](auto c) {
    parallel_work(groups, work, [&](std::int64_t begin, std::int64_t end) {
      with_fetching_isa([&](auto) {
        for (std::int64_t g = begin; g < end; ++g) {
          const std::int64_t s = g / per_slice, first = g % per_slice * lanes_at_once;
          const std::int64_t lanes = slices.height(s) - first;
          if (lanes > 0)
            multiply_lanes<V, c>(A, s, first, static_cast<int>(std::min<std::int64_t>(lanes, lanes_at_once)), p);
        }
      });
    });
  });
}

template void BellFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void BellFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
