// Paper 5's tables 5, 6 and 7: RCM with 16-bit columns, three strategies of loading with and without RCM, and the best
// times of two devices.
#include <array>
#include <cmath>

#include <fmt/ranges.h>

#include "bench/results.hpp"
#include "reproduce/papers/matrix_model.hpp"
#include "reproduce/papers/paper5.hpp"
#include "reproduce/reproduce.hpp"

namespace heddle::reproduce::paper5 {

namespace {

using Loads = Literal::Loads;

std::size_t at(Precision precision) { return static_cast<std::size_t>(precision); }

std::string pair(double then, double now) { return fmt::format("{} | {}", fixed(then, 1), fixed(now, 1)); }

// Gains in percent, averaged as the paper does: the geometric mean of the ratios.
double mean_gain(const Numbers& percents) {
  Numbers ratios;
  for (const double gain : percents) ratios.push_back(1 + gain / 100);
  return 100 * (geometric_mean(ratios) - 1);
}

double gain(double before, double after) { return 100 * (before / after - 1); }

// A column of a table in both precisions: what the paper prints, and what was measured here.
struct Column {
  Numbers then[2], now[2];

  std::string cell(Precision precision, double printed, double measured) {
    then[at(precision)].push_back(printed), now[at(precision)].push_back(measured);
    return pair(printed, measured);
  }
  std::string means(Precision precision) const {
    return pair(mean_gain(then[at(precision)]), mean_gain(now[at(precision)]));
  }
};

// ELLPACK, or HYB by Cusp's rule where padding would exceed threefold, as Bell and Garland have it.
Literal of_ellpack(const Matrix& matrix, Loads loads, bool near = false) {
  const bool ell = matrix.padding_of_ellpack() <= 3;
  return {.kernel = ell ? Literal::Kernel::ellpack : Literal::Kernel::hyb,
          .loads = loads,
          .rule = Literal::Escape::cusp,
          .near = near};
}

// ---- table 5

// RCM where the paper uses it, 16-bit columns where they fit.
struct Shortened {
  const Matrix* ordered;
  bool fits;
  bool as_printed(const Printed& then) const { return fits == then.short_columns; }
};

Shortened shortened(Lab& lab, const Case& one) {
  const Matrix& ordered = one.then.rcm ? lab.in_rcm_order(one.matrix) : one.matrix;
  return {&ordered, fits_16_bits(ordered.A)};
}

// Of a lane a row, without x.
double gain_without_x(Lab& lab, const Case& one, const Shortened& made, Precision precision) {
  if (!made.fits) return bench::unknown;
  return gain(lab.split(one.matrix, precision, Columns::bits32).without_x,
              lab.split(*made.ordered, precision, Columns::bits16).without_x);
}

// Of the whole time: the paper's ELLPACK and HYB with x in the texture cache.
double gain_in_all(Lab& lab, const Case& one, const Shortened& made, Precision precision) {
  return gain(lab.seconds(one.matrix, of_ellpack(one.matrix, Loads::texture), precision),
              lab.seconds(*made.ordered, of_ellpack(*made.ordered, Loads::texture, made.fits), precision));
}

// The same of a lane a row of its own length, ELLPACK-R, which the paper does not know.
double gain_of_lanes(Lab& lab, const Case& one, const Shortened& made, Precision precision) {
  return gain(lab.split(one.matrix, precision, Columns::bits32).all,
              lab.split(*made.ordered, precision, made.fits ? Columns::bits16 : Columns::bits32).all);
}

// Whether there is a gain in t_all to judge by.
bool table_5(Record& record, const std::vector<Case>& list, Findings& headlines, std::string& said) {
  Table table{.title = "Table 5: RCM and 16-bit columns, gain in percent, then | here",
              .note =
                  "Then: Tesla C1060, over ELLPACK or HYB with cached x, as t_all is here, by the paper's kernels. "
                  "t_pseudo and the last two columns: a lane takes a row of its own length (ELLPACK-R), which judges "
                  "nothing. Caches warm. RCM where the paper uses it; 16 bits where they hold every column: a stand-in "
                  "of which they hold more or fewer than of the paper's matrix is left out of the means and of the "
                  "verdict. The last line is the geometric mean of the ratios.",
              .columns = {"matrix", "source", "RCM", "16 bits then | here", "t_pseudo float", "t_pseudo double",
                          "t_all float", "t_all double", "ELLPACK-R float", "ELLPACK-R double"}};
  Column pseudo, all;
  Numbers lanes[2];
  std::vector<std::string> left_out;
  for (const Case& one : list) {
    const Shortened made = shortened(record.lab, one);
    const bool counts = made.as_printed(one.then);
    if (!counts) left_out.emplace_back(one.then.called);
    if (counts) headlines.fit_among({&one.matrix});
    std::vector<std::string> cells{
        one.then.called + std::string(counts ? "" : " (left out)"), source_of(one.matrix), one.then.rcm ? "yes" : "no",
        fmt::format("{} | {}", one.then.short_columns ? "yes" : "no", made.fits ? "yes" : "no")};
    const auto add = [&](Column& column, Precision precision, double then, double now) {
      cells.push_back(counts ? column.cell(precision, then, now) : pair(then, now));
    };
    for (const Precision precision : both)
      add(pseudo, precision, one.then.pseudo[at(precision)], gain_without_x(record.lab, one, made, precision));
    for (const Precision precision : both)
      add(all, precision, one.then.all[at(precision)], gain_in_all(record.lab, one, made, precision));
    for (const Precision precision : both) {
      const double lane = gain_of_lanes(record.lab, one, made, precision);
      if (counts) lanes[at(precision)].push_back(lane);
      cells.push_back(fixed(lane, 1));
    }
    table.rows.push_back(std::move(cells));
  }
  table.rows.push_back({"mean", "", "", "", pseudo.means(Precision::f32), pseudo.means(Precision::f64),
                        all.means(Precision::f32), all.means(Precision::f64), fixed(mean_gain(lanes[0]), 1),
                        fixed(mean_gain(lanes[1]), 1)});
  record.add(std::move(table));
  for (const Precision precision : both)
    headlines.add_faster(fmt::format("RCM and 16 bits, {}", name_of(precision)),
                         1 + mean_gain(all.now[at(precision)]) / 100);
  const bool timed = present(all.now[0]) + present(all.now[1]) > 0;
  said = !timed ? "RCM and 16 bits: ELLPACK with 16-bit columns was not timed"
                : fmt::format("RCM and 16 bits {} float, {} double", percent(mean_gain(all.now[0])),
                              percent(mean_gain(all.now[1])));
  if (!left_out.empty())
    said += fmt::format(" (without {}, whose columns fit otherwise than the paper's)", fmt::join(left_out, ", "));
  return timed;
}

// ---- table 6

// Seconds of the three strategies, and of the third one after RCM where the paper's table has it.
struct Strategies {
  double one, two, three, three_rcm = bench::unknown;

