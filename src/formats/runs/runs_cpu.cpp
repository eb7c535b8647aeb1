#include <cmath>

#include "core/halving.hpp"
#include "core/parallel.hpp"
#include "core/thread_share.hpp"
#include "formats/runs/runs.hpp"
#include "formats/runs/runs_aside_sum.hpp"
#include "simd/ahead.hpp"
#include "simd/fetch.hpp"
#include "simd/update_rows.hpp"
#include "simd/wide.hpp"

namespace heddle {

namespace {

// Steps of float go to two sums in turn, those of double to one: either way 128 bytes of sums are in flight. Each of
// the four parts of a slice begins with the first.
template <class V>
inline constexpr int sums_of = sizeof(V) == 4 ? 2 : 1;

// A slice in the arrays; the next one begins behind it.
template <class V>
struct Steps {
  const RunSlice* slice;
  const Index* run_col;
  const Index* col;
  const std::uint16_t* mask;
  const V* val;
  Index full = 0, runs = 0, whole = 0, gathered = 0;

  Steps(const RunsView<V>& A, std::int64_t s)
      : slice(A.slices + s),
        run_col(A.run_col + A.first_run(*slice)),
        col(A.col + slice->before * rows_of_run),
        mask(A.mask + slice->step),
        val(A.val + slice->step * rows_of_run) {
    count();
  }
  void count() { full = slice->full, runs = slice->runs, whole = slice->whole, gathered = slice->gathered; }
  void advance() {
    run_col += runs;
    col += std::int64_t{gathered} * rows_of_run;
    mask += runs + gathered;
    val += std::int64_t{runs + gathered} * rows_of_run;
    ++slice;
    count();
  }
  std::uint16_t present() const {
    unsigned found = 0;
    for (Index k = 0; k < runs + gathered; ++k) found |= mask[k];
    return static_cast<std::uint16_t>(found);
  }
};

// Off the mask x is read where that is possible, and the product dropped: so there is no branch.
template <class V>
inline void add_run(const V* val, unsigned mask, Index col, std::int64_t cols, const V* x, V* sum) {
  if (col >= 0 && col + rows_of_run <= cols) {
    for (int i = 0; i < rows_of_run; ++i) sum[i] += kept(val[i] * x[col + i], -static_cast<Index>(mask >> i & 1));
  } else {
    for (int i = 0; i < rows_of_run; ++i)
      if ((mask >> i & 1) != 0) sum[i] += val[i] * x[col + i];
  }
}

template <Isa set, class V>
inline void add_gathered(OnIsa<set> on, const V* val, unsigned mask, const Index* col, const V* x, V* sum) {
  Index from[rows_of_run];
  V fetched[rows_of_run];
  std::copy_n(col, rows_of_run, from);
  fetch(on, x, from, fetched);
  for (int i = 0; i < rows_of_run; ++i) sum[i] += kept(val[i] * fetched[i], -static_cast<Index>(mask >> i & 1));
}

template <Isa set, class V>
inline void sum_slice(OnIsa<set> on, const RunsView<V>& A, const Steps<V>& s, const V* x, V* to) {
  V sum[2][rows_of_run] = {};
  const auto at = [&](Index step) { return s.val + std::int64_t{step} * rows_of_run; };
  for (Index k = 0; k < s.runs; ++k) {
    const Index turn = k < s.full ? k : k - s.full;
    add_run(at(k), s.mask[k], s.run_col[k], A.cols, x, sum[turn % sums_of<V>]);
  }
  for (Index k = 0; k < s.gathered; ++k) {
    const Index turn = k < s.whole ? k : k - s.whole;
    add_gathered(on, at(s.runs + k), s.mask[s.runs + k], s.col + std::int64_t{k} * rows_of_run, x,
                 sum[turn % sums_of<V>]);
  }
  for (int i = 0; i < rows_of_run; ++i) to[i] = sums_of<V> == 2 ? sum[0][i] + sum[1][i] : sum[0][i];
}

#if defined(__x86_64__)
// The same in two registers: both halves of 16 doubles, or both sums of 16 floats.
template <class V, bool far>
struct WideSteps {
  using Lanes = Wide<V>;
  static constexpr int parts = rows_of_run / Lanes::lanes;
  typename Lanes::Type sum[2];

