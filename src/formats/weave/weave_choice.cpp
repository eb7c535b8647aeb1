// layout=auto: which layout of weave a matrix gets, from its pattern alone. The thresholds are measured (H200,
// docs/notebook/2026-11-19-performance.md).
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "formats/weave/weave.hpp"
#include "formats/weave/weave_rules.hpp"
#include "simt/large_gpu.hpp"

namespace heddle {

namespace {

class Chooser {
 public:
  Chooser(WeaveSettings& settings, weave::PatternFacts& facts, int value_bytes)
      : settings_(settings), facts_(facts), A_(facts.shape()), value_bytes_(value_bytes), mean_(facts.shape().mean()) {}

  // What layout() will ask whatever the rows are like: nothing is known of them yet. Of a matrix that stays in the
  // L2 that is one wait less. Blocks that may all be full are asked for alone, where rows are too long for a grid.
  void ask_unseen(bool seeks_diagonals, weave::BlockSizes* holes) {
    constexpr std::int64_t many = 1 << 22;
    weave::Questions soon{.long_rows = mean_ >= 256, .holes = holes, .unseen = true};
    if (full_blocks_may_decide()) soon.full_blocks = weave::possible_full_blocks(A_);
    const bool others = soon.full_blocks.bits == 0 || mean_ <= 27;
    if (seeks_diagonals)
      expect_samples(soon);
    else if (A_.nnz() < many && mean_ < 256 && !likely_padded() && others)
      expect_all(soon);
    if (perhaps_padded()) soon.full_blocks = {};
    facts_.expect(soon);
  }
  bool segments_may_follow() const {
    return A_.nnz() < weave::most_counted_unseen && mean_ < 96 && !likely_padded() && !full_blocks_may_decide();
  }
  bool full_blocks_may_decide() const { return full_blocks_decide() && weave::possible_full_blocks(A_).bits != 0; }

  void choose() {
    if (!settings_.layout.named()) settings_.layout = layout();
    settings_.of_layout([&](auto& its) { settle(its); });
  }

 private:
  static Keep keep_if(bool keeps) { return keeps ? Keep::matrix : Keep::nothing; }

  void settle(weave::DiagonalsSettings& s) const {
    s.per_lane.fill(weave::has_thread_a_row(A_.rows, mean_) ? 1 : weave::rows_per_lane);
    if (s.per_lane != 1) s.per_lane = weave::rows_per_lane;
    s.keep.fill(keep_if(stays_in_cache(0)));
  }
  // Segments fetch x at random: of a matrix that is more than the L2 the L1 shall keep nothing (doubles of a web graph
  // of 3 M entries 26.8 -> 25.1 us; H200).
  void settle(weave::SegmentsSettings& s) const {
    if (!s.per_lane.named()) s.per_lane = entries_of_lane();
    s.per_lane = std::max<int>(s.per_lane, 4);
    const double x_and_y = static_cast<double>(value_bytes_) * static_cast<double>(A_.rows + A_.cols);
    const double bytes = (4.0 + value_bytes_) * static_cast<double>(A_.nnz()) + x_and_y;
    s.keep.fill(keep_if(bytes < weave::cache_bytes));
  }
  void settle(weave::SumsSettings& s) const {
    s.kb.fill(weave::default_sums_kb);
    s.threads.fill(weave::default_sums_threads);
    if (!s.groups.named()) s.groups = weave::sums_groups(A_, value_bytes_, s.kb, s.threads);
  }

  // Of segments: eight where there are enough warps. Where every fetch of x is another sector that is twice as many,
  // and for doubles half as many (1 M entries in random columns 11.7 -> 10.0 us in double, R-MAT of scale 16 9.5
  // -> 8.1; in float 10.0 -> 8.7 and 6.6 -> 7.3; a mesh of 0.7 M in double 4.5 -> 5.3; H200).
  bool segments_ask_for_windows() const {
    return A_.nnz() >= weave::few_segment_entries && A_.nnz() < weave::many_segment_entries;
  }
  int entries_of_lane() const {
    if (!segments_ask_for_windows()) return A_.nnz() < weave::few_segment_entries ? 4 : 8;
    return facts_.sectors_per_fetch() > simt::warp_size * weave::scattered_segments(value_bytes_) ? 4 : 8;
  }

