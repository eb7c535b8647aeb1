// How kernels cut the chunks of a matrix into tiles and teams (segments_cut.hpp): a block has a chunk.
#pragma once

#include "formats/weave/segments/segments_cut.hpp"
#include "simt/csr/device_csr.hpp"

namespace heddle::weave {

namespace {

constexpr int cut_threads = 256;

// The lanes of a warp look at every eighth row, then at the eight that are left. How many rows a tile has that begins
// with a row is known for all rows of the chunk, so that nobody searches on the way from tile to tile (`wave`, 70 tiles
// a chunk: counted in 24 instead of 30 us, cut in 29 instead of 41; H200).
struct WarpSearch {
  static constexpr int stride = 8;
  const std::uint16_t* of_tile;

  SIMT_DEVICE std::int64_t rows_of_tile(const CutRule&, const Offset*, std::int64_t at, std::int64_t) const {
    return of_tile[at];
  }

  SIMT_DEVICE static bool writes() { return simt::lane() == 0; }
  SIMT_DEVICE static int lane() { return simt::lane(); }
  SIMT_DEVICE static int lanes() { return simt::warp_size; }
  SIMT_DEVICE static std::int64_t rows_that_fit(const Offset* ptr, std::int64_t most, Offset room) {
    const std::int64_t coarse = (simt::lane() + 1) * stride;
    const std::int64_t low = stride * simt::count_bits(simt::ballot(coarse <= most && ptr[coarse] - ptr[0] <= room));
    const std::int64_t fine = low + 1 + simt::lane();
    const bool fits = simt::lane() < stride && fine <= most && ptr[fine] - ptr[0] <= room;
    return low + simt::count_bits(simt::ballot(fits));
  }
};

// By a warp: the first row of a chunk. The rows that are left are looked at in 32 places at a time.
SIMT_DEVICE std::int64_t first_row(const PatternArrays& A, const CutRule& rule, std::int64_t chunk) {
  std::int64_t begin = 0, end = A.rows;
  while (begin < end) {
    const std::int64_t step = (end - begin + simt::warp_size - 1) / simt::warp_size, row = begin + simt::lane() * step;
    const int before = simt::count_bits(simt::ballot(row < end && rule.before_chunk(chunk, row, A.ptr)));
    if (before == 0) return begin;
    const std::int64_t behind = begin + before * step;
    begin = behind - step + 1;
    end = behind < end ? behind : end;
  }
  return begin;
}

// The first row of every chunk, and the end of the last; found out by those who count.
SIMT_DEVICE void find_limits(const PatternArrays& A, const CutRule& rule, std::int64_t chunk, std::int64_t chunks,
                             std::int64_t* first_rows) {
  if (simt::warp() < 2) {
    const std::int64_t limit = chunk + simt::warp(), row = first_row(A, rule, limit);
    auto* limits = simt::shared<std::int64_t>();
    if (simt::lane() == 0) limits[simt::warp()] = row;
    if (simt::lane() == 0 && (simt::warp() == 0 || limit == chunks)) first_rows[limit] = row;
  }
  simt::sync_block();
}

// A block brings the beginnings of its chunk's rows into shared memory, where one warp of it cuts: from tile to tile
// there is only one way. In a plain chunk no row has a team. There the way is short, from the first
// row of a tile to that of the next, and when it is known the tiles are written by everybody (a chunk of `wave` has 70:
// most of the 16 and 21 us that counting and cutting took went to that one warp; H200).
struct ChunkRows {
  std::int64_t first, rows;
  Offset* ptr;
  std::uint16_t* of_tile;  // how many rows a tile has that begins with this one
  std::uint16_t* begin;    // of a plain chunk: the first row of each tile, and the end; before it their number
  int tiles = -1;          // of a plain chunk

  // Of the tiles of a plain chunk some have no room for another row; any two neighbours of the others have more entries
  // than fit one.
  static std::int64_t most_plain_tiles(const CutRule& rule) {
    return 2 * (rule.chunk_weight / rule.capacity + 1) + rule.most_rows_of_chunk() / rule.most_rows + 1;
  }
  static std::size_t shared_bytes(const CutRule& rule) {
    const auto most = static_cast<std::size_t>(rule.most_rows_of_chunk());
    return (most + 3) * sizeof(Offset) +
           (most + static_cast<std::size_t>(most_plain_tiles(rule)) + 2) * sizeof(std::uint16_t);
  }

