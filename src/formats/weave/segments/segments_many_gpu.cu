#include "core/dispatch.hpp"
#include "formats/weave/segments/segments.hpp"
#include "layout/many.hpp"
#include "simt/primitives/segment_sums.hpp"

namespace heddle::weave {

namespace {

template <class V, class S>
struct SegmentsOfMany {
  std::int64_t tiles;
  const SegmentTile* tile;
  const Index* col;
  const std::uint8_t* row_end;
  CodedValues<V, S> values;
  const std::uint32_t* filled;  // null: every row has entries
  int row_words;
  LongRow* long_rows;
  const Team* team;
  std::int64_t teams;
  Piece<V>* pieces;
  std::int64_t pieces_of_vector;

  SIMT_DEVICE Piece<V>* piece(const RowPieces& row, int vector) const {
    return pieces + vector * pieces_of_vector + row.first_piece;
  }
};

// The pieces of all vectors are laid down; the last team of the row to come adds them up.
template <class V, class S>
SIMT_DEVICE void finish_long_row(const SegmentsOfMany<V, S>& A, Index number, const UpdateMany<V>& update) {
  const RowPieces row = A.long_rows[number];
  int last = 0;
  if (simt::lane() == 0) last = simt::arrive_last(&A.long_rows[number].arrived, row.count) ? 1 : 0;
  if (simt::shuffle(last, 0) == 0) return;
  for (int j = 0; j < update.count; ++j) {
    Piece<V>* pieces = A.piece(row, j);
    V sum = 0;
    for (Index i = simt::lane(); i < row.count; i += simt::warp_size) sum += Piece<V>::take(pieces + i);
    sum = simt::warp_sum(sum);
    if (simt::lane() == 0) update.row(row.row, j, sum, true);
  }
  if (simt::lane() == 0) A.long_rows[number].arrived = 0;
}

constexpr int threads = 128;
constexpr int warps = threads / simt::warp_size;

// The sums of a team for K vectors from `first` on: to y, or laid down as pieces.
template <int K, class V, class S>
SIMT_DEVICE void deliver_of_team(const SegmentsOfMany<V, S>& A, const Team& team, V (&sum)[K], int first,
                                 const UpdateMany<V>& update) {
  V* sums = simt::shared<V>();
#pragma unroll
  for (int j = 0; j < K; ++j) {
    sum[j] = simt::warp_sum(sum[j]);
    if (simt::lane() == 0) sums[simt::warp() * K + j] = sum[j];
  }
  simt::sync_block();
  const int j = simt::thread();
  if (j < K && first + j < update.count) {
    V whole = 0;
    for (int w = 0; w < warps; ++w) whole += sums[w * K + j];
    if (team.long_row < 0) {
      update.row(team.row, first + j, whole, true);
    } else {
      const RowPieces row = A.long_rows[team.long_row];
      Piece<V>::leave(A.piece(row, first + j) + (simt::block() - row.first), whole);
    }
  }
  simt::sync_block();
}

// A block of threads, K vectors at a time.
template <class V, class S>
SIMT_DEVICE void multiply_team(const SegmentsOfMany<V, S>& A, int tile_entries, const VectorsView<V>& x,
                               const UpdateMany<V>& update) {
  constexpr int K = many_pack<V>;
  const Team team = A.team[simt::block()];
  const std::int64_t begin = std::int64_t{team.tile} * tile_entries, end = begin + team.entries;
  for (int first = 0; first < x.count; first += K) {
    V sum[K] = {};
    for (std::int64_t at = begin + simt::thread(); at < end; at += threads) {
      V element[K] = {};
      load_elements(x, simt::cached_load(A.col + at), first, element);
      const V value = A.values.decode(load_stored<Keep::matrix>(A.values, at));
#pragma unroll
      for (int j = 0; j < K; ++j)
        if (first + j < x.count) sum[j] += value * element[j];
    }
    deliver_of_team(A, team, sum, first, update);
  }
  if (team.long_row >= 0 && simt::warp() == 0) finish_long_row(A, team.long_row, update);
}

// A warp a tile, behind the teams: its entries stay in registers for all vectors.
template <int E, class V, class S>
SIMT_KERNEL weave_segments_many_warp_per_tile(SegmentsOfMany<V, S> A, VectorsView<V> x, UpdateMany<V> update) {
  constexpr int entries = simt::warp_size * E, K = many_pack<V>;
  if (simt::block() < A.teams) return multiply_team(A, entries, x, update);
  const std::int64_t t = simt::global_thread() / simt::warp_size - A.teams * warps;
  if (t >= A.tiles) return;
  V* staged = simt::shared<V>() + simt::warp() * staged_size<E>;
  const SegmentTile tile = A.tile[t];
  Index col[E];
  V value[E];
#pragma unroll
  for (int i = 0; i < E; ++i) {
    const std::int64_t at = t * entries + i * simt::warp_size + simt::lane();
    col[i] = simt::stream_load(A.col + at);
    value[i] = A.values.decode(load_stored<Keep::nothing>(A.values, at));
  }
  const unsigned ends = lane_ends<E>(A.row_end, t, simt::lane());
  const TileRows rows(A.filled, A.row_words, t);
  for (int first = 0; first < x.count; first += K) {
    V element[E][K] = {};
#pragma unroll
    for (int i = 0; i < E; ++i)
      if (col[i] >= 0) load_elements(x, col[i], first, element[i]);
#pragma unroll
    for (int j = 0; j < K; ++j) {
      if (first + j >= x.count) break;
      V product[E];
#pragma unroll
      for (int i = 0; i < E; ++i)
        staged[staged_place(i * simt::warp_size + simt::lane())] = col[i] >= 0 ? value[i] * element[i][j] : V(0);
      simt::sync_warp();
#pragma unroll
      for (int i = 0; i < E; ++i) product[i] = staged[staged_place(simt::lane() * E + i)];
      simt::sync_warp();
      sum_segments(product, ends, staged);
      simt::sync_warp();
      rows.each(tile.rows, [&](Index i, bool filled, Index number) {
        update.row(tile.row + i, first + j, filled ? staged[number] : V(0), filled);
      });
      simt::sync_warp();
    }
  }
}

template <class V, class S>
void start(simt::Here here, const Segments<V>& A, const CodedValues<V, S>& values, const ProductMany<V>& p) {
  const SegmentsOfMany<V, S> view{A.tiles.size(),
                                  A.tiles.data(),
                                  A.col.data(),
                                  A.row_end.data(),
                                  values,
                                  A.filled.data(),
                                  A.row_words,
                                  const_cast<LongRow*>(A.long_rows.data()),
                                  A.teams.data(),
                                  A.teams.size(),
                                  const_cast<Piece<V>*>(A.pieces.data()),
                                  A.pieces.size() / A.vectors};
  dispatch_int<4, 8>(A.per_lane, [&](auto E) {
    const simt::Launch shape{view.teams + simt::blocks_for(view.tiles * simt::warp_size, threads), threads,
                             warps * staged_size<E.value> * sizeof(V), p.stream};
    simt::launch(here, shape, weave_segments_many_warp_per_tile<E.value, V, S>, view, p.x, p.update);
  });
}

}  // namespace

template <class V>
bool Segments<V>::multiply_many(simt::Here here, const ProductMany<V>& p) const {
  if (!long_rows.empty() && vectors < p.x.count) return false;
  values.visit_all([&](const auto& coded) { start(here, *this, coded, p); });
  return true;
}

template bool Segments<float>::multiply_many(simt::Here, const ProductMany<float>&) const;
template bool Segments<double>::multiply_many(simt::Here, const ProductMany<double>&) const;

}  // namespace heddle::weave