  bool stays_in_cache(double column_bytes = 2) const { return weave::stays_in_cache(A_, value_bytes_, column_bytes); }
  bool small() const {
    constexpr std::int64_t few = 1 << 18;
    return A_.nnz() <= few;
  }
  double padded_fill() const {
    return static_cast<double>(A_.rows) * static_cast<double>(facts_.longest()) /
           std::max<double>(1, static_cast<double>(A_.nnz()));
  }

  bool narrow() const { return A_.cols <= weave::PaddedShape::most_narrow; }
  // Rows of nearly one length in the L2, with 16 bits of column: no slice is asked for first, and the build has nothing
  // to count. Short ones are not looked at for anything else (H200, float: a 9-point grid of 40,000 rows 1.8 us, 2.3 by
  // constant diagonals; 54,000 rows in blocks of 2 2.2, by blocks 3.0; 27-point of 43,000 2.6).
  bool suits_padded(double longest_mean) const {
    return narrow() && stays_in_cache() && mean_ <= longest_mean && padded_fill() <= 1.12;
  }

  WeaveLayout layout() {
    if (narrow() && small() && padded_fill() <= 2) return WeaveLayout::padded;
    if (suits_padded(32)) return WeaveLayout::padded;
    if (full_blocks_decide() && suits_blocks() && full_block() > 0) return WeaveLayout::blocks;
    expect_questions();
    if (const auto gathers = gathering_layout()) return *gathers;
    if (mean_ >= 256 && suits_teams(1.15)) return WeaveLayout::long_rows;
    if (suits_full_diagonals()) return WeaveLayout::diagonals;
    if (mean_ >= 8 && suits_blocks() && has_good_blocks()) return WeaveLayout::blocks;
    if (suits_diagonals()) return WeaveLayout::diagonals;
    if (mean_ >= 8 && suits_blocks() && !stays_in_cache() && best_block(1.12) > 0) return WeaveLayout::blocks;
    if (mean_ >= 96 && suits_teams(small() ? 2.5 : 1.4)) return WeaveLayout::long_rows;
    if (suits_padded(64)) return WeaveLayout::padded;
    const TeamShape shape = settle_row_shape();
    const bool suits_rows = settings_.rows.sort == 1 && row_warps(shape) >= 4000 && facts_.slice_fill(shape, 1) <= 1.12;
    return suits_rows ? WeaveLayout::rows : WeaveLayout::segments;
  }

  // Where nothing comes before full blocks: all blocks are looked at with the first look at the matrix, and where they
  // are full nothing else is asked.
  bool full_blocks_decide() const {
    return !small() && !may_gather() && !perhaps_padded() && mean_ > weave::most_grid_mean && mean_ < 256;
  }
  bool perhaps_padded() const { return narrow() && mean_ <= 32; }
  // Where questions would be wasted work: such builds are the shortest of all, and each launch counts. (The longer of
  // these rows may as well be those of a circuit with five unknowns a node, whose blocks of five are full: two
  // questions are a fifth of its build.)
  bool likely_padded() const {
    const bool blocks = (weave::possible_full_blocks(A_).bits & ~(1u << 5)) != 0;
    return perhaps_padded() && (mean_ <= 16 || blocks || has_entries_of_grid(A_));
  }
  // The largest of which all are full, or 0.
  int full_block() {
    const weave::BlockSizes possible = weave::possible_full_blocks(A_);
    return possible.bits != 0 ? facts_.full_blocks(possible).largest() : 0;
  }
  // In the L2 masks cost more than they save, so there all blocks have to be full.
  bool has_good_blocks() {
    if (diagonals_exclude_blocks()) return false;
    return stays_in_cache() ? full_block() > 0 : best_block(1.001) > 0;
  }
  // Two rows of a block have the same columns, which are on different diagonals: together on one more, at least, than
  // either has entries. So rows with full blocks have a place more than entries each (but for the thousandth of blocks
  // that need not be full).
  bool diagonals_exclude_blocks() const {
    return facts_.known_diagonal_fill && *facts_.known_diagonal_fill < 1 + 0.95 / mean_;
  }