  double speed_up(int which) const {
    return which == 0 ? gain(two, three) : which == 1 ? gain(one, three) : gain(one, three_rcm);
  }
  double best() const { return smallest({one, two, three, three_rcm}); }
};

Strategies strategies_of(Record& record, const Case& one, Precision precision) {
  const auto seconds = [&](const Matrix& matrix, Loads loads) {
    return record.lab.seconds(matrix, of_ellpack(matrix, loads), precision);
  };
  Strategies times{seconds(one.matrix, Loads::texture), seconds(one.matrix, Loads::past),
                   seconds(one.matrix, Loads::data_cache)};
  if (std::isfinite(one.then.speed_up[at(precision)][2]))
    times.three_rcm = seconds(record.lab.in_rcm_order(one.matrix), Loads::data_cache);
  return times;
}

using TimesOfAll = std::vector<std::pair<Case, std::array<Strategies, 2>>>;

TimesOfAll table_6(Record& record, const std::vector<Case>& list, Findings& headlines, std::string& said) {
  Table table{.title = "Table 6: three strategies of loading, speed-ups in percent, then | here",
              .note =
                  "S1: x through the texture cache, the matrix by plain loads. S2: the matrix past the caches. S3: x "
                  "through the data cache as well. I: S3 over S2; II: S3 over S1; III: S3 after RCM over S1. Then: "
                  "GTX 480. Here: the paper's kernels as it describes them, caches warm; both ways of x lead "
                  "through the same cache today. The last line is the geometric mean of the ratios, and of III with "
                  "II where RCM was not used.",
              .columns = {"matrix", "source", "S1 us", "I float", "II float", "III float", "S1 us, double", "I double",
                          "II double", "III double"}};
  Column columns[3], headline;
  Findings streamed = record.findings("R21", "precisions"), order = record.findings("R30", "cases");
  TimesOfAll all;
  for (const Case& one : list) {
    if (!one.then.in_table_6()) continue;
    std::vector<std::string> cells{one.then.called, source_of(one.matrix)};
    std::array<Strategies, 2> times{};
    for (const Precision precision : both) {
      const Strategies& t = times[at(precision)] = strategies_of(record, one, precision);
      const auto& then = one.then.speed_up[at(precision)];
      cells.push_back(micro(t.one));
      for (int which = 0; which < 3; ++which)
        cells.push_back(columns[which].cell(precision, then[which], t.speed_up(which)));
      const bool rcm = std::isfinite(then[2]);
      headline.cell(precision, rcm ? then[2] : then[1], t.speed_up(rcm ? 2 : 1));
      if (std::isfinite(t.one) && std::isfinite(t.two))
        order.see(one.matrix, fmt::format("{}, {}", one.matrix.facts.name, name_of(precision)),
                  is_faster(t.one / t.two));
      streamed.fit_among({&one.matrix}), headlines.fit_among({&one.matrix});
    }
    table.rows.push_back(std::move(cells));
    all.emplace_back(one, times);
  }
  std::vector<std::string> means{"mean", ""};
  for (const Precision precision : both) {
    means.emplace_back("");
    means.push_back(columns[0].means(precision)), means.push_back(columns[1].means(precision));
    means.push_back(headline.means(precision));
    streamed.add_faster(name_of(precision), 1 + mean_gain(columns[1].now[at(precision)]) / 100);
    headlines.add_faster(fmt::format("strategy 3 with RCM, {}", name_of(precision)),
                         1 + mean_gain(headline.now[at(precision)]) / 100);
  }
  table.rows.push_back(std::move(means));
  record.add(std::move(table));
  const auto both_means = [](const Column& column) {
    return fmt::format("{} float, {} double", percent(mean_gain(column.now[0])), percent(mean_gain(column.now[1])));
  };
  said = fmt::format("strategy 3 with RCM {}", both_means(headline));
  record.judge(streamed,
               both_means(columns[1]) +
                   "; textures and the L1 are one cache today (R39): what is left to judge is the "
                   "matrix past the caches",
               percent(mean_gain(columns[1].now[0])) + " (float)");
  record.judge(order, fmt::format("speed-ups I {}; II {}; III {}", both_means(columns[0]), both_means(columns[1]),
                                  both_means(headline)));
  return all;
}

// ---- table 7

void table_7(Record& record, const TimesOfAll& all) {
  Table table{
      .title = "Table 7: the best time, then on two devices | here",
      .note = "Milliseconds. C1060: Table 5's best; GTX 480: Table 6's. Here: the best of Table 6's strategies.",
      .columns = {"matrix", "source", "C1060 float", "GTX 480 float", "gain %", "here float", "GTX 480 / here",
                  "C1060 double", "GTX 480 double", "gain %", "here double", "GTX 480 / here"}};
  Numbers gains_then[2], factors[2], before[2], here[2];
  for (const auto& [one, times] : all) {
    std::vector<std::string> cells{one.then.called, source_of(one.matrix)};
    for (const Precision precision : both) {
      const auto& then = one.then.best[at(precision)];
      const double now = 1e3 * times[at(precision)].best();
      gains_then[at(precision)].push_back(gain(then[0], then[1])), factors[at(precision)].push_back(then[1] / now);
      before[at(precision)].push_back(then[1]), here[at(precision)].push_back(now);
      cells.insert(cells.end(), {fixed(then[0], 4), fixed(then[1], 4), fixed(gain(then[0], then[1]), 1), fixed(now, 4),
                                 fixed(then[1] / now, 1)});
    }
    table.rows.push_back(std::move(cells));
  }
  std::vector<std::string> means{"mean", ""};
  for (const Precision precision : both)
    means.insert(means.end(), {"", "", fixed(mean_gain(gains_then[at(precision)]), 1), "",
                               fixed(geometric_mean(factors[at(precision)]), 1)});
  table.rows.push_back(std::move(means));
  record.add(std::move(table));
  record.leave_open(
      "R41", "speaks of two devices of that time; there is one here",
      fmt::format("times are {} (float) and {} (double) of the GTX 480's; their order agrees by a rank "
                  "correlation of {} and {}",
                  fixed(1 / geometric_mean(factors[0]), 3), fixed(1 / geometric_mean(factors[1]), 3),
                  fixed(rank_correlation(before[0], here[0]), 2), fixed(rank_correlation(before[1], here[1]), 2)));
}

}  // namespace

namespace {

// What our own formats gain by keeping the matrix out of the L1: plain loads over these, `ellr`.
void own_loads(Record& record, const std::vector<Case>& list) {
  Numbers gains[2];
  for (const Case& one : list)
    for (const Precision precision : both)
      gains[at(precision)].push_back(record.lab.seconds(one.matrix, "ellr cache=all", precision) /
                                     record.lab.seconds(one.matrix, "ellr cache=x", precision));
  record.also_measured(
      "our ELLPACK-R (ellr): plain loads over loads of the matrix past the L1",
      fmt::format("{} float, {} double in the geometric mean ({} to {})", fixed(geometric_mean(gains[0]), 3),
                  fixed(geometric_mean(gains[1]), 3), fixed(smallest(gains[0]), 2), fixed(largest(gains[0]), 2)),
      fmt::format("{} matrices", list.size()));
}

}  // namespace

void tables_5_to_7(Record& record) {
  const std::vector<Case> list = cases(record);
  Findings headlines = record.findings("R26", "headlines");
  std::string first, second;
  const bool timed = table_5(record, list, headlines, first);
  if (!record.lab.has_lane_kernel()) {
    for (const char* id : {"R21", "R30", "R41"})
      record.leave_open(id, fmt::format("{}loads; this is the cpu", of_a_gpu));
    return record.judge(headlines, first);
  }
  own_loads(record, list);
  table_7(record, table_6(record, list, headlines, second));
  const std::string now = first + "; " + second;
  if (!timed) return record.leave_open("R26", "half of it needs ELLPACK with 16-bit columns", now, headlines.basis());
  record.judge(headlines, now);
}

}  // namespace heddle::reproduce::paper5
