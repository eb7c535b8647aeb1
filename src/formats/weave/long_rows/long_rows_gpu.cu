#include "formats/weave/long_rows/long_rows.hpp"
#include "simt/primitives/fetch_by_grid.hpp"

namespace heddle::weave {

namespace {

constexpr int W = LongShape::per_thread;

// `count` steps of a thread, each `stride` behind the one before it, from its entry number `entry` of the row on.
template <int count, class V, class S, class Columns>
SIMT_DEVICE V add_steps(const LongShape& shape, int stride, const Columns& columns, const CodedValues<V, S>& values,
                        std::int64_t warp, std::int64_t entry, const V* x) {
  using C = typename Columns::Code;
  C col[count][W];
  S stored[count][W];
  V element[count][W];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const std::int64_t at = warp + i * stride * shape.warps();
    columns.template load<Keep::matrix>(at, entry + i * stride * shape.step_entries(), col[i]);
    load_pieces<Keep::matrix>(values.at(at * LongShape::warp_entries), stored[i]);
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int w = 0; w < W; ++w)
      element[i][w] = col[i][w] != no_long_column<C> ? simt::cached_load(x + col[i][w]) : V(0);
  // Places without an entry hold 0 where values are numbers, and meet a 0 of x; a code of a table may stand for any
  // value.
  V sum = 0;
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int w = 0; w < W; ++w) {
      const V product = values.decode(stored[i][w]) * element[i][w];
      sum += std::is_floating_point_v<S> || col[i][w] != no_long_column<C> ? product : V(0);
    }
  return sum;
}

// Of the steps of a row from number `rank` on every `stride`-th, by thread `member` of a team.
template <class V, class S, class Columns>
SIMT_DEVICE V add_row(const LongShape& shape, Offset first, Offset last, int rank, int stride, int member,
                      const Columns& own, const CodedValues<V, S>& values, const V* x) {
  const auto at = [&](Offset step) { return step * shape.warps() + member / simt::warp_size; };
  const auto entry = [&](Offset step) {
    return (step - first) * shape.step_entries() + LongShape::first_entry(member);
  };
  V sum = 0;
  Offset step = first + rank;
  for (; step + 3 * stride < last; step += 4 * stride)
    sum += add_steps<4>(shape, stride, own, values, at(step), entry(step), x);
  if (step + stride < last) {
    sum += add_steps<2>(shape, stride, own, values, at(step), entry(step), x);
    step += 2 * stride;
  }
  if (step < last) sum += add_steps<1>(shape, stride, own, values, at(step), entry(step), x);
  return sum;
}

// In all lanes of the first warp of a block of several.
template <class V>
SIMT_DEVICE V block_sum(V sum, int warps, V* shared) {
  sum = simt::warp_sum(sum);
  if (simt::lane() == 0) shared[simt::warp()] = sum;
  simt::sync_block();
  return simt::warp() == 0 ? simt::warp_sum(simt::lane() < warps ? shared[simt::lane()] : V(0)) : V(0);
}

// A team of `lanes` threads a row; a block is one team of several warps, or several teams of one.
template <class V, class S, class Columns>
SIMT_DEVICE void multiply_rows(const LongShape& shape, const Offset* begin, const Columns& columns,
                               const CodedValues<V, S>& values, const V* x, const Update<V>& update) {
  const std::int64_t row = simt::global_thread() >> shape.lanes_log2;
  const int member = simt::thread() & (shape.lanes - 1);
  V sum = 0;
  Offset first = 0, last = 0;
  if (row < shape.rows) {
    first = simt::cached_load(begin + row);
    last = simt::cached_load(begin + row + 1);
    const V* own_x = simt::settled(x + (first >> 63));  // + 0, but a parameter would be fetched anew for every load
    sum = add_row(shape, first, last, 0, 1, member, columns.of_row(row), values, own_x);
  }
  sum = shape.lanes > simt::warp_size ? block_sum(sum, shape.warps(), simt::shared<V>()) : simt::warp_sum(sum);
  if (member == 0 && row < shape.rows) update.row(row, sum, last > first);
}

