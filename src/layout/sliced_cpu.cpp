#include <algorithm>

#include "core/halving.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "layout/row_tasks.hpp"
#include "layout/sliced.hpp"
#include "layout/sliced_wide.hpp"

namespace heddle {

namespace {

// Sums in flight: places of one slice column side by side. 1024 doubles are 8 KB, a quarter of a level-1 cache.
constexpr std::int64_t most_sums = 1024;

// Part of slice `slice`: `rows` rows from `first` on. Place i of a column belongs to lane i % T of row i / T of the
// block.
template <class V, class Codec>
struct RowBlock {
  const SlicedView<V, Codec>& A;
  const V* x;
  std::int64_t slice, first, rows;

  std::int64_t places() const { return rows * A.shape.lanes; }

  // Columns are read without a test: every row has an entry in all places from `place` to before `end`.
  void add_full(Offset place, Offset end, std::int64_t stride, V* sum) const;
  // Rows that have ended are recognised by column -1.
  void add_marked(Offset place, Offset end, std::int64_t stride, V* sum) const;
  // Place i has an entry while k < left[i].
  void add_counted(Offset place, std::int64_t k, std::int64_t end_k, std::int64_t stride, const Index* left,
                   V* sum) const;
  void add_by_length(Offset place, std::int64_t stride, V* sum) const;
  // left[i]: entries from place i on, in steps of a row's lanes.
  void count_left(Index* left) const;
};

template <class V, class Codec>
void RowBlock<V, Codec>::add_full(Offset place, Offset end, std::int64_t stride, V* sum) const {
  const std::int64_t n = places();
  for (; place < end; place += stride) {
    const typename Codec::Stored* col = A.col + place;
    const V* val = A.val + place;
    for (std::int64_t i = 0; i < n; ++i) sum[i] += val[i] * x[Codec::decode(first + i, col[i])];
  }
}

// Written as selections, so that the loop has no branch: x[0] is read in place of padding and its product discarded.
template <class V, class Codec>
void RowBlock<V, Codec>::add_marked(Offset place, Offset end, std::int64_t stride, V* sum) const {
  const std::int64_t n = places();
  for (; place < end; place += stride) {
    const typename Codec::Stored* col = A.col + place;
    const V* val = A.val + place;
    for (std::int64_t i = 0; i < n; ++i) {
      const V product = val[i] * x[col[i] < 0 ? 0 : col[i]];
      sum[i] += col[i] < 0 ? V(0) : product;
    }
  }
}

template <class V, class Codec>
void RowBlock<V, Codec>::add_counted(Offset place, std::int64_t k, std::int64_t end_k, std::int64_t stride,
                                     const Index* left, V* sum) const {
  const std::int64_t n = places();
  for (; k < end_k; k += A.shape.lanes, place += stride) {
    const typename Codec::Stored* col = A.col + place;
    const V* val = A.val + place;
    const auto passed = static_cast<Index>(k);
    for (std::int64_t i = 0; i < n; ++i) {
      const V product = val[i] * x[passed < left[i] ? Codec::decode(first + i, col[i]) : 0];
      sum[i] += passed < left[i] ? product : V(0);
    }
  }
}

template <class V, class Codec>
void RowBlock<V, Codec>::count_left(Index* left) const {
  const std::int64_t lanes = A.shape.lanes;
  for (std::int64_t p = 0; p < rows; ++p)
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      left[p * lanes + lane] = A.length[first + p] - static_cast<Index>(lane);
}

template <class V, class Codec>
void RowBlock<V, Codec>::add_by_length(Offset place, std::int64_t stride, V* sum) const {
  const std::int64_t lanes = A.shape.lanes;
  Index left[most_sums];
  count_left(left);
  const auto [shortest, longest] = std::minmax_element(A.length + first, A.length + first + rows);
  const std::int64_t full = *shortest / lanes;
  add_full(place, place + full * stride, stride, sum);
  add_counted(place + full * stride, full * lanes, *longest, stride, left, sum);
}

template <Isa set, class V, class Codec>
inline void sum_block(OnIsa<set>, const RowBlock<V, Codec>& block, Offset place, Offset end, std::int64_t stride,
                      V* sum) {
  const SlicedView<V, Codec>& A = block.A;
  if constexpr (set == Isa::avx512) {
    Index several[most_sums];
    const Index* left = A.length ? A.length + block.first : nullptr;
    if (left && A.shape.lanes > 1) block.count_left(several), left = several;
    return sum_places(A, block.x, PlaceWalk{place, end, stride, block.first, left}, block.places(), sum);
  }
  std::fill(sum, sum + block.places(), V(0));
  if constexpr (Codec::marks_padding) {
    if (!A.length) block.add_marked(place, end, stride, sum);
  }
  if (A.length) block.add_by_length(place, stride, sum);
}

// y = A x needs no update: the sum over no entries is the +0 that a row without entries must give.
template <class V>
inline bool is_plain(const Update<V>& update, int lanes) {
  return lanes == 1 && update.alpha == V(1) && update.beta == V(0);
}

template <class V>
inline void store_rows(const V* sum, std::int64_t count, const Index* row_of, V* y) {
  if (row_of)
    for (std::int64_t i = 0; i < count; ++i) y[row_of[i]] = sum[i];
  else
    for (std::int64_t i = 0; i < count; ++i) y[i] = sum[i];
}

template <class On, class V, class Codec>
inline void multiply_block(On on, const RowBlock<V, Codec>& block, const Product<V>& p) {
  const SlicedView<V, Codec>& A = block.A;
  const std::int64_t lanes = A.shape.lanes, s = block.slice, stride = A.shape.stride(s);
  const Offset place = A.slice_begin(s) + (block.first - s * A.shape.slice) * lanes, end = A.slice_end(s);
  const bool plain = is_plain(p.update, A.shape.lanes);
  if (plain && !A.row_of && block.rows % 32 == 0)  // sums are stored 32 at a time
    return sum_block(on, block, place, end, stride, p.update.y + block.first);
  V sum[most_sums];
  sum_block(on, block, place, end, stride, sum);
  if (plain)
    return store_rows(sum, block.rows, A.row_of ? A.row_of + block.first : nullptr,
                      p.update.y + (A.row_of ? 0 : block.first));
  for (std::int64_t i = 0; i < block.rows; ++i) {
    V total = sum[i * lanes];
    for (std::int64_t lane = 1; lane < lanes; ++lane) total += sum[i * lanes + lane];
    const bool has_entries = A.length ? A.length[block.first + i] > 0 : place < end && A.col[place + i * lanes] >= 0;
    p.update.row(block.first + i, total, has_entries);
  }
}

// Rows first .. last-1 of a slice. (No long division: it takes 30 ns, as long as 60 entries.)
template <class On, class V, class Codec>
inline void multiply_rows(On on, const SlicedView<V, Codec>& A, const Product<V>& p, std::int64_t slice,
                          std::int64_t first, std::int64_t last) {
  const int lanes = A.shape.lanes;
  const std::int64_t step = lanes == 1 ? most_sums : std::max(1, static_cast<int>(most_sums) / lanes);
  for (std::int64_t row = first; row < last; row += step)
    multiply_block(on, RowBlock<V, Codec>{A, p.x, slice, row, std::min(step, last - row)}, p);
}

// Whether there is a function that is made for slices like these, and this one.
template <class V, class Codec>
bool has_whole_slices(const SlicedView<V, Codec>& A) {
  return std::is_same_v<Codec, Index32> && isa() == Isa::avx512 && A.shape.slice == 32 && !A.length;
}
template <class On, class V, class Codec>
inline void multiply_whole_slices(On on, const SlicedView<V, Codec>& A, const Product<V>& p, std::int64_t first,
                                  std::int64_t last) {
  if constexpr (on == Isa::avx512 && std::is_same_v<Codec, Index32>)
    multiply_whole_slices(A, p.x, p.update.y, first, last);
}

// With AVX-512 elements of x are fetched by sliced_wide.hpp, with other sets by what the compiler makes of the loops.
template <class F>
void with_set_for_slices(F&& f) {
  isa() == Isa::avx512 ? with_isa(f) : with_fetching_isa(f);
}

}  // namespace

template <class V, class Codec>
void multiply_sliced(OnCpu, const SlicedView<V, Codec>& A, const Product<V>& product) {
  Product<V> p = product;
  p.update.row_of = A.row_of;
  const Sliced& shape = A.shape;
  if (!A.start) {
    constexpr std::int64_t rows_at_once = 128;
    const std::int64_t pieces = (shape.rows + rows_at_once - 1) / rows_at_once;
    return parallel_work(pieces, A.stored + shape.rows, [&](std::int64_t begin, std::int64_t end) {
      with_set_for_slices(
          [&](auto on) { multiply_rows(on, A, p, 0, begin * rows_at_once, std::min(shape.rows, end * rows_at_once)); });
    });
  }
  // A task takes the slices that start in its share of the stored entries, plus one per row: equal work, whatever the
  // widths, and empty slices are shared out too.
  const std::int64_t tasks = row_task_count(shape.rows, A.stored), work = work_of_row_task(shape.rows, A.stored);
  const auto first_slice = [&](std::int64_t task) {
    if (task == 0 || task == tasks) return task == 0 ? 0 : shape.slices();
    return first_without_near(shape.slices() * task / tasks, 0, shape.slices(),
                              [&](std::int64_t s) { return A.start[s] + s * shape.slice < task * work; });
  };
  const bool whole = is_plain(p.update, shape.lanes) && has_whole_slices(A);
  parallel_stretches(tasks, tasks_per_thread, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t end = first_slice(last);
    with_set_for_slices([&](auto on) {
      std::int64_t s = first_slice(first);
      if (whole) {
        const std::int64_t whole_end = std::min(end, shape.rows / shape.slice);
        multiply_whole_slices(on, A, p, s, whole_end);
        s = std::max(s, whole_end);
      }
      for (; s < end; ++s) multiply_rows(on, A, p, s, s * shape.slice, std::min(shape.rows, (s + 1) * shape.slice));
    });
  });
}

template void multiply_sliced(OnCpu, const SlicedView<float, Index32>&, const Product<float>&);
template void multiply_sliced(OnCpu, const SlicedView<double, Index32>&, const Product<double>&);
template void multiply_sliced(OnCpu, const SlicedView<float, Column16>&, const Product<float>&);
template void multiply_sliced(OnCpu, const SlicedView<double, Column16>&, const Product<double>&);

}  // namespace heddle
