// Weave on a GPU: one count for each of its layouts. Settings that a plan leaves open are those the format picks by
// itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "cost/row_counts.hpp"
#include "formats/weave/weave.hpp"
#include "formats/weave/weave_plan.hpp"
#include "formats/weave/weave_rules.hpp"

namespace heddle::weave_counts {

namespace {

weave::MatrixShape shape_of(const Subject& s) { return {s.facts.rows, s.facts.cols, s.facts.nnz}; }
bool stays_in_cache(const Subject& s) { return weave::stays_in_cache(shape_of(s), s.value_bytes); }

// Whether values are looked at for a shorter form: small matrices keep theirs as they are.
bool coded(const Subject& s, const WeaveSettings& settings) { return small_values_pay(settings, s.facts.nnz); }
bool is_raw(const WeaveSettings& settings) { return settings.values == ValueCodec::raw; }
bool may_have_table(const Subject& s, const WeaveSettings& settings) {
  if (is_raw(settings)) return false;
  return codecs_of(settings, shape_of(s), s.value_bytes).tables || settings.values == ValueCodec::dictionary;
}

// Four entries a thread and step.
double long_places(const Subject& s, double team) {
  return rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, static_cast<std::int64_t>(4 * team));
}
// Of rows cut into fours.
double quad_places(const Subject& s, double team) {
  const double run = std::max(1.0, s.facts.columns.mean_run), of_entry = run < 4 ? 4 / run : 1 + 1.5 / run;
  return std::max(long_places(s, team), of_entry * long_places(s, team / of_entry));
}

// The fewer rows a slice has, the less they differ; from slices of 32 and of 128.
double slice_padding(const Subject& s, double slice_rows) {
  if (slice_rows > 32) return padding_of(s.facts, static_cast<int>(slice_rows), 1);
  return 1 + (padding_of(s.facts, 32, 1) - 1) * std::log2(slice_rows) / 5;
}
double sorted_padding(const Subject& s, double slice_rows) {
  return std::min(slice_padding(s, slice_rows), 1 + (padding_of(s.facts, 32, 1024) - 1) * slice_rows / 32);
}

// What settling asks of a matrix, from the facts of analyze.
class Estimates final : public weave::PatternFacts {
 public:
  explicit Estimates(const Subject& s) : PatternFacts(shape_of(s)), s_(s) {}

  std::int64_t longest() override { return s_.facts.rows_len.max; }
  double diagonal_fill() override { return s_.facts.diagonals.slice_fill; }
  double block_fill(int size) override { return fill_of(s_.facts, size); }
  weave::BlockSizes full_blocks(weave::BlockSizes) override { return {}; }  // nobody knows of all
  double slice_fill(TeamShape shape, std::int64_t sort) override {
    return sort > 1 ? sorted_padding(s_, shape.slice_rows()) : slice_padding(s_, shape.slice_rows());
  }
  std::int64_t team_steps(int threads) override { return std::llround(long_places(s_, threads) / (4 * threads)); }
  std::int64_t quad_steps(int threads) override { return std::llround(quad_places(s_, threads) / (4 * threads)); }
  bool rows_are_runs() override {
    constexpr double followed = 1 << 14;  // entries of a row that analyze looks at (analyze/windows.hpp)
    return std::max(1.0, s_.facts.columns.mean_run) > 0.99 * std::min(shape().mean(), followed);
  }
  double sectors_per_fetch() override { return simt::warp_size * s_.facts.gather_f32.entries; }
  ColumnTiles column_tiles(std::int64_t) override {
    return {s_.facts.columns.tile_rows, s_.facts.columns.tile_rows_by_degree};
  }

 private:
  const Subject& s_;
};

}  // namespace

WeaveSettings settled(const Subject& s, const Plan& plan) {
  WeaveSettings settings;
  read_settings(settings.fields(), plan);
  settings.layout.fill(WeaveLayout::segments);
  Estimates estimates(s);
  choose_weave(settings, estimates, s.value_bytes);
  return settings;
}