  // What layout() will ask, unless columns far apart decide before: then the others were asked beside it.
  void expect_questions() {
    weave::Questions soon;
    if (mean_ < 256) expect_all(soon);
    if (!suits_blocks()) soon.blocks = false, soon.full_blocks = {};
    facts_.expect(soon);
  }
  void expect_all(weave::Questions& soon) {
    const bool known = facts_.known_diagonal_fill.has_value();
    soon.diagonals = mean_ <= weave::most_diagonal_mean;
    soon.blocks = mean_ >= 8 && !(known && suits_full_diagonals()) && !diagonals_exclude_blocks();
    if (soon.blocks && stays_in_cache()) {
      soon.blocks = false;
      soon.full_blocks = weave::possible_full_blocks(A_);
    }
    soon.long_rows |= mean_ >= 96;
    if (!(facts_.known_longest >= 0 && suits_padded(64)) && !(known && suits_diagonals())) expect_samples(soon);
  }
  void expect_samples(weave::Questions& soon) const {
    const TeamShape shape = row_shape();
    soon.windows = may_gather() || segments_ask_for_windows();
    if (mean_ >= 6 || row_warps(shape) >= 4000) soon.slices = shape;
  }

  // Rows of full blocks of 2 lie on a diagonal more than they have entries, or several: with ten entries and less they
  // store a tenth more, or more than that. So where places are nearly full blocks need not be looked for.
  bool suits_full_diagonals() { return mean_ <= weave::most_grid_mean && facts_.diagonal_fill() <= 1.05; }
  bool suits_diagonals() { return mean_ <= weave::most_diagonal_mean && facts_.diagonal_fill() <= 1.35; }

  bool suits_blocks() const { return facts_.longest() <= weave::longest_suiting_blocks(A_); }

  // For large matrices whose fetches of x are scattered over more than the L1 holds.
  bool may_gather() const {
    constexpr std::int64_t many = 1 << 21, l1_bytes = 256 << 10;
    return A_.nnz() >= many && A_.cols * value_bytes_ >= 4 * l1_bytes;
  }
  std::optional<WeaveLayout> gathering_layout() const {
    if (!may_gather() || facts_.sectors_per_fetch() < simt::warp_size * weave::scattered) return {};
    const std::int64_t width = weave::widest_tile(4, value_bytes_);
    const ColumnTiles partials = facts_.column_tiles(width);
    // Columns in another order are one more launch, and longer to build: of an R-MAT of 2.4 M doubles segments take
    // 16.8 us, tiles 18.4; of 3.9 M floats 20.2 and 20.3, and 250 and 340 to be built (of doubles 31 and 24; H200).
    const std::int64_t few = value_bytes_ == 4 ? 9 << 19 : 3 << 20;
    const bool as_they_are = !by_degree_pays(partials);
    if (std::min(partials.natural, partials.by_degree) < 0.2 && (as_they_are || A_.nnz() >= few))
      return WeaveLayout::tiles;
    // Few places without an entry, and hardly two columns of a fetch together: where some are, segments find them in
    // the L1 (economics of 2.5 M in float 10.3 us, in sums 23.4; H200).
    const bool even = weave::has_even_rows(facts_.longest(), mean_);
    const double entries_of_sector = static_cast<double>(A_.nnz()) / weave::sectors_of_sums(A_, value_bytes_);
    if (even && facts_.sectors_per_fetch() >= 28 && entries_of_sector > 1.5) return WeaveLayout::sums;
    return {};
  }

