#include "core/dispatch.hpp"
#include "formats/weave/segments/segments.hpp"
#include "simt/primitives/segment_sums.hpp"

namespace heddle::weave {

namespace {

template <class V, class S>
struct SegmentsView {
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
};

constexpr int threads = 128;
constexpr int warps = threads / simt::warp_size;

template <Keep keep, class T>
SIMT_DEVICE T load(const T* from) {
  return keep == Keep::matrix ? simt::cached_load(from) : simt::stream_load(from);
}

// Lines of 32 entries as a warp reads them, N at a time.
template <int N, Keep keep, class S>
struct Entries {
  Index col[N];
  S stored[N];

  // Every fourth line from `first` on, before `end`: those of a warp of a team.
  template <class V>
  SIMT_DEVICE void fetch(const SegmentsView<V, S>& A, Index first, Index end) {
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const Index line = first + i * warps;
      const std::int64_t at = std::int64_t{line} * simt::warp_size + simt::lane();
      col[i] = line < end ? load<keep>(A.col + at) : -1;
      stored[i] = line < end ? load_stored<keep>(A.values, at) : S{};
    }
  }
  SIMT_DEVICE void fetch_columns(const Index* columns, std::int64_t first) {
#pragma unroll
    for (int i = 0; i < N; ++i) col[i] = load<keep>(columns + (first + i) * simt::warp_size + simt::lane());
  }
  // Values wait for their columns as elements of x do, and come behind them: those are what the warp waits for longest.
  template <class V>
  SIMT_DEVICE void fetch_values(const CodedValues<V, S>& values, std::int64_t first) {
#pragma unroll
    for (int i = 0; i < N; ++i)
      stored[i] = col[i] >= 0 ? load_stored<keep>(values, (first + i) * simt::warp_size + simt::lane()) : S{};
  }
  // The same by lanes: N consecutive ones each.
  SIMT_DEVICE void fetch_own_columns(const Index* columns, std::int64_t first) { load_own(columns, first, col); }
  template <class V>
  SIMT_DEVICE void fetch_own_values(const CodedValues<V, S>& values, std::int64_t first) {
    if constexpr (!std::is_empty_v<S>) load_own(values.data, first, stored);
  }
  template <class V>
  SIMT_DEVICE void fetch_elements(const V* x, V (&element)[N]) const {
#pragma unroll
    for (int i = 0; i < N; ++i) element[i] = col[i] >= 0 ? simt::cached_load(x + static_cast<unsigned>(col[i])) : V(0);
  }
  template <class V>
  SIMT_DEVICE void multiply(const SegmentsView<V, S>& A, V (&product)[N]) const {
#pragma unroll
    for (int i = 0; i < N; ++i) product[i] = col[i] >= 0 ? A.values.decode(stored[i]) * product[i] : V(0);
  }
  // Element i. Places without an entry hold 0 where values are numbers, and meet a 0 of x; a code of a table may stand
  // for any value. (Without the choice above the kernel for all rows would run out of registers.)
  template <class V>
  SIMT_DEVICE V times(const SegmentsView<V, S>& A, int i, V element) const {
    const V product = A.values.decode(stored[i]) * element;
    return std::is_floating_point_v<S> || col[i] >= 0 ? product : V(0);
  }