double stored_value(const Subject& s, const WeaveSettings& settings) {
  const Structure& f = s.facts;
  if (may_have_table(s, settings) && !f.distinct_capped && f.distinct_values <= 256) return 1;
  return coded(s, settings) && !is_raw(settings) && f.f32_exact ? 4 : s.value_bytes;
}

double least_value(const Subject& s, const WeaveSettings& settings) {
  const Structure& f = s.facts;
  const double stored = stored_value(s, settings);
  if (!coded(s, settings) || is_raw(settings)) return stored;
  if (f.distinct_values == 1 && !f.distinct_capped) return 0;
  const bool few = may_have_table(s, settings) && f.distinct_guess <= dictionary16_pays<double>;
  return stored == sizeof(double) && few ? 2 : stored;
}

bool is_constant(const Subject& s, const WeaveSettings& settings) {
  const Structure& f = s.facts;
  return coded(s, settings) && settings.values != ValueCodec::dictionary && f.diagonals.full > 0 &&
         f.diagonals.constant == f.diagonals.full && f.diagonals.full_share > 0.99;
}

double fill_of(const Structure& facts, int size) {
  for (const BlockFill& b : facts.blocks)
    if (b.r == size && b.c == size) return b.fill;
  return size * size;
}

int best_block(const Structure& facts) {
  return weave::best_block(std::numeric_limits<double>::infinity(), [&](int size) { return fill_of(facts, size); });
}