  // Half a dozen steps for a row, and threads for the whole GPU when rows are few, as long as little is empty (a small
  // matrix has no bytes to save, only time to wait).
  int team() const {
    const double by_length = mean_ / 24,
                 by_size = 1024.0 * large_gpu_units / std::max<double>(1, static_cast<double>(A_.rows));
    const double wanted = std::min(std::max(by_length, std::min(by_size, mean_ / 4)), 1024.0);
    int threads = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(wanted, 32.0))));
    while (!small() && threads > simt::warp_size && long_fill(threads) > weave::most_team_places) threads /= 2;
    return threads;
  }
  // Rows of several steps have several blocks, as long as all of them can run at once; no more than steps.
  void settle_teams(weave::LongSettings& s) const {
    using weave::LongShape;
    const bool open = !s.groups.named(), named_team = s.team.named();
    int groups = LongShape::most_groups(s.groups.value_or(named_team ? 1 : 8));
    while (open && groups > 1 && A_.rows * groups > LongShape::most_shared_blocks) groups /= 2;
    int shared = LongShape::shared_team;
    while (!open && shared > 64 && shared * LongShape::per_thread * groups > facts_.longest()) shared /= 2;
    const LongShape shape{A_.rows, s.team.value_or(shared)};
    const auto steps = static_cast<unsigned>(std::clamp<std::int64_t>(shape.steps(facts_.longest()), 1, 8));
    s.groups = std::min(groups, static_cast<int>(std::bit_ceil(steps)));
    if (!named_team) s.team = s.groups > 1 ? shared : team();
  }
  void settle(weave::LongSettings& s) const {
    settle_teams(s);
    if (!s.columns.named()) s.columns = long_columns(s.team);
    if (s.columns == WeaveColumns::bytes) s.columns = WeaveColumns::each;
  }
  // Little padding, and no row that keeps its team busy when all others are done.
  bool suits_teams(double most_fill) const {
    constexpr double most_steps = 10;
    return static_cast<double>(facts_.longest()) <= most_steps * 4 * team() && long_fill(team()) <= most_fill;
  }
  double long_fill(int lanes) const {
    const weave::LongShape shape{A_.rows, lanes};
    const std::int64_t steps = facts_.team_steps(lanes);
    return static_cast<double>(steps * shape.step_entries()) / std::max<double>(1, static_cast<double>(A_.nnz()));
  }
  // By bytes, with raw values. Cutting runs into fours takes more places, so it has to save a tenth.
  WeaveColumns long_columns(int team) const {
    using enum WeaveColumns;
    if (facts_.rows_are_runs()) return runs;
    if (A_.cols > weave::Quad::most_columns) return each;
    const int column_bytes = weave::LongShape::are_narrow(A_) ? 2 : 4;
    const auto steps_each = static_cast<double>(facts_.team_steps(team)),
               steps_quads = static_cast<double>(facts_.quad_steps(team));
    return steps_quads * (value_bytes_ + 1) < 0.9 * steps_each * (value_bytes_ + column_bytes) ? quads : each;
  }
  double row_warps(TeamShape shape) const { return static_cast<double>(A_.rows) / shape.slice_rows(); }

  int best_block(double most) {
    return weave::best_block(most, [&](int size) { return facts_.block_fill(size); });
  }

  void settle(weave::BlocksSettings& s) {
    if (!s.block.named()) {
      const int full = stays_in_cache() || full_blocks_decide() ? full_block() : 0;
      const int best = full > 0 ? full : best_block(10);
      s.block = best > 0 ? best : 3;
    }
    s.lanes = lanes_of_blocks(s, A_, s.block, value_bytes_);
    s.sort.fill(1);
    s.keep.fill(Keep::matrix);
  }

  TeamShape row_shape() const {
    const weave::RowsSettings& s = settings_.rows;
    const auto team = weave::RowsTeam::of(A_.rows, mean_, stays_in_cache(), s.lanes, s.per_lane);
    return {team.lanes, team.per_lane};
  }
  TeamShape settle_row_shape() {
    const TeamShape shape = row_shape();
    weave::RowsSettings& s = settings_.rows;
    s.lanes = shape.lanes;
    s.per_lane = shape.rows;
    if (!s.sort.named()) {
      const bool pays = weave::sorting_may_pay(mean_) &&
                        weave::sorting_pays(facts_.slice_fill(shape, 1), facts_.slice_fill(shape, 1024));
      s.sort = pays ? 1024 : 1;
    }
    return shape;
  }
  // Neighbouring rows on one multiprocessor share x in its L1, as long as every multiprocessor gets two blocks; blocks
  // of 1,024 threads leave multiprocessors half empty (band of 6 M entries in double 28.8 us with 128, 35.9 with
  // 1,024).
  void settle(weave::RowsSettings& s) {
    const double warps = row_warps(settle_row_shape()), threads = warps * simt::warp_size / (2 * large_gpu_units);
    s.threads.fill(!stays_in_cache() ? 128 : threads >= 256 ? 256 : threads >= 128 ? 128 : 64);
    s.keep.fill(keep_if(stays_in_cache()));
    // Windows for every step are worth their loads where bytes decide and a step has more than 32 codes: an H200 gains
    // 12 to 19 % with doubles, and loses as much with floats, which have more steps to decode for the same bytes.
    using enum WeaveColumns;
    const bool pays = s.columns.named() ? s.columns != each : value_bytes_ == 8 && !stays_in_cache();
    s.columns = pays && s.per_lane > 1 ? bytes : each;
  }

  void settle(weave::PaddedSettings& s) const {
    const auto team = weave::PaddedTeam::of(A_.rows, facts_.longest(), s.per_lane);
    s.per_lane = team.per_lane;
    s.lanes.fill(team.lanes);
  }

  void settle(weave::TilesSettings& s) const {
    s.per_lane = std::max<int>(s.per_lane, 4);
    s.width.fill(static_cast<int>(weave::widest_tile(s.per_lane, value_bytes_)));
    if (!s.order.named()) s.order = tile_order(s.width);
  }
  // Packing x in the order of degrees costs a launch and a gather of x: it has to save a fifth of the partial sums.
  weave::ColumnOrder tile_order(int width) const {
    using enum weave::ColumnOrder;
    if (A_.cols <= width) return natural;
    const ColumnTiles partials = facts_.column_tiles(width);
    return by_degree_pays(partials) ? degree : natural;
  }
  static bool by_degree_pays(const ColumnTiles& partials) {
    return weave::degree_order_pays(partials.natural, partials.by_degree);
  }

  WeaveSettings& settings_;
  weave::PatternFacts& facts_;
  const weave::MatrixShape& A_;
  int value_bytes_;
  double mean_;
};

}  // namespace

