#include "core/dispatch.hpp"
#include "formats/weave/weave_padded.hpp"

namespace heddle::weave {

namespace {

// x begins where the codes of the row do.
template <int count, int W, class V, class S, class C>
SIMT_DEVICE void add_steps(const PaddedShape& shape, const C* codes, const CodedValues<V, S>& values, std::int64_t warp,
                           Index step, const V* x, V& sum, bool& present) {
  C col[count][W];
  S stored[count][W];
  V element[count][W];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const std::int64_t begin = shape.step_begin(step + i, warp);
    load_pieces<Keep::matrix>(codes + begin, col[i]);
    load_pieces<Keep::matrix>(values.at(begin), stored[i]);
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int w = 0; w < W; ++w)
      element[i][w] = col[i][w] != no_padded_column<C> ? simt::cached_load(x + col[i][w]) : V(0);
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int w = 0; w < W; ++w) {
      const V product = values.decode(stored[i][w]) * element[i][w];
      sum += col[i][w] != no_padded_column<C> ? product : V(0);
      present |= col[i][w] != no_padded_column<C>;
    }
}

template <int W, class V, class S, class C>
SIMT_DEVICE void add_all_steps(const PaddedShape& shape, const C* codes, const CodedValues<V, S>& values,
                               std::int64_t warp, const V* x, V& sum, bool& present) {
  Index step = 0;
  for (; step + 4 <= shape.steps; step += 4) add_steps<4, W>(shape, codes, values, warp, step, x, sum, present);
  switch (shape.steps - step) {
    case 3: return add_steps<3, W>(shape, codes, values, warp, step, x, sum, present);
    case 2: return add_steps<2, W>(shape, codes, values, warp, step, x, sum, present);
    case 1: return add_steps<1, W>(shape, codes, values, warp, step, x, sum, present);
    default: return;
  }
}

// `exactly` so many steps, all under way at once; 0: as many as the shape says.
template <int exactly, int W, class V, class S, class C>
SIMT_DEVICE void multiply_rows(const PaddedShape& shape, const C* codes, const CodedValues<V, S>& values, const V* x,
                               const Update<V>& update) {
  const std::int64_t warp = simt::global_thread() / simt::warp_size;
  if (warp >= shape.warps()) return;
  const std::int64_t row = warp * shape.teams() + simt::lane() / shape.lanes;
  V sum = 0;
  bool present = false;
  if constexpr (exactly > 0)
    add_steps<exactly, W>(shape, codes, values, warp, 0, x + shape.base(row), sum, present);
  else
    add_all_steps<W>(shape, codes, values, warp, x + shape.base(row), sum, present);
  unsigned has = present ? 1 : 0;
  for (int distance = shape.lanes / 2; distance > 0; distance /= 2) {
    sum += simt::shuffle_xor(sum, distance);
    has |= simt::shuffle_xor(has, distance);
  }
  if (simt::lane() % shape.lanes == 0 && row < shape.rows) update.row(row, sum, has != 0);
}

constexpr int threads = 128;

template <int exactly, int W, class V, class S, class C>
SIMT_KERNEL weave_padded_rows(PaddedShape shape, const C* codes, CodedValues<V, S> values, const V* x,
                              Update<V> update) {
  multiply_rows<exactly, W>(shape, codes, values, x, update);
}

// The same where all threads run at once with 64 registers each: left alone, the compiler keeps to 32 to 40 and does
// not have all steps under way (H200, 7-point grid of 40^3 in double 6.8 -> 6.1 us cold and 3.0 -> 2.8 warm, of 20^3
// with two lanes a row 6.0 -> 4.9 and 2.2 -> 1.8; with four entries a lane 10 % faster in double and 8 % slower in
// float; where there are more threads, 4 to 20 % slower).
constexpr int few_blocks = 8;
constexpr std::int64_t few_threads = 132 * few_blocks * threads;

template <int exactly, int W, class V, class S, class C>
SIMT_BOUNDED_KERNEL(threads, few_blocks)
weave_padded_few_rows(PaddedShape shape, const C* codes, CodedValues<V, S> values, const V* x, Update<V> update) {
  multiply_rows<exactly, W>(shape, codes, values, x, update);
}

// f(steps, W): with one entry a lane up to 8 steps have kernels of their own. With a loop of four and the rest one
// after another, five steps wait for memory four times instead of twice. (One kernel that leaves out what is too much,
// up to eight, took 0.4 to 0.7 us more; H200.)
template <class F>
void dispatch_steps(const PaddedShape& shape, F f) {
  if (shape.per_lane == 4) return f(std::integral_constant<int, 0>{}, std::integral_constant<int, 4>{});
  const int exactly = shape.steps <= PaddedTeam::steps_at_once ? static_cast<int>(shape.steps) : 0;
  dispatch_int<0, 1, 2, 3, 4, 5, 6, 7, 8>(exactly, [&](auto steps) { f(steps, std::integral_constant<int, 1>{}); });
}

}  // namespace

template <class V>
void Padded<V>::multiply(simt::Here here, const Product<V>& p) const {
  const std::int64_t all_threads = shape.warps() * simt::warp_size;
  const simt::Launch grid{simt::blocks_for(all_threads, threads), threads, 0, p.stream};
  values.visit_all([&]<class S>(const CodedValues<V, S>& coded) {
    with_codes(*this, [&]<class C>(const C* codes) {
      dispatch_steps(shape, [&](auto steps, auto W) {
        if (all_threads <= few_threads && (W.value == 1 || sizeof(V) == 8))
          simt::launch(here, grid, weave_padded_few_rows<steps.value, W.value, V, S, C>, shape, codes, coded, p.x,
                       p.update);
        else
          simt::launch(here, grid, weave_padded_rows<steps.value, W.value, V, S, C>, shape, codes, coded, p.x,
                       p.update);
      });
    });
  });
}

template void Padded<float>::multiply(simt::Here, const Product<float>&) const;
template void Padded<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