namespace {

constexpr double short_column = 2;

// The loads of the matrix alone; columns take `column` bytes.
Workload stored_as(const Subject& s, double places, double column, double value, double beside) {
  Workload w = start(s, places * (column + value) + beside, places, places);
  w.sectors = places * (column + value) / sector_bytes;
  if (value == 2) w.bytes += dictionary16_size * sizeof(double);  // of which the part in use is read
  return w;
}

// A value of a table is one more fetch that waits for the code (H200: elasticity in blocks takes 1.3 to 1.5 times what
// its bytes would).
void look_up_values(Workload& w, double value) {
  if (value == 1) w.slots *= 1.6;
}

// 128 rows a slice, a warp each or, in a small matrix, four; x is read in step with the rows.
Workload diagonals(const Subject& s, const WeaveSettings& settings) {
  const Diagonals& d = s.facts.diagonals;
  const double places = s.nnz() * std::max(1.0, d.slice_fill);
  const double value =
      is_constant(s, settings) && !is_raw(settings) ? s.value_bytes / 128.0 : stored_value(s, settings);
  Workload w = stored_as(s, places, 0, value, s.rows() / 128 * 16);
  w.sectors += places * s.value_bytes / sector_bytes;
  const bool thread_per_row = settings.diagonals.per_lane == 1;
  // A thread with one row has many diagonals under way; their masks and x wait for the list all the same, and the next
  // ones for both (H200, 2.4 us with 9 diagonals in a row, 6.5 with 54, 9.7 with 81).
  const double of_row = s.rows() > 0 ? places / s.rows() : 0;
  w.teams = s.rows() / (thread_per_row ? 32 : 128);
  w.chain = thread_per_row ? of_row / 5.5 + std::max(0.0, of_row - 8) * 0.1 : of_row;
  if (d.slice_fill > 1.1) w.chain *= 1.8;  // masks differ from slice to slice
  if (value == 1) w.slots *= 3;            // one more fetch a place, from the table
  // Slices with the same diagonals share a list of them; where each has its own, lists are what takes long to build.
  w.listed = static_cast<double>(d.patterns) * (w.stored / std::max(1.0, s.rows()));
  return w;
}

Workload blocks(const Subject& s, const WeaveSettings& settings) {
  const double size = settings.blocks.block, fill = fill_of(s.facts, settings.blocks.block), places = s.nnz() * fill;
  const double count = places / (size * size), block_rows = std::ceil(s.rows() / size);
  const double lanes = settings.blocks.lanes;
  // Slices are as wide as their longest row of blocks, in whole steps of the lanes that share it.
  const double of_row = std::max(1.0, count / std::max(1.0, block_rows));
  const double uneven = std::max(padding_of(s.facts, 32, 1), up(of_row, lanes) / of_row);
  const double mask = fill > 1.001 ? 4 : 0, value = stored_value(s, settings);
  Workload w = stored_as(s, places * uneven, (short_column + mask) / (size * size), value, block_rows / 2);
  look_up_values(w, value);
  w.sectors += count * std::max(1.0, size * s.value_bytes / sector_bytes);
  w.teams = block_rows * lanes / lanes_of_warp;
  w.chain = std::ceil(s.longest() / size / lanes);
  if (mask > 0) {  // places are asked for one by one: xenon1 takes 7.2 us where full blocks would take 4.6 (H200)
    w.slots *= 2.5;
    w.chain *= 2;
  }
  return w;
}

// Steps that wait for memory, each as long as two or three of those that wait for each other.
double row_chain(const Subject& s, const weave::RowsTeam& team) {
  const double steps = std::ceil(s.longest() / team.lanes);
  const bool few =
      stays_in_cache(s) && team.per_lane == 1 && s.rows() <= team.slice_rows() * weave::RowsTeam::few_slices;
  if (!few) return steps;
  const double most = s.value_bytes == 4 ? weave::RowsTeam::most_at_once<float> : weave::RowsTeam::most_at_once<double>;
  return std::min(steps, steps <= most ? 2.5 : 2.5 * std::ceil(steps / weave::RowsTeam::steps_at_once));
}

// Columns in 8 bits, with four windows of 64 for every step: no fact says how many slices have them. Those whose steps
// read neighbours, or whose rows have few columns between them.
bool have_bytes(const Subject& s, const weave::RowsTeam& team) {
  const Gather& reads = s.facts.gather_f64;
  const double columns_of_slice = 4 * reads.window * s.facts.rows_len.mean * std::max(256, team.slice_rows());
  return reads.rows < 0.3 || columns_of_slice < 512;
}

// Of rows in the order of their lengths, in windows of 1,024: every block that has some of a window reads the x of all
// of it, and each row has a sector of y to itself. Where bytes come from memory that costs nothing beside them (band of
// 3.3 M entries in the L2: 15.2 us in double, foretold 11.2 without; of 10 M 38, foretold 44; H200), unless rows are
// short: then the sectors are not much less than the matrix (700,000 rows of 6 25.0 us, foretold 17.4).
double sorted_traffic(const Subject& s, const weave::RowsTeam& team) {
  constexpr double window = 1024;
  if (!stays_in_cache(s)) return team.lanes == 1 ? s.rows() * (sector_bytes - s.value_bytes) : 0;
  const double threads = std::clamp(s.rows() / team.slice_rows() * lanes_of_warp / 264, 64.0, 256.0);
  const double blocks_of_window = window * lanes_of_warp / (threads * team.slice_rows());
  return s.rows() * (s.value_bytes * std::max(0.0, blocks_of_window - 1) + sector_bytes - s.value_bytes);
}

Workload rows(const Subject& s, const WeaveSettings& settings) {
  const weave::RowsTeam team{settings.rows.lanes, settings.rows.per_lane};
  const double slice_rows = team.slice_rows();
  const bool sorts = settings.rows.sort > 1;
  const double whole_steps = rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, team.lanes);
  const double near = s.facts.columns.slices16;
  const double column = settings.rows.in_bytes() && have_bytes(s, team)
                            ? 1 + 16 / (32.0 * team.per_lane)
                            : near * short_column + (1 - near) * index_bytes;
  const double value = least_value(s, settings);
  Workload w = stored_as(s, whole_steps * (sorts ? sorted_padding(s, slice_rows) : slice_padding(s, slice_rows)),
                         column, value, s.rows() / slice_rows * 40 + s.rows() * (sorts ? 4 : 0));
  look_up_values(w, value);
  w.sectors += gathered(s, team.lanes);
  if (sorts) w.stream_bytes += sorted_traffic(s, team);
  w.teams = s.rows() * team.lanes / lanes_of_warp / 2;
  w.chain = row_chain(s, team) + (sorts && team.per_lane == 1 ? 1 : 0);  // where sums go has to be asked for
  return w;
}

