#include <algorithm>

#include "formats/weave/long_rows/long_rows_quads.hpp"
#include "simt/primitives/scan.hpp"

namespace heddle::weave {

namespace {

struct Steps {
  Offset count = 0;
  SIMT_BOTH void add(const Steps& other) { count += other.count; }
};

// begin[i]: the steps of all rows before row i. The item behind the last row has none. Runs are stored on the way.
struct RowSteps {
  using Sum = Steps;
  static constexpr bool placed_apart = true;
  PatternArrays A;
  LongShape shape;
  const Offset* quads;  // null: rows are not cut into them
  Offset* begin;
  RowRun* runs;  // null: columns are not stored so

  SIMT_DEVICE Steps item(std::int64_t row) const {
    if (row >= A.rows) return {0};
    return {quads ? shape.steps_of_quads(quads[row]) : shape.steps(A.length(row))};
  }
  SIMT_DEVICE void place(std::int64_t row, const Steps& before) const {
    begin[row] = before.count;
    if (runs && row < A.rows) runs[row] = RowRun::of(A, row);
  }
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

// A warp writes the 128 places of one warp of a team in one step. C: the type of the columns; none to write: NoBytes.
template <class C, class V, class S>
SIMT_KERNEL store_long_warp_per_step(CsrArrays<V> A, LongShape shape, const Offset* begin, Offset steps, C* col,
                                     ValueWriter<V, S> values) {
  const std::int64_t number = simt::global_thread() / simt::warp_size;
  const Offset step = number / shape.warps();
  if (step >= steps) return;
  const std::int64_t row = row_of_step(begin, A.rows, step);
  const std::int64_t thread = number % shape.warps() * simt::warp_size + simt::lane();
  const Offset k = (step - begin[row]) * shape.step_entries() + LongShape::first_entry(thread);
  const Offset first = A.ptr[row] + k, length = A.length(row);
  C codes[LongShape::per_thread];
  S stored[LongShape::per_thread];
#pragma unroll
  for (int j = 0; j < LongShape::per_thread; ++j) {
    const Offset at = j * simt::warp_size;
    const bool present = k + at < length;
    if constexpr (!std::is_empty_v<C>) codes[j] = present ? static_cast<C>(A.col[first + at]) : no_long_column<C>;
    stored[j] = present ? values.encode(A.val[first + at]) : S{};
  }
  if constexpr (!std::is_empty_v<C>) store_pieces(col + number * LongShape::warp_entries, codes);
  store_pieces(values.at(number * LongShape::warp_entries), stored);
}

// A block a row that is cut into quads: first nothing everywhere, then the entries.
template <class V, class S>
SIMT_KERNEL store_quads_block_per_row(CsrArrays<V> A, LongShape shape, const Offset* begin, std::uint32_t* quads,
                                      ValueWriter<V, S> values) {
  const std::int64_t row = simt::block();
  const std::int64_t top = begin[row] * shape.lanes, end = begin[row + 1] * shape.lanes;
  for (std::int64_t thread = top + simt::thread(); thread < end; thread += simt::block_threads()) {
    const S nothing[LongShape::per_thread] = {};
    store_pieces(values.at(thread / simt::warp_size * LongShape::warp_entries), nothing);
    quads[thread] = 0;
  }
  simt::sync_block();
  each_quad_entry(A, row, [&](Offset k, Index column, std::int64_t quad, int place, bool last) {
    if (last) quads[top + quad] = Quad::of(column - place, place + 1);
    if constexpr (!std::is_empty_v<S>)
      *values.at(LongShape::place<S>(top + quad, place)) = values.encode(A.val[A.ptr[row] + k]);
  });
}

constexpr int threads = 128;

template <class V>
void store_quads(simt::Here here, const CsrView<V>& A, Long<V>& to) {
  with_any_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
    simt::launch(here, block_per_row_of_quads(A.rows, A.nnz()), store_quads_block_per_row<V, S>, CsrArrays<V>(A),
                 to.shape, to.begin.data(), to.quads.data(), writer);
  });
}

// Entries in their order, with columns of type C or none.
template <class C, class V>
void store_in_order(simt::Here here, const CsrView<V>& A, Offset steps, C* col, Long<V>& to) {
  with_any_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
    simt::launch(here, {simt::blocks_for(steps * to.shape.lanes, threads), threads}, store_long_warp_per_step<C, V, S>,
                 CsrArrays<V>(A), to.shape, to.begin.data(), steps, col, writer);
  });
}

