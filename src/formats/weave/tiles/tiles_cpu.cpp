#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "formats/weave/tiles/tiles.hpp"

namespace heddle::weave {

namespace {

constexpr std::int64_t grain = 4096;

template <class V>
void pack_x(const Tiles<V>& A, const V* x, V* packed) {
  parallel_ranges(A.column_of.size(), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) packed[i] = x[A.column_of[i]];
  });
}

template <int K, class V, class S>
void sum_unit(const Tiles<V>& A, const CodedValues<V, S>& values, std::int64_t unit, const V* x, V* to) {
  const std::int64_t base = unit * simt::warp_size * K;
  V sum = 0;
  for (int lane = 0; lane < simt::warp_size; ++lane) {
    const std::uint32_t ends = A.ends[unit * K + lane * K / simt::warp_size] >> lane * K % simt::warp_size;
    for (int i = 0; i < K; ++i) {
      sum += values.decode(values.data[base + place_in_pieces<S, K>(lane, i)]) *
             x[A.col[base + place_in_pieces<std::uint16_t, K>(lane, i)]];
      if ((ends >> i & 1) == 0) continue;
      *to++ = sum;
      sum = 0;
    }
  }
}

template <class V>
void sum_rows(const Tiles<V>& A, const Update<V>& update) {
  parallel_ranges(A.rows, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      V sum = 0;
      for (Index i = A.row_start[row]; i < A.row_start[row + 1]; ++i) sum += A.partials[A.of_row[i]];
      update.row(row, sum, A.row_start[row] < A.row_start[row + 1]);
    }
  });
}

}  // namespace

template <class V>
void Tiles<V>::multiply(OnCpu, const Product<V>& p) const {
  V* packed = const_cast<V*>(packed_x.data());
  V* sums = const_cast<V*>(partials.data());
  pack_x(*this, p.x, packed);
  const V* x = column_of.empty() ? p.x : packed;
  dispatch_int<4, 8>(per_lane, [&](auto K) {
    values.visit([&](const auto& coded) {
      parallel_tasks(blocks.size(), [&](std::int64_t b) {
        const TileBlock block = blocks[b];
        for (std::int64_t unit = block.unit; unit < block.unit + block.units; ++unit)
          sum_unit<K>(*this, coded, unit, x + block.column, sums + rank[unit]);
      });
    });
  });
  sum_rows(*this, p.update);
}

template void Tiles<float>::multiply(OnCpu, const Product<float>&) const;
template void Tiles<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
