#include "core/dispatch.hpp"
#include "formats/weave/padded/padded.hpp"
#include "simt/csr/device_csr.hpp"
#include "simt/csr/device_pattern.hpp"
#include "simt/primitives/reduce.hpp"

namespace heddle::weave {

namespace {

constexpr int steps_of_warp = 8;

// A warp has the rows of one warp of the layout in a few steps, whose loads are under way together; a lane W entries of
// its row in each. Every place is written.
template <int W, class V, class S, class C>
SIMT_KERNEL store_padded_warp_per_steps(CsrArrays<V> A, PaddedShape shape, C* codes, ValueWriter<V, S> values) {
  const std::int64_t number = simt::global_thread() / simt::warp_size, warp = number % shape.warps();
  const std::int64_t first = number / shape.warps() * steps_of_warp;
  const std::int64_t last = first + steps_of_warp < shape.steps ? first + steps_of_warp : shape.steps;
  const std::int64_t row = warp * shape.teams() + simt::lane() / shape.lanes;
  const Offset begin = row < A.rows ? A.ptr[row] : 0, length = row < A.rows ? A.length(row) : 0;
#pragma unroll(W == 1 ? 4 : 1)
  for (std::int64_t step = first; step < last; ++step) {
    const Offset k = step * shape.lanes * W + simt::lane() % shape.lanes;
    const std::int64_t to = (warp * shape.steps + step) * simt::warp_size * W;
    C code[W];
    S stored[W];
#pragma unroll
    for (int j = 0; j < W; ++j) {
      const Offset at = k + std::int64_t{j} * shape.lanes;
      const bool present = at < length;
      code[j] = present ? static_cast<C>(simt::cached_load(A.col + begin + at) - shape.base(row)) : no_padded_column<C>;
      stored[j] = present ? values.encode(simt::cached_load(A.val + begin + at)) : S{};
    }
    store_pieces(codes + to, code);
    store_pieces(values.at(to), stored);
  }
}

struct Farthest {
  std::int64_t distance = 0;
  SIMT_BOTH void add(const Farthest& other) { distance = distance > other.distance ? distance : other.distance; }
};
struct RowReaches {
  using Result = Farthest;
  PatternArrays A;

  SIMT_DEVICE void add(std::int64_t row, Farthest& to) const { to.add({reach_of_row(A, row)}); }
};

PaddedColumns columns_of(simt::Here here, const PatternView& A, Device device) {
  if (A.cols <= PaddedShape::most_narrow) return PaddedColumns::narrow;
  const Farthest found = device::reduce(here, RowReaches{PatternArrays(A)}, A.rows, device);
  return found.distance <= PaddedShape::reach ? PaddedColumns::relative : PaddedColumns::wide;
}

}  // namespace

template <class V>
std::optional<Padded<V>> Padded<V>::build_there(simt::Here here, const MatrixThere<V>& A,
                                                const PaddedSettings& settings, Device device, Offset longest) {
  const auto values_of = ask_value_store(here, A.values(), settings.codec, device);
  if (longest < 0) longest = longest_row(here, A.ptr, device);
  Padded to{A.cols, PaddedShape::of(A.rows, longest, columns_of(here, A, device), settings), {}, {}, {}};
  const std::int64_t stored = to.shape.stored();
  if (too_much_padding(stored, A.nnz())) return {};
  auto values = values_of(stored);
  if (!values) return {};
  to.values = std::move(*values);
  if (to.shape.columns == PaddedColumns::wide)
    to.wide = Buffer<Index>(stored, device);
  else
    to.col = Buffer<std::uint16_t>(stored, device);
  constexpr int threads = 128;
  const std::int64_t warps = simt::blocks_for(to.shape.steps, steps_of_warp) * to.shape.warps();
  const simt::Launch launch{simt::blocks_for(warps * simt::warp_size, threads), threads};
  dispatch_int<1, 4>(to.shape.per_lane, [&](auto W) {
    with_any_writer(to.values, [&]<class S>(const ValueWriter<V, S>& writer) {
      with_codes(to, [&]<class C>(C* codes) {
        simt::launch(here, launch, store_padded_warp_per_steps<W.value, V, S, C>, CsrArrays<V>(A), to.shape, codes,
                     writer);
      });
    });
  });
  return to;
}

template std::optional<Padded<float>> Padded<float>::build_there(simt::Here, const MatrixThere<float>&,
                                                                 const PaddedSettings&, Device, Offset);
template std::optional<Padded<double>> Padded<double>::build_there(simt::Here, const MatrixThere<double>&,
                                                                   const PaddedSettings&, Device, Offset);

}  // namespace heddle::weave
