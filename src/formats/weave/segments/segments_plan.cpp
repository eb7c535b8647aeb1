// What layout=segments costs a GPU.
#include <algorithm>
#include <cmath>

#include "cost/row_counts.hpp"
#include "formats/weave/segments/segments_cut.hpp"
#include "formats/weave/weave_counts.hpp"

namespace heddle::weave_counts {

namespace {

// A tile ends with a row: half a row is empty, that of the typical entry. Longer rows have tiles to themselves.
double row_aligned_tiles(const Subject& s, double tile) {
  const ShortRowSums rows = rows_up_to(s.facts.rows_len, static_cast<std::int64_t>(tile));
  const double typical = rows.entries > 0 ? rows.squares / rows.entries : 0;
  const double used = std::max(tile - typical / 2, typical > 0 ? std::floor(tile / typical) * typical : 0);
  return rows.entries / used + (s.nnz() - rows.entries) / tile + (s.rows() - rows.rows) / 2;
}

}  // namespace

// Tiles of 32 * K entries, row-aligned, of a limited number of rows; rows longer than a tile are worked on by blocks of
// threads, 1,024 entries a step, which leave half a tile before them and, beyond two steps, put pieces together.
Workload counted(const Subject& s, const weave::SegmentsSettings& settings, const EstimatedValues& values) {
  const double per_lane = settings.per_lane, tile = 32 * per_lane;
  const weave::CutRule rule(shape_of(s), static_cast<int>(tile));
  const double rows_of_tile = rule.most_rows;
  const double tiles = std::max(row_aligned_tiles(s, tile), s.rows() / rows_of_tile);
  const double listed = s.facts.rows_len.empty > 0 ? tiles * rows_of_tile / 8 : 0;
  const double value = values.least;
  Workload w = stored_as(s, tiles * tile, index_bytes + 0.125, value, tiles * 8 + listed);
  look_up_values(w, value);
  w.sectors += s.nnz() * s.gather().entries;
  w.teams = tiles;
  w.chain = per_lane + std::min(rows_of_tile, s.rows() / tiles) / 32;
  if (s.facts.rows_len.empty > 0) {  // sums are not in the places of their rows: each has to find its own
    constexpr double finding = 6, among_many = 14, rank = 1;
    w.chain += finding + among_many * std::min(1.0, s.rows() / tiles / lanes_of_warp);
    w.slots += rank * s.rows();
  }
  if (s.longest() > tile) {
    constexpr double step = weave::CutRule::team_step, pieces = 10;  // to lay pieces down and find them again
    const bool whole = s.longest() <= 2 * step;
    w.chain += whole ? std::ceil(s.longest() / step) * 8 : pieces + s.longest() / step / 16;
  }
  return w;
}

}  // namespace heddle::weave_counts
