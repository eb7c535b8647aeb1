// Weave settles a plan by what a matrix is estimated to be like, before it is built: settings that are left open are
// those that building picks (weave_choice.cpp). What a product by them costs follows.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/row_counts.hpp"
#include "formats/weave/weave.hpp"
#include "formats/weave/weave_plan.hpp"
#include "formats/weave/weave_rules.hpp"

namespace heddle::weave_counts {

namespace {

// Whether values are looked at for a shorter form: small matrices keep theirs as they are.
bool coded(const Subject& s, const WeaveSettings& settings) { return small_values_pay(settings, s.facts.nnz); }
bool may_have_table(const Subject& s, const WeaveSettings& settings) {
  if (settings.values == ValueCodec::raw) return false;
  return codecs_of(settings, shape_of(s), s.value_bytes).tables || settings.values == ValueCodec::dictionary;
}

// What settling asks of a matrix, from the facts of analyze.
class Estimates final : public weave::PatternFacts {
 public:
  explicit Estimates(const Subject& s) : PatternFacts(shape_of(s)), s_(s) {}

  std::int64_t longest() override { return s_.facts.rows_len.max; }
  double diagonal_fill() override { return s_.facts.diagonals.slice_fill; }
  double block_fill(int size) override { return fill_of(s_.facts, size); }
  weave::BlockSizes full_blocks(weave::BlockSizes) override { return {}; }  // analyze samples, so it never knows of all
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

double stored_value(const Subject& s, const WeaveSettings& settings) {
  const Structure& f = s.facts;
  if (may_have_table(s, settings) && !f.distinct_capped && f.distinct_values <= dictionary_size) return 1;
  return coded(s, settings) && settings.values != ValueCodec::raw && f.f32_exact ? 4 : s.value_bytes;
}

double least_value(const Subject& s, const WeaveSettings& settings) {
  const Structure& f = s.facts;
  const double stored = stored_value(s, settings);
  if (!coded(s, settings) || settings.values == ValueCodec::raw) return stored;
  if (f.distinct_values == 1 && !f.distinct_capped) return 0;
  const bool few = may_have_table(s, settings) && f.distinct_guess <= dictionary16_pays<double>;
  return stored == sizeof(double) && few ? 2 : stored;
}

bool is_constant(const Subject& s, const WeaveSettings& settings) {
  const Structure& f = s.facts;
  return coded(s, settings) && settings.values != ValueCodec::dictionary && f.diagonals.full > 0 &&
         f.diagonals.constant == f.diagonals.full && f.diagonals.full_share > 0.99;
}

}  // namespace

WeaveSettings settled(const Subject& s, const Plan& plan) {
  WeaveSettings settings;
  read_settings(settings.fields(), plan);
  settings.layout.fill(WeaveLayout::segments);
  Estimates estimates(s);
  choose_weave(settings, estimates, s.value_bytes);
  return settings;
}

EstimatedValues values_of(const Subject& s, const WeaveSettings& settings) {
  return {stored_value(s, settings), least_value(s, settings), settings.values == ValueCodec::raw,
          is_constant(s, settings)};
}

double fill_of(const Structure& facts, int size) {
  for (const BlockFill& b : facts.blocks)
    if (b.r == size && b.c == size) return b.fill;
  return size * size;
}

int best_block(const Structure& facts) {
  return weave::best_block(std::numeric_limits<double>::infinity(), [&](int size) { return fill_of(facts, size); });
}

double long_places(const Subject& s, double team) {
  return rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, static_cast<std::int64_t>(4 * team));
}

double quad_places(const Subject& s, double team) {
  const double run = std::max(1.0, s.facts.columns.mean_run), of_entry = run < 4 ? 4 / run : 1 + 1.5 / run;
  return std::max(long_places(s, team), of_entry * long_places(s, team / of_entry));
}

double slice_padding(const Subject& s, double slice_rows) {
  if (slice_rows > 32) return padding_of(s.facts, static_cast<int>(slice_rows), 1);
  return 1 + (padding_of(s.facts, 32, 1) - 1) * std::log2(slice_rows) / 5;
}

double sorted_padding(const Subject& s, double slice_rows) {
  return std::min(slice_padding(s, slice_rows), 1 + (padding_of(s.facts, 32, 1024) - 1) * slice_rows / 32);
}

Workload stored_as(const Subject& s, double places, double column, double value, double beside) {
  Workload w = start(s, places * (column + value) + beside, places, places);
  w.sectors = places * (column + value) / sector_bytes;
  if (value == 2) w.bytes += dictionary16_size * sizeof(double);  // of which the part in use is read
  return w;
}

// H200: elasticity in blocks takes 1.3 to 1.5 times what its bytes would.
void look_up_values(Workload& w, double value) {
  if (value == 1) w.slots *= 1.6;
}

// Diagonals that are constant need no table.
Workload workload(const Subject& s, const WeaveSettings& settings) {
  const EstimatedValues values = values_of(s, settings);
  Workload w = settings.of_layout([&](const auto& its) { return counted(s, its, values); });
  w.looks_at_values = coded(s, settings) && !values.raw;
  w.may_have_table = may_have_table(s, settings) && !(settings.is(WeaveLayout::diagonals) && values.constant);
  return w;
}

}  // namespace heddle::weave_counts