// Whether rows have gaps is looked at while their steps are counted. Where both are known, nobody waits.
class GapsAsked {
 public:
  GapsAsked(simt::Here here, const PatternView& A, bool ask, Device device)
      : shape_(device::reduce_launch<RowsWithGaps>(ask ? A.rows : 0, 1)),
        gaps_(shape_.blocks, device, device::side_stream(device)) {
    shape_.stream = device::side_stream(device);
    simt::launch(here, shape_, device::reduce_items<RowsWithGaps>, RowsWithGaps{PatternArrays(A)}, A.rows,
                 gaps_.there());
  }
  bool any() {
    const auto found = gaps_.here();
    return std::any_of(found.begin(), found.end(), [](const Gap& gap) { return gap.any != 0; });
  }

 private:
  simt::Launch shape_;
  device::Answers<Gap> gaps_;
};

Offset place_rows(simt::Here here, const RowSteps& rows, const LongRowsKnown* known, Device device) {
  if (!known) return device::scan(here, rows, rows.A.rows + 1, device).count;
  device::Workspace memory(device);
  device::queue_scan(here, rows, rows.A.rows + 1, memory);
  return known->steps;
}

}  // namespace

template <class V>
std::optional<Long<V>> Long<V>::build_there(simt::Here here, const MatrixThere<V>& A, const LongSettings& settings,
                                            Device device, const Found& known) {
  Long to{.cols = A.cols, .shape = LongShape::of(A, settings)};
  to.begin = Buffer<Offset>(A.rows + 1, device);
  const bool in_quads = to.shape.columns == WeaveColumns::quads, in_runs = to.shape.columns == WeaveColumns::runs;
  if (in_quads && A.cols > Quad::most_columns) return {};
  if (known && in_runs && !known->runs) return {};
  GapsAsked gaps(here, A, in_runs && !known, device);
  to.runs = Buffer<RowRun>(in_runs ? A.rows : 0, device);
  Buffer<Offset> quads_of_rows;
  if (in_quads) quads_of_rows = count_quads(here, A, device);
  const RowSteps rows{PatternArrays(A), to.shape, in_quads ? quads_of_rows.data() : nullptr, to.begin.data(),
                      in_runs ? to.runs.data() : nullptr};
  const Offset steps = place_rows(here, rows, in_quads || !known ? nullptr : &*known, device);
  const std::int64_t stored = steps * to.shape.step_entries();
  if (too_much_padding(stored, A.nnz())) return {};
  if (gaps.any()) return {};
  auto values = make_value_store(here, A.values(), settings.codec, stored, device);
  if (!values) return {};
  to.values = std::move(*values);
  const bool each = to.shape.columns == WeaveColumns::each;
  to.wide = Buffer<Index>(each && to.shape.wide ? stored : 0, device);
  to.narrow = Buffer<std::uint16_t>(each && !to.shape.wide ? stored : 0, device);
  to.quads = Buffer<std::uint32_t>(in_quads ? stored / LongShape::per_thread : 0, device);
  if (in_quads) {
    store_quads(here, A, to);
  } else if (in_runs) {
    store_in_order(here, A, steps, static_cast<NoBytes*>(nullptr), to);
  } else if (to.shape.wide) {
    store_in_order(here, A, steps, to.wide.data(), to);
  } else {
    store_in_order(here, A, steps, to.narrow.data(), to);
  }
  return to;
}

template std::optional<Long<float>> Long<float>::build_there(simt::Here, const MatrixThere<float>&, const LongSettings&,
                                                             Device, const Found&);
template std::optional<Long<double>> Long<double>::build_there(simt::Here, const MatrixThere<double>&,
                                                               const LongSettings&, Device, const Found&);

}  // namespace heddle::weave