 private:
  template <class T>
  SIMT_DEVICE static void load_own(const T* from, std::int64_t first, T (&to)[N]) {
    constexpr int P = piece_size<T, N>();
#pragma unroll
    for (int i = 0; i < N; i += P) {
      const auto pack = simt::cached_pack<P>(from + first * simt::warp_size + simt::lane() * N + i);
#pragma unroll
      for (int j = 0; j < P; ++j) to[i + j] = pack.at[j];
    }
  }
};

// Of all threads of the block, in the order of its warps; all get it.
template <class V>
SIMT_DEVICE V block_sum(V value, V* staged) {
  value = simt::warp_sum(value);
  if (simt::lane() == 0) staged[simt::warp()] = value;
  simt::sync_block();
  V sum = staged[0];
  for (int w = 1; w < warps; ++w) sum += staged[w];
  simt::sync_block();
  return sum;
}

// The piece of a row that has several teams. The last team to come adds them all up.
template <class V, class S>
SIMT_DEVICE void deliver_of_team(const SegmentsView<V, S>& A, const Team& team, const RowPieces& row, V piece,
                                 V* staged, const Update<V>& update) {
  Piece<V>* pieces = A.pieces + row.first_piece;
  if (simt::thread() == 0) {
    Piece<V>::leave(pieces + (simt::block() - row.first), piece);
    staged[0] = simt::arrive_last(&A.long_rows[team.long_row].arrived, row.count) ? V(1) : V(0);
  }
  simt::sync_block();
  const bool last = staged[0] != V(0);
  simt::sync_block();
  if (!last) return;
  V sum = 0;
  for (Index i = simt::thread(); i < row.count; i += threads) sum += Piece<V>::take(pieces + i);
  sum = block_sum(sum, staged);
  if (simt::thread() > 0) return;
  A.long_rows[team.long_row].arrived = 0;
  update(row.row, sum);
}

// The warps of a team take turns at the lines of its tiles, eight each at a time; the next ones are on their way while
// x is fetched for these.
template <int K, Keep keep, class V, class S>
SIMT_DEVICE void multiply_team(const SegmentsView<V, S>& A, const V* x, const Update<V>& update) {
  constexpr int N = team_lines, stride = N * warps;
  const Team team = A.team[simt::block()];
  const RowPieces row = team.long_row >= 0 ? A.long_rows[team.long_row] : RowPieces{};
  const Index end = team.tile * K + (team.entries + simt::warp_size - 1) / simt::warp_size;
  Index line = team.tile * K + simt::warp();
  Entries<N, keep, S> entries, next;
  V sum = 0;
  if (line < end) entries.fetch(A, line, end);
  if (team.long_row >= 0 && simt::thread() == 0)
    simt::fetch_ahead(A.pieces + row.first_piece + (simt::block() - row.first));
  for (; line < end; line += stride) {
    if (line + stride < end) next.fetch(A, line + stride, end);
    V product[N];
    entries.fetch_elements(x, product);
    entries.multiply(A, product);
#pragma unroll
    for (int i = 0; i < N; ++i) sum += product[i];
    entries = next;
  }
  sum = block_sum(sum, simt::shared<V>());
  if (team.long_row >= 0)
    deliver_of_team(A, team, row, sum, simt::shared<V>(), update);
  else if (simt::thread() == 0)
    update(team.row, sum);
}

// Of a multiprocessor at once: 64 registers a thread. (Twelve blocks: web in float 13.4 instead of 12.8 us, an R-MAT of
// scale 17 12.8 instead of 11.5; doubles are spilled, 26.2 instead of 19.3. Seven or six are as fast as eight; H200.)
constexpr int most_blocks = 8;

// The rows of a tile, whose sums are in order.
template <class V>
SIMT_DEVICE void write_rows(const SegmentTile& tile, const TileRows& rows, const V* sums, const Update<V>& update) {
  rows.each(tile.rows, [&](Index i, bool filled, Index number) {
    if (filled)
      update(tile.row + i, sums[number]);
    else
      update.without_entries(tile.row + i);
  });
}

// A warp a tile, behind the teams. Where there are none, a kernel that knows it is less code to fetch.
template <bool has_teams, int K, Keep keep, class V, class S>
SIMT_BOUNDED_KERNEL(threads, most_blocks)
weave_segments_warp_per_tile(SegmentsView<V, S> A, const V* x, Update<V> update) {
  if constexpr (has_teams)
    if (simt::block() < A.teams) return multiply_team<K, keep>(A, x, update);
  const std::int64_t t = simt::global_thread() / simt::warp_size - A.teams * warps;
  if (t >= A.tiles) return;
  V* staged = simt::shared<V>() + simt::warp() * staged_size<K>;
  const SegmentTile tile = A.tile[t];
  Entries<K, keep, S> entries;
  entries.fetch_columns(A.col, t * K);
  const unsigned ends = lane_ends<K>(A.row_end, t, simt::lane());
  const TileRows rows(A.filled, A.row_words, t);
  V product[K];
  entries.fetch_elements(x, product);
  entries.fetch_values(A.values, t * K);
  entries.multiply(A, product);
#pragma unroll
  for (int i = 0; i < K; ++i) staged[staged_place(i * simt::warp_size + simt::lane())] = product[i];
  simt::sync_warp();
#pragma unroll
  for (int i = 0; i < K; ++i) product[i] = staged[staged_place(simt::lane() * K + i)];
  simt::sync_warp();
  sum_segments(product, ends, staged);
  simt::sync_warp();
  write_rows(tile, rows, staged, update);
}

// A warp a tile of short rows, where no row has a team.
template <int K, class V, class S>
SIMT_BOUNDED_KERNEL(threads, most_blocks)
weave_segments_of_short_rows(SegmentsView<V, S> A, const V* x, Update<V> update) {
  const std::int64_t t = simt::global_thread() / simt::warp_size;
  if (t >= A.tiles) return;
  V* staged = simt::shared<V>() + simt::warp() * staged_size<K>;
  const SegmentTile tile = A.tile[t];
  Entries<K, Keep::matrix, S> entries;
  entries.fetch_own_columns(A.col, t * K);
  const unsigned ends = lane_ends<K>(A.row_end, t, simt::lane());
  TileRows rows(A.filled, A.row_words, t);
  V element[K];
  // x + 0, but a parameter would be fetched anew for every load. (Two registers that the kernel above has not.)
  entries.fetch_elements(simt::settled(x + (tile.rows >> 31)), element);
  entries.fetch_own_values(A.values, t * K);
  rows.arrive();
  sum_coming_segments<K>([&](V sum, int i) { return sum + entries.times(A, i, element[i]); }, ends, staged);
  simt::sync_warp();
  write_rows(tile, rows, staged, update);
}

template <class V, class S>
void start(simt::Here here, const Segments<V>& A, const CodedValues<V, S>& values, const Product<V>& p) {
  const SegmentsView<V, S> view{A.tiles.size(),
                                A.tiles.data(),
                                A.col.data(),
                                A.row_end.data(),
                                values,
                                A.filled.data(),
                                A.row_words,
                                const_cast<LongRow*>(A.long_rows.data()),
                                A.teams.data(),
                                A.teams.size(),
                                const_cast<Piece<V>*>(A.pieces.data())};
  dispatch_int<4, 8>(A.per_lane, [&](auto K) {
    const simt::Launch shape{view.teams + simt::blocks_for(view.tiles * simt::warp_size, threads), threads,
                             warps * staged_size<K.value> * sizeof(V), p.stream};
    dispatch_keep(A.keep, [&](auto keep) {
      if constexpr (keep.value == Keep::matrix) {
        if (A.short_rows && view.teams == 0)
          return simt::launch(here, shape, weave_segments_of_short_rows<K.value, V, S>, view, p.x, p.update);
        if (view.teams == 0)
          return simt::launch(here, shape, weave_segments_warp_per_tile<false, K.value, keep.value, V, S>, view, p.x,
                              p.update);
      }
      simt::launch(here, shape, weave_segments_warp_per_tile<true, K.value, keep.value, V, S>, view, p.x, p.update);
    });
  });
}

}  // namespace

template <class V>
void Segments<V>::multiply(simt::Here here, const Product<V>& p) const {
  values.visit_all([&](const auto& coded) { start(here, *this, coded, p); });
}

template void Segments<float>::multiply(simt::Here, const Product<float>&) const;
template void Segments<double>::multiply(simt::Here, const Product<double>&) const;

}  // namespace heddle::weave
