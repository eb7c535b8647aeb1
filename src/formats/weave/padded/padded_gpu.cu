#include "core/dispatch.hpp"
#include "formats/weave/padded/padded.hpp"
#include "formats/weave/weave_rules.hpp"

namespace heddle::weave {

namespace {

// The arrays from where a warp has its first step. x begins where the codes of the row do.
template <class V, class S, class C>
struct PaddedWalk {
  const C* codes;
  CodedValues<V, S> values;
  const V* x;
};

template <class C>
struct PaddedCode {
  static constexpr auto none = static_cast<unsigned>(no_padded_column<C>);
  unsigned code;
  SIMT_DEVICE bool present() const { return code != none; }
};

template <class V>
struct PaddedSum {
  V sum = 0;
  bool present = false;

  // Places without an entry hold 0 where values are numbers, and meet a 0 of x; a code of a table may stand for any
  // value.
  template <class S, class C>
  SIMT_DEVICE void add(const CodedValues<V, S>& values, PaddedCode<C> code, S stored, V element) {
    if constexpr (std::is_floating_point_v<S>) {
      sum += static_cast<V>(stored) * element;
    } else {
      const V product = values.decode(stored) * element;
      sum += code.present() ? product : V(0);
    }
    present |= code.present();
  }
};

// `count` steps from `step` on, all their loads under way before the first product is needed.
template <int count, int W, class V, class S, class C>
SIMT_DEVICE void add_steps(const PaddedWalk<V, S, C>& walk, Index step, PaddedSum<V>& sum) {
  PaddedCode<C> code[count][W];
  S stored[count][W];
  V element[count][W];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    C loaded[W];
    load_pieces<Keep::matrix>(walk.codes + (step + i) * simt::warp_size * W, loaded);
    load_pieces<Keep::matrix>(walk.values.at((step + i) * simt::warp_size * W), stored[i]);
#pragma unroll
    for (int w = 0; w < W; ++w) code[i][w] = {simt::widened(loaded[w])};
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int w = 0; w < W; ++w)
      element[i][w] = code[i][w].present() ? simt::cached_load(walk.x + code[i][w].code) : V(0);
#pragma unroll
  for (int i = 0; i < count; ++i)
#pragma unroll
    for (int w = 0; w < W; ++w) sum.add(walk.values, code[i][w], stored[i][w], element[i][w]);
}

template <int W, class V, class S, class C>
SIMT_DEVICE void add_all_steps(const PaddedWalk<V, S, C>& walk, Index steps, PaddedSum<V>& sum) {
  Index step = 0;
  for (; step + 4 <= steps; step += 4) add_steps<4, W>(walk, step, sum);
  switch (steps - step) {
    case 3: return add_steps<3, W>(walk, step, sum);
    case 2: return add_steps<2, W>(walk, step, sum);
    case 1: return add_steps<1, W>(walk, step, sum);
    default: return;
  }
}

// `exactly` so many steps, all under way at once; 0: as many as the shape says.
template <int exactly, int W, class V, class S, class C>
SIMT_DEVICE void multiply_rows(const PaddedShape& shape, const C* codes, const CodedValues<V, S>& values, const V* x,
                               const Update<V>& update) {
  const std::int64_t thread = simt::global_thread(), warp = thread >> simt::warp_size_log2;
  if (warp >= shape.warps()) return;
  const std::int64_t row = thread >> shape.lanes_log2;
  const std::int64_t begin = warp * (exactly > 0 ? exactly : shape.steps) * simt::warp_size * W;
  const PaddedWalk<V, S, C> walk{codes + begin, {values.at(begin), values.table}, simt::settled(x + shape.base(row))};
  PaddedSum<V> lane;
  if constexpr (exactly > 0)
    add_steps<exactly, W>(walk, 0, lane);
  else
    add_all_steps<W>(walk, shape.steps, lane);
  V sum = lane.sum;
  unsigned has = lane.present ? 1 : 0;
  for (int distance = shape.lanes / 2; distance > 0; distance /= 2) {
    sum += simt::shuffle_xor(sum, distance);
    has |= simt::shuffle_xor(has, distance);
  }
  if ((simt::lane() & (shape.lanes - 1)) == 0 && row < shape.rows) update.row(row, sum, has != 0);
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

template <int exactly, int W, class V, class S, class C>
SIMT_BOUNDED_KERNEL(threads, few_blocks)
weave_padded_few_rows(PaddedShape shape, const C* codes, CodedValues<V, S> values, const V* x, Update<V> update) {
  multiply_rows<exactly, W>(shape, codes, values, x, update);
}

// f(steps, W): with one entry a lane up to 8 steps have kernels of their own, up to 12 where values are raw and warps
// few. With a loop of four and the rest one after another, five steps wait for memory four times instead of twice. (One
// kernel that leaves out what is too much, up to eight, took 0.4 to 0.7 us more; H200.)
template <bool few, bool raw, class F>
void dispatch_steps(const PaddedShape& shape, F f) {
  if (shape.per_lane == 4) return f(std::integral_constant<int, 0>{}, std::integral_constant<int, 4>{});
  const auto with_steps = [&](auto steps) { f(steps, std::integral_constant<int, 1>{}); };
  const auto steps = static_cast<int>(shape.steps);
  constexpr int at_once = PaddedTeam::steps_at_once;
  if constexpr (few && raw)
    if (steps > at_once && steps <= PaddedTeam::most_at_once) return dispatch_int<9, 10, 11, 12>(steps, with_steps);
  if constexpr (few && !raw) {
    // Other values are looked for where there are many entries, which few warps have in eight steps or more: fewer are
    // for plans that name a codec, and take the loop.
    static_assert(PaddedTeam::few_warps * simt::warp_size * (at_once - 1) < fewest_looked_at_padded);
    dispatch_int<0, at_once>(steps == at_once ? at_once : 0, with_steps);
  } else {
    dispatch_int<0, 1, 2, 3, 4, 5, 6, 7, 8>(steps <= at_once ? steps : 0, with_steps);
  }
}

}  // namespace

template <class V>
void Padded<V>::multiply(simt::Here here, const Product<V>& p) const {
  const simt::Launch grid{simt::blocks_for(shape.warps() * simt::warp_size, threads), threads, 0, p.stream};
  values.visit_all([&]<class S>(const CodedValues<V, S>& coded) {
    with_codes(*this, [&]<class C>(const C* codes) {
      if (shape.warps() <= PaddedTeam::few_warps && (shape.per_lane == 1 || sizeof(V) == 8))
        dispatch_steps<true, std::is_same_v<S, V>>(shape, [&](auto steps, auto W) {
          simt::launch(here, grid, weave_padded_few_rows<steps.value, W.value, V, S, C>, shape, codes, coded, p.x,
                       p.update);
        });
      else
        dispatch_steps<false, std::is_same_v<S, V>>(shape, [&](auto steps, auto W) {
          simt::launch(here, grid, weave_padded_rows<steps.value, W.value, V, S, C>, shape, codes, coded, p.x,
                       p.update);
        });
    });
  });
}

template void Padded<float>::multiply(simt::Here, const Product<float>&) const;
template void Padded<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