// A tile ends with a row: half a row is empty, that of the typical entry. Longer rows have tiles to themselves.
double row_aligned_tiles(const Subject& s, double tile) {
  const ShortRowSums rows = rows_up_to(s.facts.rows_len, static_cast<std::int64_t>(tile));
  const double typical = rows.entries > 0 ? rows.squares / rows.entries : 0;
  const double used = std::max(tile - typical / 2, typical > 0 ? std::floor(tile / typical) * typical : 0);
  return rows.entries / used + (s.nnz() - rows.entries) / tile + (s.rows() - rows.rows) / 2;
}

// Tiles of 32 * K entries, row-aligned, of a limited number of rows; rows longer than a tile are worked on by blocks of
// threads, 1,024 entries a step, which leave half a tile before them and, beyond two steps, put pieces
// together.
Workload segments(const Subject& s, const WeaveSettings& settings) {
  const double per_lane = settings.segments.per_lane, tile = 32 * per_lane;
  const bool small = s.nnz() < (1 << 21);
  const double rows_of_tile = (small ? 4 : 8) * 32.0;
  const double tiles = std::max(row_aligned_tiles(s, tile), s.rows() / rows_of_tile);
  const double listed = s.facts.rows_len.empty > 0 ? tiles * rows_of_tile / 8 : 0;
  const double value = least_value(s, settings);
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
    constexpr double step = 1024, pieces = 10;  // entries; time that it takes to lay pieces down and find them again
    const bool whole = s.longest() <= 2 * step;
    w.chain += whole ? std::ceil(s.longest() / step) * 8 : pieces + s.longest() / step / 16;
  }
  return w;
}

// A team of threads a row, or several of 256 each, four entries a thread and step.
Workload long_rows(const Subject& s, const WeaveSettings& settings) {
  const weave::LongSettings& its = settings.long_rows;
  const double team = its.team, groups = its.groups;
  const bool fours = its.columns == WeaveColumns::quads;
  const double column = its.columns == WeaveColumns::runs           ? 0
                        : fours                                     ? 1
                        : weave::LongShape::are_narrow(shape_of(s)) ? short_column
                                                                    : index_bytes;
  const double value = least_value(s, settings);
  Workload w = stored_as(s, fours ? quad_places(s, team) : long_places(s, team), column, value, 8 * s.rows());
  look_up_values(w, value);
  w.sectors += s.nnz() * s.gather().entries;
  w.teams = s.rows() * team * groups / lanes_of_warp;
  // x waits for no column where none is stored (H200, eight rows of 200,000 entries: 0.3 us a step, with columns 0.5).
  const double steps = std::ceil(s.longest() / (team * groups) / 4);
  w.chain = column == 0 ? (1 + steps) / 2 : steps;
  w.alone = fours ? s.longest() : 0;
  w.loose = true;
  return w;
}