void choose_weave(WeaveSettings& settings, const PatternView& A, int value_bytes) {
  choose_weave(settings, *weave::facts_of(A), value_bytes);
}

void choose_weave(WeaveSettings& settings, weave::PatternFacts& facts, int value_bytes) {
  Chooser(settings, facts, value_bytes).choose();
}

bool full_blocks_may_decide(const WeaveSettings& settings, weave::PatternFacts& facts, int value_bytes) {
  WeaveSettings open = settings;
  return Chooser(open, facts, value_bytes).full_blocks_may_decide();
}

bool has_entries_of_grid(const weave::MatrixShape& A) {
  if (A.rows != A.cols) return false;
  const auto rows = static_cast<double>(A.rows), entries = static_cast<double>(A.nnz());
  const double line = std::sqrt(rows), plane = rows / std::cbrt(rows);  // of a square and a cube
  const auto is = [&](double points, double missing) {
    const double left = points * rows - entries;
    return left == 0 || (left >= missing / 2 && left <= missing * 1.8);
  };
  return is(3, 2) || is(4, 4 * line) || is(5, 4 * line) || is(9, 12 * line) || is(7, 6 * plane) || is(27, 54 * plane);
}

bool segments_may_follow(const WeaveSettings& settings, weave::PatternFacts& facts, int value_bytes) {
  WeaveSettings open = settings;
  return Chooser(open, facts, value_bytes).segments_may_follow();
}

void ask_unseen(const WeaveSettings& settings, weave::PatternFacts& facts, int value_bytes, bool seeks_diagonals,
                weave::BlockSizes* holes) {
  WeaveSettings open = settings;
  Chooser(open, facts, value_bytes).ask_unseen(seeks_diagonals, holes);
}

int lanes_of_blocks(const weave::BlocksSettings& s, const weave::MatrixShape& A, int block, int value_bytes) {
  return s.lanes.named() ? int(s.lanes) : weave::lanes_of_block_rows(A.rows, A.nnz(), block, value_bytes);
}

}  // namespace heddle
