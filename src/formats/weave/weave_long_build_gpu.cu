#include "formats/weave/weave_long.hpp"
#include "layout/device_csr.hpp"
#include "layout/device_scan.hpp"

namespace heddle::weave {

namespace {

struct Steps {
  Offset count = 0;
  SIMT_BOTH void add(const Steps& other) { count += other.count; }
};

// begin[i]: the steps of all rows before row i. The item behind the last row has none.
struct RowSteps {
  using Sum = Steps;
  PatternArrays A;
  LongShape shape;
  Offset* begin;

  SIMT_DEVICE Steps item(std::int64_t row) const { return {row < A.rows ? shape.steps(A.length(row)) : 0}; }
  SIMT_DEVICE void place(std::int64_t row, const Steps& before) const { begin[row] = before.count; }
};

// The row that step number `step` belongs to: the last one that begins at or before it and has steps.
SIMT_DEVICE std::int64_t row_of_step(const Offset* begin, std::int64_t rows, Offset step) {
  std::int64_t low = 0, high = rows;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    if (begin[middle] <= step)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// A warp writes the 128 places of one warp of a team in one step. C: the type of the columns.
template <class C, class V, class S>
SIMT_KERNEL store_long_warp_per_step(CsrArrays<V> A, LongShape shape, const Offset* begin, Offset steps, C* col,
                                     ValueWriter<V, S> values) {
  const std::int64_t number = simt::global_thread() / simt::warp_size;
  const Offset step = number / shape.warps();
  if (step >= steps) return;
  const std::int64_t row = row_of_step(begin, A.rows, step);
  const std::int64_t thread = number % shape.warps() * simt::warp_size + simt::lane();
  const Offset k = (step - begin[row]) * shape.step_entries() + thread * LongShape::per_thread;
  const Offset first = A.ptr[row] + k, length = A.length(row);
  C codes[LongShape::per_thread];
  S stored[LongShape::per_thread];
#pragma unroll
  for (int j = 0; j < LongShape::per_thread; ++j) {
    const bool present = k + j < length;
    codes[j] = present ? static_cast<C>(A.col[first + j]) : no_long_column<C>;
    stored[j] = present ? values.encode(A.val[first + j]) : S{};
  }
  store_pieces(col + number * LongShape::warp_entries, codes);
  store_pieces(values.at(number * LongShape::warp_entries), stored);
}

}  // namespace

template <class V>
std::optional<Long<V>> Long<V>::build_there(simt::Here here, const CsrView<V>& A, const WeaveSettings& settings,
                                            Device device) {
  Long to{.cols = A.cols, .shape = LongShape::of(A, settings)};
  to.begin = Buffer<Offset>(A.rows + 1, device);
  const RowSteps row_steps{PatternArrays(A), to.shape, to.begin.data()};
  const Offset steps = device::scan(here, row_steps, A.rows + 1, device).count;
  const std::int64_t stored = steps * to.shape.step_entries();
  if (too_much_padding(stored, A.nnz())) return {};
  auto values = make_value_store(here, A.val, settings.codec(), stored, device);
  if (!values) return {};
  to.values = std::move(*values);
  to.wide = Buffer<Index>(to.shape.wide ? stored : 0, device);
  to.narrow = Buffer<std::uint16_t>(to.shape.wide ? 0 : stored, device);
  const auto launch = [&]<class C>(C* col) {
    constexpr int threads = 128;
    with_any_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      simt::launch(here, {simt::blocks_for(steps * to.shape.lanes, threads), threads},
                   store_long_warp_per_step<C, V, S>, CsrArrays<V>(A), to.shape, to.begin.data(), steps, col, writer);
    });
  };
  to.shape.wide ? launch(to.wide.data()) : launch(to.narrow.data());
  return to;
}

template std::optional<Long<float>> Long<float>::build_there(simt::Here, const CsrView<float>&, const WeaveSettings&,
                                                             Device);
template std::optional<Long<double>> Long<double>::build_there(simt::Here, const CsrView<double>&, const WeaveSettings&,
                                                               Device);

}  // namespace heddle::weave
