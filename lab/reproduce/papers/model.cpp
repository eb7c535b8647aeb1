// Paper 5: the share of x, the pass model, RCM, 16-bit columns and cache hints.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <heddle/formats.hpp>
#include <heddle/reorder.hpp>

#include "reproduce/papers/matrix_model.hpp"
#include "reproduce/papers/paper5.hpp"

namespace heddle::reproduce {

namespace {

using namespace paper5;

// ---- R17, R22

void share_of_x(Record& record) {
  Table table{.title = "Table 3: time of reading x, float, then | here; and what RCM does to it",
              .note = "A lane per row, warm. Where padding would exceed threefold, the first entries of each row.",
              .columns = {"matrix", "source", "t_pseudo us", "t_all us", "x then", "x here", "x after RCM",
                          "t_x saved by RCM, of t_all"}};
  Figure figure{.title = "Share of reading x",
                .y_label = "percent of the time",
                .series = {{"then, C1060", {}, {}}, {"here", {}, {}}, {"here, after RCM", {}, {}}}};
  Numbers all, others;
  std::vector<std::pair<const Matrix*, double>> irregular;
  Findings shares = record.findings("R17"), savings = record.findings("R22");
  for (const auto& [then, matrix] : cases(record)) {
    const TimeSplit before = record.lab.split(matrix, Precision::f32, Columns::bits32);
    const TimeSplit after = record.lab.split(record.lab.in_rcm_order(matrix), Precision::f32, Columns::bits32);
    const double share = 100 * before.x_share();
    const double saved = 100 * ((before.all - before.without_x) - (after.all - after.without_x)) / before.all;
    all.push_back(share);
    const bool is_irregular = one_of(then.called, {"Accelerator", "Circuit", "Web"});
    if (std::isfinite(share) && is_irregular) irregular.emplace_back(&matrix, share);
    if (std::isfinite(share) && !is_irregular) {
      shares.see(matrix, share >= 3.4 && share <= 25.7);
      if (shares.fit(matrix)) others.push_back(share);
    }
    if (std::isfinite(saved) && is_irregular) savings.see(matrix, saved > 2);
    if (std::isfinite(saved) && one_of(then.called, {"Protein", "QCD"})) savings.see(matrix, saved <= 2);
    table.rows.push_back({then.called, source_of(matrix), micro(before.without_x), micro(before.all),
                          percent(then.x_share), percent(share), percent(100 * after.x_share()), percent(saved)});
    figure.categories.emplace_back(then.called);
    figure.series[0].y.push_back(then.x_share);
    figure.series[1].y.push_back(share);
    figure.series[2].y.push_back(100 * after.x_share());
  }
  record.add(std::move(table));
  record.add_main(std::move(figure));
  for (const auto& [matrix, share] : irregular)
    shares.see(*matrix, share >= 3.4 && share <= 25.7 && (others.empty() || share > largest(others)));
  record.judge(
      shares,
      fmt::format("{} on average ({} to {})", percent(mean(all)), percent(smallest(all)), percent(largest(all))),
      percent(mean(all), 0) + " of the time");
  record.judge(savings, "");
}

// ---- R18

std::string thousandths(double seconds) { return fmt::format("{:.3e}", seconds * 1e3); }

void put_constants(Table& table, const char* columns, const PassModel& f32, const PassModel& f64) {
  table.rows.push_back({"here", columns, thousandths(f32.D0), thousandths(f32.D1), thousandths(f32.D2),
                        thousandths(f64.D0), thousandths(f64.D1), thousandths(f64.D2)});
}

Table printed_constants() {
  return {.title = "Table 2: the pass model's constants, milliseconds",
          .note = "Here: caches evicted before every call; n a multiple of the resident rows, 4 to 24 entries a row.",
          .columns = {"device", "columns", "float D0", "D1", "D2", "double D0", "D1", "D2"},
          .rows = {{"C1060", "32 bits", "7.753e-3", "3.530e-3", "2.807e-3", "1.077e-2", "6.292e-3", "4.312e-3"},
                   {"GTX 480", "32 bits", "3.713e-3", "1.180e-3", "1.250e-3", "4.430e-3", "2.444e-3", "1.775e-3"},
                   {"C1060", "16 bits", "8.135e-3", "3.156e-3", "2.189e-3", "1.137e-2", "5.972e-3", "4.036e-3"},
                   {"GTX 480", "16 bits", "3.290e-3", "1.614e-3", "1.114e-3", "4.812e-3", "2.412e-3", "1.526e-3"}}};
}

Figure sizes_not_fitted(const PassFit& fit) {
  Figure figure{.title = "Time without x on sizes that were not fitted (float)",
                .y_label = "us",
                .series = {{"measured", {}, {}}, {"predicted", {}, {}}}};
  for (const PassFit::Trial& trial : fit.trials) {
    figure.categories.push_back(fmt::format("{} passes, {} a row", trial.passes, trial.m));
    figure.series[0].y.push_back(trial.measured * 1e6), figure.series[1].y.push_back(trial.predicted * 1e6);
  }
  return figure;
}

// The model on the paper's matrices, percent off: those that fill a pass, and those too small for one.
struct OnMatrices {
  Numbers whole, part;
};

// What a model fitted on artificial matrices says of the paper's; it knows nothing of caches, so it is held against
// cold times. The paper's devices held 30,720 and 23,040 threads: each of its matrices filled a pass there, and of what
// is less than one its formulas say nothing.
OnMatrices on_the_eleven(Record& record, const PassModel (&models)[2], Findings& seen) {
  Table table{
      .title = "The pass model on the paper's matrices: time without x, us",
      .note =
          "Predicted from the longest row of each warp (a lane takes a row); on the CPU, from the mean row. "
          "Cold: caches evicted before every call, as in the fit. Passes: rows over the rows that are worked on "
          "at once; matrices that do not fill one take no part in the verdict, the paper's filled one on its "
          "devices.",
      .columns = {"matrix", "source", "passes", "predicted float", "cold", "off", "warm", "predicted double", "cold",
                  "off", "warm"}};
  OnMatrices errors;
  for (const auto& [then, matrix] : cases(record)) {
    const double width = mean_width(record.lab.settings().device, matrix, kept_width(matrix));
    const double passes = static_cast<double>(matrix.A.rows) / static_cast<double>(resident_rows(record.lab));
    std::vector<std::string> cells{then.called, source_of(matrix),
                                   fixed(passes, 2) + (passes < 1 ? ", less than one" : "")};
    for (const Precision precision : both) {
      const double predicted = predict_mean(models[static_cast<int>(precision)], matrix.A.rows, width);
      const double cold = record.lab.split(matrix, precision, Columns::bits32, Caches::cold).without_x;
      const double warm = record.lab.split(matrix, precision, Columns::bits32, Caches::warm).without_x;
      const double off = 100 * (predicted / cold - 1);
      cells.insert(cells.end(), {micro(predicted), micro(cold), percent(off), micro(warm)});
      (passes < 1 ? errors.part : errors.whole).push_back(std::fabs(off));
      if (passes >= 1 && std::isfinite(off))
        seen.see(matrix, fmt::format("{}, {}", matrix.facts.name, name_of(precision)), std::fabs(off) <= 10);
    }
    table.rows.push_back(std::move(cells));
  }
  record.add(std::move(table));
  return errors;
}

// ---- R47

// What 16-bit columns do to the three constants, in percent.
void constants_in_16_bits(Record& record, const PassModel (&wide)[2], const PassModel (&near)[2]) {
  Findings seen = record.findings("R47", "precisions");
  seen.rest_on("the fits on artificial matrices");
  std::string now;
  for (const Precision precision : both) {
    const auto p = static_cast<std::size_t>(precision);
    const double D0 = near[p].D0 / wide[p].D0, D1 = near[p].D1 / wide[p].D1, D2 = near[p].D2 / wide[p].D2;
    const auto change = [](double ratio) { return percent(100 * (ratio - 1)); };
    if (std::isfinite(D0 * D1 * D2)) seen.add(name_of(precision), is_faster(1 / D2) && D0 > D2 && D1 > D2);
    now += fmt::format("{}{}: D0 {}, D1 {}, D2 {}", now.empty() ? "" : "; ", name_of(precision), change(D0), change(D1),
                       change(D2));
  }
  record.judge(seen, now);
}

void pass_model(Record& record) {
  const PassFit f32 = fit_pass_model<float, Index32>(record.lab, Trials::yes);
  const PassFit f64 = fit_pass_model<double, Index32>(record.lab, Trials::yes);
  const PassFit s32 = fit_pass_model<float, Column16>(record.lab, Trials::yes);
  const PassFit s64 = fit_pass_model<double, Column16>(record.lab, Trials::yes);
  Table table = printed_constants();
  put_constants(table, "32 bits", f32.model, f64.model);
  put_constants(table, "16 bits", s32.model, s64.model);
  record.add(std::move(table));
  record.add(sizes_not_fitted(f32));
  constants_in_16_bits(record, {f32.model, f64.model}, {s32.model, s64.model});
  Findings seen = record.findings("R18", "cases");
  const auto compare = [&](const char* precision, const PassFit& fit) {
    for (const PassFit::Trial& trial : fit.trials)
      if (const double off = std::fabs(trial.predicted / trial.measured - 1); std::isfinite(off))
        seen.add(fmt::format("{} passes of {} a row, {}", trial.passes, trial.m, precision), off <= 0.1);
  };
  compare("f32", f32), compare("f64", f64);
  seen.rest_on(fmt::format("8 sizes of 4 to 8 passes of {} rows", grouped(resident_rows(record.lab))));
  const OnMatrices errors = on_the_eleven(record, {f32.model, f64.model}, seen);
  const auto of_matrices = [](const Numbers& list, const char* which) {
    const std::size_t close = present(list) - count_above(list, 10);
    return fmt::format("{}: {} of {} within 10 %, median {}", which, close, present(list), percent(median(list)));
  };
  record.judge(seen,
               fmt::format("median error on sizes {} float, {} double, with 16-bit columns {} and {}; matrices of a "
                           "pass and more, {}; {}",
                           percent(median(f32.errors())), percent(median(f64.errors())), percent(median(s32.errors())),
                           percent(median(s64.errors())), of_matrices(errors.whole, "cases"),
                           of_matrices(errors.part, "less than a pass, not judged")),
               percent(median(f32.errors())) + " off on sizes not fitted");
}

// ---- R19, R20

// The blocks of weave have both. Counted, as the formats allocate.
void blocks_of_short_columns(Record& record) {
  std::vector<const Matrix*> used;
  std::vector<std::string> said;
  for (const Williams& one : eleven()) {
    const Matrix* matrix = record.try_whole(one.name);
    if (matrix == nullptr || !one_of(one.called, {"Cantilever", "Sphere", "Protein", "WindTunnel", "Harbor"})) continue;
    used.push_back(matrix);
    const auto bytes = [&](const char* plan) {
      const Footprint needs = footprint(matrix->A.view(), Plan::parse(plan), 4);
      const double each = static_cast<double>(needs.bytes) / static_cast<double>(matrix->A.nnz());
      return fixed(needs.fits ? each : bench::unknown, 2);
    };
    said.push_back(
        fmt::format("{} {}, {}, {}", one.called, bytes("weave layout=blocks"), bytes("ell16"), bytes("ell")));
  }
  record.also_measured(
      "16-bit columns with register blocks (future work of the paper): bytes an entry in float, padding "
      "included, of weave's blocks, of ell16 and of ell",
      fmt::format("{}", fmt::join(said, "; ")), basis_of(used));
}

void compressible(Record& record) {
  Table table{.title = "Column distances in 16 bits, before and after RCM",
              .columns = {"matrix", "source", "rows", "bandwidth", "after RCM", "fits before", "fits after"}};
  int before = 0, after = 0, lower = 0, bytes_before = 0, bytes_after = 0;
  Findings narrower = record.findings("R48");
  std::vector<const Matrix*> all;
  for (const Williams& one : eleven()) {
    const Matrix* found = record.try_whole(one.name);
    if (found == nullptr) continue;
    const Matrix& matrix = *found;
    const Matrix& ordered = record.lab.in_rcm_order(matrix);
    const bool fits = fits_16_bits(matrix.A), fits_ordered = fits || fits_16_bits(ordered.A);
    all.push_back(&matrix);
    before += fits, after += fits_ordered;
    const bool is_lower = bandwidth(ordered.A.view()) < bandwidth(matrix.A.view());
    narrower.see(matrix, is_lower), lower += is_lower;
    bytes_before += fits_bits(matrix.A, 8), bytes_after += fits_bits(ordered.A, 8);
    table.rows.push_back({one.called, fmt::format("{}: {}", source_of(matrix), matrix.facts.source),
                          grouped(matrix.facts.rows), grouped(bandwidth(matrix.A.view())),
                          grouped(bandwidth(ordered.A.view())), fits ? "yes" : "no", fits_ordered ? "yes" : "no"});
  }
  record.add(std::move(table));
  record.also_measured(
      "offsets of one byte, which the paper names and does not try",
      fmt::format("hold every column of {} of {} matrices, of {} after RCM", bytes_before, all.size(), bytes_after),
      basis_of(all));
  blocks_of_short_columns(record);
  record.judge(narrower, fmt::format("lower on {} of {}, stand-ins among them", lower, all.size()));
  const std::string now = fmt::format("{} of {} before, {} after RCM", before, all.size(), after);
  Findings seen = record.findings("R19", "counts");
  if (seen.fit_among(all).size() < eleven().size())
    return record.leave_open("R19", "which columns are far is a matter of how the real matrices are numbered", now,
                             seen.basis());
  seen.add("before", before == 7), seen.add("after RCM", after == 10);
  record.judge(seen, now);
}

void short_columns(Record& record) {
  const std::vector<std::string> full{"stencil2d5,n=3000", "stencil3d27,n=100", "fem,n=50,dof=3",
                                      "band,rows=2M,width=10"};
  const std::vector<std::string> small{"stencil2d5,n=20", "band,rows=500,width=10"};
  Table table{.title = "16-bit over 32-bit columns on matrices that no cache holds (ell16, ellr)",
              .columns = {"matrix", "float", "double"}};
  Numbers gains[2];
  for (const std::string& text : record.lab.quick() ? small : full) {
    const Matrix& matrix = record.lab.generated(text);
    std::vector<std::string> cells{text};
    for (const Precision precision : both) {
      gains[static_cast<int>(precision)].push_back(record.lab.seconds(matrix, "ellr T=1 block=256", precision) /
                                                   record.lab.seconds(matrix, "ell16", precision));
      cells.push_back(fixed(gains[static_cast<int>(precision)].back(), 2));
    }
    table.rows.push_back(std::move(cells));
    record.lab.forget(matrix);
  }
  record.add(std::move(table));
  const double f32 = geometric_mean(gains[0]), f64 = geometric_mean(gains[1]);
  Findings seen = record.findings("R20", "precisions");
  seen.rest_on(fmt::format("{} generated matrices", gains[0].size()));
  if (std::isfinite(f32)) seen.add("f32", is_faster(f32) && f32 <= 8.0 / 6);
  if (std::isfinite(f64)) seen.add("f64", is_faster(f64) && f64 <= 12.0 / 10);
  record.judge(seen, fmt::format("{} float, {} double in the geometric mean", fixed(f32, 2), fixed(f64, 2)),
               fixed(f32, 2) + " times as fast (float)");
}

}  // namespace

PaperPlan model_paper() {
  return {"model",
          "Paper 5: performance model, RCM, 16-bit columns, cache hints",
          "The Journal of Supercomputing, online 2011; Tesla C1060 and GTX 480",
          {{{"R17", "R22"}, share_of_x},
           {{"R18", "R47"}, pass_model},
           {{"R19", "R48"}, compressible},
           {{"R20"}, short_columns},
           {{"R21", "R26", "R30", "R41"}, tables_5_to_7},
           {{}, energy, "energy", {"Energy of a", "joules of products"}}}};
}

}  // namespace heddle::reproduce