template <class V, class S, class Columns>
SIMT_KERNEL weave_long_team_per_row(LongShape shape, const Offset* begin, Columns columns, CodedValues<V, S> values,
                                    const V* x, Update<V> update) {
  multiply_rows(shape, begin, columns, values, x, update);
}

// The same where all threads run at once with 64 registers each, and so with twice the loads under way (dense, 2000
// rows, in float: 5.7 instead of 7.2 us warm, 9.9 instead of 14.0 cold; where there are more threads it costs up to 15
// %; H200).
constexpr std::int64_t few_threads = 132 * 1024;

template <class V, class S, class Columns>
SIMT_BOUNDED_KERNEL(1024, 1)
weave_long_team_per_row_of_few(LongShape shape, const Offset* begin, Columns columns, CodedValues<V, S> values,
                               const V* x, Update<V> update) {
  multiply_rows(shape, begin, columns, values, x, update);
}

// A cluster of blocks a row. Where entries begin is known only after a look at `begin`, so each thread begins with
// a request for a line of `ahead` of them.
template <class V, class S, class Columns>
SIMT_BOUNDED_KERNEL(1024, 1)
weave_long_cluster_per_row(LongShape shape, std::int64_t ahead, const Offset* begin, Columns columns,
                           CodedValues<V, S> values, const V* x, Update<V> update) {
  const int blocks = simt::cluster_blocks(), rank = simt::cluster_rank();
  const std::int64_t row = simt::block() >> (31 - simt::leading_zeros(static_cast<unsigned>(blocks)));  // / blocks
  if (row >= shape.rows) return;
  simt::arrive_cluster();
  const Offset first = simt::cached_load(begin + row), last = simt::cached_load(begin + row + 1);
  fetch_by_grid(columns.data, Columns::codes(ahead));
  fetch_by_grid(values.data, ahead);
  V sum = add_row(shape, first, last, rank, blocks, simt::thread(), columns.of_row(row), values, x);
  sum = block_sum(sum, shape.warps(), simt::shared<V>());
  simt::wait_cluster();  // now all have begun: there is a first one to write to
  if (simt::thread() == 0) simt::shared_of<V>(0)[simt::warp_size + rank] = sum;
  simt::arrive_cluster();
  if (rank > 0) return;
  simt::wait_cluster();
  if (simt::warp() > 0) return;
  sum = simt::warp_sum(simt::lane() < blocks ? simt::shared<V>()[simt::warp_size + simt::lane()] : V(0));
  if (simt::lane() == 0) update.row(row, sum, last > first);
}

// Entries to ask the L2 for: those of a small matrix, where one wait more is felt.
constexpr std::int64_t most_ahead = 1 << 20;

template <class V, class S, class Columns>
void start(simt::Here here, const Long<V>& A, const Columns& columns, const CodedValues<V, S>& values,
           const Product<V>& p) {
  const LongShape& shape = A.shape;
  const int threads = shape.lanes > simt::warp_size ? shape.lanes : 128;
  const std::int64_t all_threads = shape.rows * shape.lanes;
  const simt::Launch grid{shape.groups > 1 ? shape.rows * shape.groups : simt::blocks_for(all_threads, threads),
                          threads, 2 * simt::warp_size * sizeof(V), p.stream, shape.groups};
  const auto* begin = A.begin.data();
  if (shape.groups > 1)
    simt::launch(here, grid, weave_long_cluster_per_row<V, S, Columns>, shape,
                 A.coded_places() <= most_ahead ? A.coded_places() : 0, begin, columns, values, p.x, p.update);
  else if (all_threads <= few_threads)
    simt::launch(here, grid, weave_long_team_per_row_of_few<V, S, Columns>, shape, begin, columns, values, p.x,
                 p.update);
  else
    simt::launch(here, grid, weave_long_team_per_row<V, S, Columns>, shape, begin, columns, values, p.x, p.update);
}

}  // namespace

template <class V>
void Long<V>::multiply(simt::Here here, const Product<V>& p) const {
  values.visit_all([&](const auto& coded) {
    with_columns(*this, [&](const auto& columns) { start(here, *this, columns, coded, p); });
  });
}

template void Long<float>::multiply(simt::Here, const Product<float>&) const;
template void Long<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
