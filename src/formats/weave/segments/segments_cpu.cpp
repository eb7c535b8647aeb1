#include <algorithm>
#include <bit>

#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "formats/weave/segments/segments.hpp"
#include "formats/weave/weave_slots.hpp"

namespace heddle::weave {

namespace {

// The products of a tile, 0 where it has no entry.
template <int K, class V, class S, class On>
inline void multiply_entries(On on, const Segments<V>& A, const CodedValues<V, S>& values, std::int64_t tile,
                             const V* x, V* product) {
  constexpr int entries = simt::warp_size * K;
  const Index* col = A.col.data() + tile * entries;
  if (col[0] < 0) {  // rows without entries: x may have no element either
    std::fill_n(product, entries, V(0));
    return;
  }
  Index from[entries];
  V fetched[entries], value[entries];
  for (int i = 0; i < entries; ++i) from[i] = std::max(col[i], 0);
  fetch(on, x, from, fetched);
  load_values(on, values, values.at(tile * entries), value);
  for (int i = 0; i < entries; ++i) product[i] = kept(value[i] * fetched[i], ~(col[i] >> 31));
}

// In four parts, so that one addition does not wait for the one before.
template <class V>
inline V add_up(const V* product, int count) {
  V part[4] = {};
  int i = 0;
  for (; i + 4 <= count; i += 4)
    for (int j = 0; j < 4; ++j) part[j] += product[i + j];
  for (int j = 0; i < count; ++i, ++j) part[j] += product[i];
  return (part[0] + part[1]) + (part[2] + part[3]);
}

// f(first entry, entries) for the rows that end in a tile, in order.
template <int K, class F>
inline void each_end(const std::uint8_t* row_end, std::int64_t tile, F f) {
  constexpr int entries = simt::warp_size * K, bits = 64;
  int first = 0;
  for (int word = 0; word < entries / bits; ++word) {
    std::uint64_t ends;
    std::memcpy(&ends, row_end + tile * entries / 8 + word * 8, sizeof ends);
    if constexpr (std::endian::native == std::endian::big) ends = __builtin_bswap64(ends);
    for (; ends != 0; ends &= ends - 1) {
      const int end = word * bits + std::countr_zero(ends) + 1;
      f(first, end - first);
      first = end;
    }
  }
}

template <int K, class V, class S, class On>
inline void multiply_tile(On on, const Segments<V>& A, const CodedValues<V, S>& values, std::int64_t t,
                          const Product<V>& p) {
  const SegmentTile tile = A.tiles[t];
  Index row = tile.row;
  const Index end = tile.row + tile.rows;
  const auto pass_empty_rows = [&] {
    while (row < end && !A.is_filled(t, row - tile.row)) p.update.without_entries(row++);
  };
  V product[simt::warp_size * K];
  multiply_entries<K>(on, A, values, t, p.x, product);
  pass_empty_rows();
  each_end<K>(A.row_end.data(), t, [&](int first, int count) {
    p.update(row++, add_up(product + first, count));
    pass_empty_rows();
  });
}

template <int K, class V, class S, class On>
inline void multiply_team(On on, const Segments<V>& A, const CodedValues<V, S>& values, std::int64_t number,
                          const Product<V>& p) {
  constexpr int entries = simt::warp_size * K;
  const Team& team = A.teams[number];
  V sum[entries] = {};
  for (std::int64_t done = 0, tile = team.tile; done < team.entries; done += entries, ++tile) {
    V product[entries];
    multiply_entries<K>(on, A, values, tile, p.x, product);
    for (int i = 0; i < entries; ++i) sum[i] += product[i];
  }
  const V whole = add_slots(sum, entries);
  if (team.long_row < 0) return p.update(team.row, whole);
  const LongRow& row = A.long_rows[team.long_row];
  Piece<V>::leave(const_cast<Piece<V>*>(A.pieces.data()) + row.first_piece + (number - row.first), whole);
}

}  // namespace

template <class V>
void Segments<V>::multiply(OnCpu, const Product<V>& p) const {
  dispatch_int<4, 8>(per_lane, [&](auto K) {
    values.visit_all([&](const auto& coded) {
      parallel_work(tiles.size(), tiles.size() * tile_entries(), [&](std::int64_t begin, std::int64_t end) {
        with_isa([&](auto on) {
          for (std::int64_t t = begin; t < end; ++t) multiply_tile<K>(on, *this, coded, t, p);
        });
      });
      parallel_work(teams.size(), col.size(), [&](std::int64_t begin, std::int64_t end) {
        with_isa([&](auto on) {
          for (std::int64_t i = begin; i < end; ++i) multiply_team<K>(on, *this, coded, i, p);
        });
      });
    });
  });
  for (const LongRow& row : long_rows) {
    V sum = 0;
    for (Index i = 0; i < row.count; ++i)
      sum += Piece<V>::take(const_cast<Piece<V>*>(pieces.data()) + row.first_piece + i);
    p.update(row.row, sum);
  }
}

template void Segments<float>::multiply(OnCpu, const Product<float>&) const;
template void Segments<double>::multiply(OnCpu, const Product<double>&) const;

}  // namespace heddle::weave