  SIMT_DEVICE ChunkRows(const PatternArrays& A, const CutRule& rule, std::int64_t chunk, std::int64_t first_row,
                        std::int64_t end)
      : first(first_row), rows(end - first_row) {
    if (rows < 0 || rows > rule.most_rows_of_chunk()) rows = 0;
    ptr = simt::shared<Offset>() + 2;
    of_tile = reinterpret_cast<std::uint16_t*>(ptr + rule.most_rows_of_chunk() + 1);
    begin = of_tile + rule.most_rows_of_chunk() + 1;
    bring(A);
    simt::sync_block();
    if (fill_tiles(rule, chunk)) walk_plain();
  }

 private:
  SIMT_DEVICE void bring(const PatternArrays& A) {
    constexpr int at_once = 8;
    for (std::int64_t i = simt::thread(); i <= rows; i += at_once * cut_threads) {
      Offset some[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u)
        some[u] = A.ptr[first + (i + u * cut_threads <= rows ? i + u * cut_threads : rows)];
#pragma unroll
      for (int u = 0; u < at_once; ++u)
        if (i + u * cut_threads <= rows) ptr[i + u * cut_threads] = some[u];
    }
  }
  // Whether the chunk is plain. Where its rows are not in order, or not its own, the arrays are no matrix: then it has
  // none, and whoever walks along rows comes to an end.
  SIMT_DEVICE bool fill_tiles(const CutRule& rule, std::int64_t chunk) {
    enum : unsigned { is_long = 1, wrong = 2 };
    unsigned found = 0;
    for (std::int64_t i = simt::thread(); i < rows; i += cut_threads) {
      of_tile[i] = static_cast<std::uint16_t>(Halving::rows_of_tile(rule, ptr, i, rows));
      found |= ptr[i + 1] - ptr[i] > rule.capacity ? is_long : 0u;
      const Offset weight = ptr[i] + (first + i) * rule.row_weight - chunk * rule.chunk_weight;
      found |= ptr[i + 1] < ptr[i] || weight < 0 || weight >= rule.chunk_weight ? wrong : 0u;
    }
    auto* of_warps = simt::shared<std::uint16_t>();
    static_assert(cut_threads / simt::warp_size * sizeof *of_warps <= 2 * sizeof(Offset));
    const bool any_long = simt::any((found & is_long) != 0), any_wrong = simt::any((found & wrong) != 0);
    if (simt::lane() == 0)
      of_warps[simt::warp()] = static_cast<std::uint16_t>((any_long ? is_long : 0u) | (any_wrong ? wrong : 0u));
    simt::sync_block();
    found = 0;
    for (int w = 0; w < cut_threads / simt::warp_size; ++w) found |= of_warps[w];
    if ((found & wrong) != 0) rows = 0;
    return rows == 0 || (found & is_long) == 0;
  }
  SIMT_DEVICE void walk_plain() {
    if (simt::thread() == 0) {
      int t = 0, row = 0;
      for (; row < rows; row += of_tile[row]) begin[t++] = static_cast<std::uint16_t>(row);
      begin[t] = static_cast<std::uint16_t>(row);
      begin[-1] = static_cast<std::uint16_t>(t);
    }
    simt::sync_block();
    tiles = begin[-1];
  }
};

// What comes out of a chunk; how many of its rows have no entries, and whether it is plain. Of all chunks: how many
// are.
struct ChunkFound {
  CutSizes sizes;
  std::int32_t empty_rows = 0, plain = 0;

  SIMT_BOTH void add(const ChunkFound& other) {
    sizes.add(other.sizes);
    empty_rows += other.empty_rows;
    plain += other.plain;
  }
};

// Where chunks begin, and, where they are stored without being cut again, where the tiles of plain ones do: as
// ChunkRows has it.
struct ChunkCuts {
  std::int64_t* first_rows;
  std::uint16_t* begins;  // null: they are cut again
  std::int64_t of_chunk;  // room for so many
};

// What comes out of all chunks before this one. The block calls it together.
SIMT_DEVICE CutSizes sizes_before(const ChunkFound* found, std::int64_t chunk) {
  CutSizes sum;
  for (std::int64_t i = simt::thread(); i < chunk; i += cut_threads) sum.add(found[i].sizes);
  sum = {simt::warp_sum(sum.tiles), simt::warp_sum(sum.long_rows), simt::warp_sum(sum.teams),
         simt::warp_sum(sum.team_tiles), simt::warp_sum(sum.pieces)};
  auto* of_warps = simt::shared<CutSizes>();
  if (simt::lane() == 0) of_warps[simt::warp()] = sum;
  simt::sync_block();
  sum = {};
  for (int w = 0; w < cut_threads / simt::warp_size; ++w) sum.add(of_warps[w]);
  simt::sync_block();
  return sum;
}

}  // namespace

}  // namespace heddle::weave