  HEDDLE_AVX512 void ask(const V* val) const {
    if constexpr (far)
#pragma GCC unroll 2
      for (int part = 0; part < parts; ++part) ask_ahead<2048>(val + part * Lanes::lanes);
  }
  template <int turn>
  HEDDLE_AVX512 void add_full(const V* val, const V* x) {
    ask(val);
#pragma GCC unroll 2
    for (int part = 0; part < parts; ++part)
      sum[parts == 2 ? part : turn] += Lanes::load(val + part * Lanes::lanes) * Lanes::load(x + part * Lanes::lanes);
  }
  template <int turn>
  HEDDLE_AVX512 void add_run(const V* val, std::uint16_t mask, const V* x) {
    ask(val);
#pragma GCC unroll 2
    for (int part = 0; part < parts; ++part) {
      const auto rows = static_cast<typename Lanes::Mask>(mask >> part * Lanes::lanes);
      auto& to = sum[parts == 2 ? part : turn];
      to = Lanes::add(rows, to, Lanes::load(val + part * Lanes::lanes) * Lanes::load(rows, x + part * Lanes::lanes));
    }
  }
  template <int turn>
  HEDDLE_AVX512 void add_whole(const V* val, const Index* col, const V* x) {
    ask(val);
#pragma GCC unroll 2
    for (int part = 0; part < parts; ++part)
      sum[parts == 2 ? part : turn] +=
          Lanes::load(val + part * Lanes::lanes) * Lanes::fetch(x, col + part * Lanes::lanes);
  }
  template <int turn>
  HEDDLE_AVX512 void add_partly(const V* val, std::uint16_t mask, const Index* col, const V* x) {
    ask(val);
#pragma GCC unroll 2
    for (int part = 0; part < parts; ++part) {
      const auto rows = static_cast<typename Lanes::Mask>(mask >> part * Lanes::lanes);
      auto& to = sum[parts == 2 ? part : turn];
      to = Lanes::add(rows, to,
                      Lanes::load(val + part * Lanes::lanes) * Lanes::fetch(rows, x, col + part * Lanes::lanes));
    }
  }

