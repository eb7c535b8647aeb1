#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "formats/weave/weave_segments.hpp"

namespace heddle::weave {

namespace {

// A tile, entry by entry. Sums of rows go to y, pieces of long rows to A.pieces.
template <int K, class V, class S>
void multiply_tile(const Segments<V>& A, const CodedValues<V, S>& values, std::int64_t t, const Product<V>& p) {
  const SegmentTile tile = A.tiles[t];
  const std::int64_t base = t * simt::warp_size * K;
  auto* pieces = const_cast<Piece<V>*>(A.pieces.data());
  const auto leave = [&](Index number, V piece) {
    Piece<V>::leave(pieces + A.long_rows[number].first_piece + (t - A.long_rows[number].first), piece);
  };
  const auto is_filled = [&](Index row) { return A.filled.empty() || (A.filled[row / 32] >> row % 32 & 1) != 0; };
  Index row = tile.row;
  const Index end = tile.row + tile.rows;
  const auto pass_empty_rows = [&] {
    while (row < end && !is_filled(row)) p.update.without_entries(row++);
  };
  bool in_head = tile.head >= 0;
  V sum = 0;
  pass_empty_rows();
  for (int lane = 0; lane < simt::warp_size; ++lane) {
    const unsigned ends = lane_ends<K>(A.row_end.data(), t, lane);
    for (int i = 0; i < K; ++i) {
      const std::int64_t at = base + lane * K + i;
      if (A.col[at] < 0) continue;
      sum += values.value(at) * p.x[A.col[at]];
      if ((ends >> i & 1) == 0) continue;
      if (in_head) {
        leave(tile.head, sum);
        in_head = false;
      } else {
        p.update(row++, sum);
        pass_empty_rows();
      }
      sum = 0;
    }
  }
  if (in_head)
    leave(tile.head, sum);
  else if (tile.tail >= 0)
    leave(tile.tail, sum);
}

template <class V, class S>
void multiply_team(const Segments<V>& A, const CodedValues<V, S>& values, std::int64_t number, const Product<V>& p) {
  const Team& team = A.teams[number];
  const std::int64_t begin = std::int64_t{team.tile} * A.tile_entries();
  V sum = 0;
  for (std::int64_t at = begin; at < begin + team.entries; ++at) sum += values.value(at) * p.x[A.col[at]];
  if (team.long_row < 0) return p.update(team.row, sum);
  const LongRow& row = A.long_rows[team.long_row];
  Piece<V>::leave(const_cast<Piece<V>*>(A.pieces.data()) + row.first_piece + (number - row.first), sum);
}

}  // namespace

template <class V>
void Segments<V>::multiply(OnCpu, const Product<V>& p) const {
  dispatch_int<4, 8>(per_lane, [&](auto K) {
    values.visit_all([&](const auto& coded) {
      parallel_work(tiles.size(), tiles.size() * tile_entries(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) multiply_tile<K>(*this, coded, t, p);
      });
      parallel_work(teams.size(), col.size(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) multiply_team(*this, coded, i, p);
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
