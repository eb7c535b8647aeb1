#include "formats/weave/tiles/tiles_cut.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/parallel.hpp"
#include "simt/large_gpu.hpp"

namespace heddle::weave {

namespace {

// Entries 0, step, 2 step, .. of each column. Slabs of the entries are counted at the same time, as many as pay for
// their own counters.
Vector<Index> column_degrees(const PatternView& A, std::int64_t step) {
  const std::int64_t cols = A.cols, nnz = A.nnz();
  const std::int64_t slabs = std::clamp<std::int64_t>(nnz / (4 * std::max<std::int64_t>(cols, 1)), 1, 16);
  Vector<Index> count(static_cast<std::size_t>(slabs * cols), 0);
  parallel_tasks(slabs, [&](std::int64_t slab) {
    Index* mine = count.data() + slab * cols;
    const Offset begin = (nnz * slab / slabs + step - 1) / step * step;
    for (Offset k = begin; k < nnz * (slab + 1) / slabs; k += step) ++mine[A.col[k]];
  });
  parallel_ranges(cols, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slab = 1; slab < slabs; ++slab)
      for (std::int64_t c = begin; c < end; ++c)
        count[static_cast<std::size_t>(c)] += count[static_cast<std::size_t>(slab * cols + c)];
  });
  count.resize(static_cast<std::size_t>(cols));
  return count;
}

// Chunks of about equal numbers of entries; few when there are many tiles, for each of which a chunk has a counter.
Vector<std::int64_t> cut_rows(const PatternView& A, std::int64_t tiles) {
  constexpr std::int64_t entries = 1 << 16, most = 64, most_counters = 1 << 22;
  const std::int64_t chunks =
      std::clamp<std::int64_t>(std::min(A.nnz() / entries, most_counters / std::max<std::int64_t>(tiles, 1)), 1, most);
  Vector<std::int64_t> first{0};
  for (std::int64_t chunk = 1; chunk < chunks; ++chunk) {
    const auto at = std::lower_bound(A.ptr.begin(), A.ptr.end() - 1, A.nnz() * chunk / chunks);
    first.push_back(at - A.ptr.begin());
  }
  first.push_back(A.rows);
  return first;
}

std::int64_t loading_cost(std::int64_t columns) { return columns / 6; }

struct TileWork {
  std::int64_t units, cost;  // without loading the tile

  std::int64_t pieces(std::int64_t share) const { return std::min(units, (cost + share - 1) / share); }
};

// The work of a block. Of a large GPU every multiprocessor has one block at a time: with one block more than rounds *
// multiprocessors, most of them would idle for a whole round. So the share grows until the blocks fit the rounds, and
// of one and two rounds the one that ends first counts (small matrices: one, where loading weighs most).
std::int64_t fair_share(const Vector<TileWork>& tiles, std::int64_t loading) {
  constexpr std::int64_t multiprocessors = large_gpu_units;
  std::int64_t all = 0, filled = 0;
  for (const TileWork& tile : tiles) all += tile.cost, filled += tile.units > 0;
  const auto blocks = [&](std::int64_t share) {
    std::int64_t sum = 0;
    for (const TileWork& tile : tiles) sum += tile.pieces(share);
    return sum;
  };
  std::int64_t best = 1, least = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t rounds : {2, 1}) {
    const std::int64_t room = rounds * multiprocessors;
    std::int64_t share = std::max({all / room, loading, std::int64_t{1}});
    while (filled <= room && blocks(share) > room) share += share / 32 + 1;
    const std::int64_t time = (blocks(share) + multiprocessors - 1) / multiprocessors * (share + loading);
    if (time < least) best = share, least = time;
  }
  return best;
}

}  // namespace

ColumnPlaces::ColumnPlaces(const PatternView& A, ColumnOrder order) : size_(A.cols) {
  if (order == ColumnOrder::natural) return;
  const std::int64_t step = degree_step(A.nnz());
  Vector<Index> degree = column_degrees(A, 1);
  const Vector<Index> counted = step > 1 ? column_degrees(A, step) : degree;
  for (std::size_t c = 0; c < degree.size(); ++c)
    degree[c] = class_of_column(static_cast<std::uint32_t>(counted[c]), step, degree[c] > 0);
  Vector<Index> next(degree_classes, 0);  // place of the next column of the class
  for (const Index d : degree) ++next[static_cast<std::size_t>(d)];
  Index before = 0;
  for (auto d = next.rbegin(); d != next.rend(); ++d) before += std::exchange(*d, before);
  size_ = next[0];
  column_of.resize(static_cast<std::size_t>(size_));
  place_of_.resize(degree.size());
  for (std::size_t c = 0; c < degree.size(); ++c) {
    if (degree[c] == 0) continue;
    place_of_[c] = next[static_cast<std::size_t>(degree[c])]++;
    column_of[static_cast<std::size_t>(place_of_[c])] = static_cast<Index>(c);
  }
}

TileCut::TileCut(const PatternView& A, const TilesSettings& settings, int value_bytes)
    : places(A, settings.order),
      capacity(simt::warp_size * settings.per_lane),
      width(tile_width(settings, value_bytes)),
      tiles((places.size() + width - 1) / width),
      chunk_row(cut_rows(A, tiles)) {
  count_entries(A);
  count_partials(A);
  blocks = TileBlocks(starts(), width, places.size());
}

void TileCut::count_entries(const PatternView& A) {
  entry_start_.assign(static_cast<std::size_t>(chunks() * tiles), 0);
  parallel_tasks(chunks(), [&](std::int64_t chunk) {
    Offset* mine = entry_start_.data() + chunk * tiles;
    for (Offset k = A.ptr[chunk_row[chunk]]; k < A.ptr[chunk_row[chunk + 1]]; ++k)
      ++mine[static_cast<std::uint32_t>(places.of(A.col[k])) / static_cast<std::uint32_t>(width)];
  });
  tile_entries.assign(static_cast<std::size_t>(tiles), 0);
  for (std::int64_t chunk = 0; chunk < chunks(); ++chunk)
    for (std::int64_t t = 0; t < tiles; ++t) {
      Offset& start = entry_start_[chunk * tiles + t];
      tile_entries[t] += std::exchange(start, tile_entries[t]);
    }
  unit_start.push_back(0);
  for (const Offset entries : tile_entries)
    unit_start.push_back(unit_start.back() + (entries + capacity - 1) / capacity);
}

void TileCut::count_partials(const PatternView& A) {
  partial_start_.assign(static_cast<std::size_t>(chunks() * tiles), 0);
  row_start.assign(static_cast<std::size_t>(A.rows) + 1, 0);
  parallel_tasks(chunks(), [&](std::int64_t chunk) {
    Offset* mine = partial_start_.data() + chunk * tiles;
    walk(
        A, chunk, [](auto...) {},
        [&](std::uint32_t tile, Offset, std::int64_t row) {
          ++mine[tile];
          ++row_start[row + 1];
        });
  });
  Offset before = 0;
  for (std::int64_t t = 0; t < tiles; ++t)
    for (std::int64_t chunk = 0; chunk < chunks(); ++chunk)
      before += std::exchange(partial_start_[chunk * tiles + t], before);
  for (std::int64_t row = 0; row < A.rows; ++row) {
    if (row_start[row + 1] > few_partials) long_rows.push_back(static_cast<Index>(row));
    row_start[row + 1] += row_start[row];
  }
}

TileStarts TileCut::starts() const {
  TileStarts found{{0}, unit_start, {}};
  for (std::int64_t t = 0; t < tiles; ++t) {
    found.entry.push_back(found.entry.back() + tile_entries[t]);
    found.partial.push_back(partial_start_[t]);
  }
  found.partial.push_back(partials());
  return found;
}

TileBlocks::TileBlocks(const TileStarts& starts, std::int64_t width, std::int64_t columns) {
  struct Costed {
    TileBlock block;
    std::int64_t cost;
  };
  const std::int64_t tiles = starts.tiles();
  Vector<TileWork> work;
  for (std::int64_t t = 0; t < tiles; ++t)
    work.push_back({starts.unit[t + 1] - starts.unit[t],
                    starts.entry[t + 1] - starts.entry[t] + 2 * (starts.partial[t + 1] - starts.partial[t])});
  const std::int64_t share = fair_share(work, loading_cost(std::min(width, columns)));
  Vector<Costed> made;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t units = work[t].units, pieces = work[t].pieces(share);
    const std::int64_t tile_columns = std::min(width, columns - t * width);
    for (std::int64_t i = 0; i < pieces; ++i) {
      const std::int64_t begin = starts.unit[t] + units * i / pieces, end = starts.unit[t] + units * (i + 1) / pieces;
      made.push_back({{static_cast<Index>(t * width), static_cast<Index>(tile_columns), static_cast<Index>(begin),
                       static_cast<Index>(end - begin)},
                      loading_cost(tile_columns) + work[t].cost / pieces});
    }
  }
  std::stable_sort(made.begin(), made.end(), [](const Costed& a, const Costed& b) { return a.cost > b.cost; });
  for (const Costed& costed : made) list.push_back(costed.block);
}

int TileBlocks::warps() const {
  Index most = 1;
  for (const TileBlock& block : list) most = std::max(most, block.units);
  return std::min(most, most_warps);
}

Index TileBlocks::widest() const {
  Index most = 0;
  for (const TileBlock& block : list) most = std::max(most, block.columns);
  return most;
}

}  // namespace heddle::weave