  // f(step, sum that it goes to).
  template <bool unrolled, class F>
  HEDDLE_AVX512 static void in_turns(Index k, Index end, F f) {
    using First = std::integral_constant<int, 0>;
    using Next = std::integral_constant<int, sums_of<V> - 1>;
    if constexpr (unrolled)
      for (; k + 4 <= end; k += 4) f(k, First{}), f(k + 1, Next{}), f(k + 2, First{}), f(k + 3, Next{});
    if constexpr (sums_of<V> == 2)
      for (; k + 2 <= end; k += 2) f(k, First{}), f(k + 1, Next{});
    for (; k < end; ++k) f(k, First{});
  }
  HEDDLE_AVX512 void add_all(const Steps<V>& s, const V* x) {
    const auto val = [&](Index step) { return s.val + std::int64_t{step} * rows_of_run; };
    const auto col = [&](Index step) { return s.col + std::int64_t{step - s.runs} * rows_of_run; };
    const Index gathers = s.runs, others = gathers + s.whole, end = gathers + s.gathered;
    sum[0] = sum[1] = Lanes::zero();
    in_turns<false>(0, s.full, [&](Index k, auto turn) HEDDLE_AVX512 { add_full<turn>(val(k), x + s.run_col[k]); });
    in_turns<false>(s.full, s.runs,
                    [&](Index k, auto turn) HEDDLE_AVX512 { add_run<turn>(val(k), s.mask[k], x + s.run_col[k]); });
    in_turns<true>(gathers, others, [&](Index k, auto turn) HEDDLE_AVX512 { add_whole<turn>(val(k), col(k), x); });
    in_turns<false>(others, end,
                    [&](Index k, auto turn) HEDDLE_AVX512 { add_partly<turn>(val(k), s.mask[k], col(k), x); });
  }
  HEDDLE_AVX512 void store(V* to) const {
    if constexpr (parts == 2) {
      Lanes::store(to, sum[0]);
      Lanes::store(to + Lanes::lanes, sum[1]);
    } else {
      Lanes::store(to, sum[0] + sum[1]);
    }
  }
};

template <bool far, class V>
HEDDLE_AVX512 inline void sum_slice_wide(const Steps<V>& s, const V* x, V* to) {
  WideSteps<V, far> steps;
  steps.add_all(s, x);
  steps.store(to);
}
#endif

template <bool far, Isa set, class V>
inline void sum_slice_on(OnIsa<set> on, const RunsView<V>& A, const Steps<V>& steps, const V* x, V* to) {
  if constexpr (set == Isa::avx512)
    sum_slice_wide<far>(steps, x, to);
  else
    sum_slice(on, A, steps, x, to);
}

// f(place in the slice, sum) for the rows aside of a slice that are not shared.
template <Isa set, class V, class F>
inline void each_aside(OnIsa<set> on, const AsideView<V>& A, const RunSlice* slice, std::int64_t first, const V* x,
                       F f) {
  for (Offset a = slice->aside; a < slice[1].aside; ++a)
    if (!A.is_shared(a)) f(A.row[a] - first, sum_part(on, A, A.part[a], x));
}

template <bool far, Isa set, class V>
inline void multiply_slices(OnIsa<set> on, const RunsView<V>& A, const Product<V>& p, std::int64_t begin,
                            std::int64_t end) {
  if (begin == end) return;
  Steps<V> steps(A, begin);
  // y = A x needs no update: the sum over no entries is the +0 that a row without entries must give.
  if (p.update.alpha == V(1) && p.update.beta == V(0))
    for (const std::int64_t whole = std::min(end, A.rows / rows_of_run); begin < whole; ++begin, steps.advance()) {
      V* y = p.update.y + begin * rows_of_run;
      sum_slice_on<far>(on, A, steps, p.x, y);
      each_aside(on, A.aside, steps.slice, begin * rows_of_run, p.x, [&](std::int64_t i, V sum) { y[i] = sum; });
    }
  for (; begin < end; ++begin, steps.advance()) {
    const std::int64_t first = begin * rows_of_run, count = std::min<std::int64_t>(rows_of_run, A.rows - first);
    alignas(64) V sums[rows_of_run];
    sum_slice_on<far>(on, A, steps, p.x, sums);
    std::uint32_t present = steps.present();
    each_aside(on, A.aside, steps.slice, first, p.x, [&](std::int64_t i, V sum) {
      sums[i] = sum;
      present |= 1u << i;
    });
    update_rows(p.update, first, count, sums, present);
  }
}

// The sums of parts to their rows, for which slices have left beta y.
template <class V>
void update_shared(const AsideRows<V>& A, Update<V> update, const V* sums) {
  if (update.beta != V(0)) update.beta = 1;
  for (std::int64_t i = 0; i < A.shared.size();) {
    const Offset row = A.shared[i].row;
    V sum = sums[i++];
    while (i < A.shared.size() && A.shared[i].row == row) sum += sums[i++];
    update(A.row[row], sum);
  }
}

}  // namespace

template <class V>
void RunsFormat<V>::multiply(OnCpu, const Product<V>& p) const {
  const RunsView<V> A = view();
  const std::int64_t count = slices.size() - 1;
  const bool far = val.bytes() > own_cache_bytes;
  const auto work = [&](std::int64_t begin, std::int64_t end) {
    with_isa([&](auto on) {
      far ? multiply_slices<true>(on, A, p, begin, end) : multiply_slices<false>(on, A, p, begin, end);
    });
  };
  // A task takes the slices that begin in its share of the steps, plus one each, and one for 8 entries of a row aside:
  // equal work. Behind these each part of a shared row is one.
  constexpr std::int64_t most = work_per_task / rows_of_run;
  const auto before = [&](std::int64_t s) { return A.slices[s].step + s + A.aside.work[A.slices[s].aside] / 8; };
  const std::int64_t slice_tasks = (before(count) + most - 1) / most, parts = aside.shared.size();
  const std::int64_t share = (before(count) + slice_tasks - 1) / std::max<std::int64_t>(1, slice_tasks);
  const auto first_slice = [&](std::int64_t task) {
    if (task == 0 || task >= slice_tasks) return task == 0 ? 0 : count;
    return first_without_near(count * task / slice_tasks, 0, count,
                              [&](std::int64_t s) { return before(s) < task * share; });
  };
  const double fetched = static_cast<double>(col.size()) / static_cast<double>(std::max<std::int64_t>(1, val.size()));
  const std::int64_t per_thread = std::llround(tasks_per_thread / work_of_place(fetched, share_for_a_thread()));
  V sums[most_shared_parts];
  parallel_stretches(slice_tasks + parts, per_thread, [&](std::int64_t first, std::int64_t last) {
    if (first < slice_tasks) work(first_slice(first), first_slice(last));
    if (last <= slice_tasks) return;
    with_isa([&](auto on) {
      for (std::int64_t i = std::max(first, slice_tasks) - slice_tasks; i < last - slice_tasks; ++i)
        sums[i] = sum_part(on, A.aside, aside.shared[i].part, p.x);
    });
  });
  if (parts > 0) update_shared(aside, p.update, sums);
}

template void RunsFormat<float>::multiply(OnCpu, const Product<float>&) const;
template void RunsFormat<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle
