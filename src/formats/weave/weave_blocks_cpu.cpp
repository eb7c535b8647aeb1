#include <algorithm>
#include <bit>

#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "formats/weave/weave_blocks.hpp"

namespace heddle::weave {

namespace {

template <class V, int B>
struct LaneBlockRow {
  V sum[B] = {};
  unsigned present = 0;

  template <class S>
  void add(const CodedValues<V, S>& values, const S* step, int lane, unsigned mask, const V* x) {
    constexpr unsigned full = (1u << B * B) - 1;
    present |= mask;
    if (mask == full) {
      for (int e = 0; e < B * B; ++e) sum[e / B] += values.decode(step[place_in_pieces<S, B * B>(lane, e)]) * x[e % B];
      return;
    }
    for (; mask != 0; mask &= mask - 1) {
      const int e = std::countr_zero(mask);
      sum[e / B] += values.decode(step[place_in_pieces<S, B * B>(lane, e)]) * x[e % B];
    }
  }
  void merge(const LaneBlockRow& other) {
    for (int i = 0; i < B; ++i) sum[i] += other.sum[i];
    present |= other.present;
  }
};

template <int B, class V, class S>
void multiply_slice(const Blocks<V>& A, const CodedValues<V, S>& values, std::int64_t s, const Product<V>& p) {
  const SlicedColumns& c = A.columns;
  const ColumnSlice& slice = c.slices[s];
  const std::uint16_t* narrow = c.codes.data() + slice.columns;
  const auto* wide = reinterpret_cast<const Index*>(narrow);
  constexpr std::int64_t lanes = simt::warp_size;
  LaneBlockRow<V, B> row[simt::warp_size];
  for (Index step = 0; step < slice.width; ++step)
    for (int lane = 0; lane < lanes; ++lane) {
      const std::int64_t slot = (slice.first + step) * lanes + lane;
      const std::uint16_t code = slice.wide ? 0 : narrow[step * lanes + lane];
      const Index col = slice.wide                    ? wide[step * lanes + lane]
                        : code == ColumnWindows::none ? -1
                                                      : slice.windows.decode(code);
      if (col < 0) continue;
      const unsigned mask = A.masks.empty() ? (1u << B * B) - 1 : A.masks[slot];
      row[lane].add(values, values.data + (slot - lane) * B * B, lane, mask, p.x + std::int64_t{col} * B);
    }
  const std::int64_t first = s * c.shape.slice_rows();
  const int count = static_cast<int>(std::min<std::int64_t>(c.shape.slice_rows(), c.rows - first));
  for (int i = 0; i < count; ++i) {
    LaneBlockRow<V, B>& whole = row[i * c.shape.lanes];
    for (int t = 1; t < c.shape.lanes; ++t) whole.merge(row[i * c.shape.lanes + t]);
    const std::int64_t top = c.stored_row(first + i) * B;
    for (int line = 0; line < B && top + line < A.rows; ++line)
      p.update.row(top + line, whole.sum[line], (whole.present >> line * B & ((1u << B) - 1)) != 0);
  }
}

}  // namespace

template <class V>
void Blocks<V>::multiply(OnCpu, const Product<V>& p) const {
  values.visit([&](const auto& coded) {
    dispatch_int<2, 3, 4>(size, [&](auto B) {
      parallel_ranges(columns.slices.size(), 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t s = begin; s < end; ++s) multiply_slice<B>(*this, coded, s, p);
      });
    });
  });
}

template void Blocks<float>::multiply(OnCpu, const Product<float>&) const;
template void Blocks<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