// x in shared memory, partial sums written and read again. The sums begin with a thread for every row, also where it
// has no entry: it asks where the partial sums of the row are. (2 M rows, 80 % of them empty, 4 M entries near the
// diagonal: 36 us in float, foretold 23 without these bytes and warps; segments 23; H200.) A block loads its tile of x
// first, a few thousand columns at a time, before any of its entries.
Workload tiles(const Subject& s, const WeaveSettings& settings) {
  const Columns& columns = s.facts.columns;
  const double partials = std::min(columns.tile_rows, columns.tile_rows_by_degree) * s.nnz();
  Workload w = stored_as(s, 1.02 * s.nnz(), short_column + 0.25, stored_value(s, settings),
                         s.rows() * index_bytes + partials * 2 * (4 + s.value_bytes));
  w.sectors += 2 * partials;
  w.partials = partials;
  w.misses = 0;
  w.teams = s.nnz() / 256 + s.rows() / lanes_of_warp;
  constexpr double columns_at_once = 8192;
  const auto widest = static_cast<double>(weave::widest_tile(4, s.value_bytes));
  w.chain = std::ceil(std::min(static_cast<double>(s.facts.cols), widest) / columns_at_once);
  const bool packs_x = settings.tiles.order == weave::ColumnOrder::degree;
  if (packs_x) w.stream_bytes += static_cast<double>(s.facts.cols) * (index_bytes + 2 * s.value_bytes);
  w.launches = packs_x ? 3 : 2;
  w.loose = true;
  return w;
}

// y in shared memory; each block of rows reads x in the order of the columns: a sector once, if at all.
Workload sums(const Subject& s, const WeaveSettings& settings) {
  const double sectors = weave::sectors_of_sums(shape_of(s), s.value_bytes);
  Workload w = stored_as(s, 1.02 * s.nnz(), index_bytes + short_column, stored_value(s, settings), 8 * s.rows());
  w.misses = std::min(s.nnz(), sectors * (1 - std::exp(-s.nnz() / sectors)));
  w.sectors += w.misses;
  w.teams = 132 * 32;
  w.chain = s.longest();
  w.launches = 2;
  w.loose = true;
  return w;
}

Workload padded(const Subject& s, const WeaveSettings& settings) {
  const double longest = s.longest(), lanes = settings.padded.lanes, per_lane = settings.padded.per_lane,
               steps = std::ceil(longest / lanes / per_lane), value = least_value(s, settings);
  const bool is_short = s.facts.cols <= weave::PaddedShape::most_narrow || s.facts.columns.near16 >= 1;
  Workload w = stored_as(s, up(s.rows(), 32 / lanes) * up(longest, per_lane * lanes),
                         is_short ? short_column : index_bytes, value, 0);
  look_up_values(w, value);
  w.sectors += gathered(s, lanes);
  w.teams = s.rows() * lanes / lanes_of_warp;
  // One entry a lane: all steps are under way at once, or four and the next ones behind them. Four: eight steps take
  // 4.3 us, one 2.3 (H200).
  using Team = weave::PaddedTeam;
  const double at_once = w.teams <= Team::few_warps ? Team::most_at_once : Team::steps_at_once;
  w.chain = per_lane != 1 ? 1 + steps / 2 : steps <= at_once ? 1 : std::max(2.0, steps / 5);
  return w;
}

}  // namespace

namespace {

Workload of_layout(const Subject& s, const WeaveSettings& settings) {
  switch (settings.layout) {
    case WeaveLayout::diagonals: return diagonals(s, settings);
    case WeaveLayout::blocks: return blocks(s, settings);
    case WeaveLayout::rows: return rows(s, settings);
    case WeaveLayout::segments: return segments(s, settings);
    case WeaveLayout::padded: return padded(s, settings);
    case WeaveLayout::long_rows: return long_rows(s, settings);
    case WeaveLayout::tiles: return tiles(s, settings);
    case WeaveLayout::sums: return sums(s, settings);
  }
  fail(ErrorKind::internal, "weave has no layout {}", static_cast<int>(WeaveLayout(settings.layout)));
}

}  // namespace

// Diagonals that are constant need no table.
Workload workload(const Subject& s, const WeaveSettings& settings) {
  Workload w = of_layout(s, settings);
  w.looks_at_values = coded(s, settings) && !is_raw(settings);
  w.may_have_table = may_have_table(s, settings) && !(settings.is(WeaveLayout::diagonals) && is_constant(s, settings));
  return w;
}

}  // namespace heddle::weave_counts
