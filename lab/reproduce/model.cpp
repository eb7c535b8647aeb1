// Paper 5: the share of x, the pass model, RCM, 16-bit columns and cache hints.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <heddle/reorder.hpp>

#include "plan/pass_model.hpp"
#include "reproduce/record.hpp"
#include "reproduce/uniform_rows.hpp"

namespace heddle::reproduce {

namespace {

// Table 3 (share of x in percent) and table 5 (RCM used; gains in percent of t_pseudo and t_all, float and double).
struct Printed {
  const char* called;
  double x_share;
  bool rcm;
  double pseudo[2], all[2];
};
constexpr double none = bench::unknown;
const std::vector<Printed>& printed() {
  static const std::vector<Printed> rows{{"Cantilever", 7.1, false, {18.7, 4.6}, {11.1, 5.0}},
                                         {"Sphere", 8.2, true, {20.8, 15.1}, {23.0, 10.9}},
                                         {"Accelerator", 25.7, true, {12.2, 10.3}, {17.1, 32.5}},
                                         {"Economics", 17.1, false, {20.6, 17.3}, {13.0, 10.6}},
                                         {"Epidemiology", 15.1, false, {23.1, 11.2}, {23.1, 9.7}},
                                         {"Protein", 7.2, false, {12.0, 9.3}, {9.3, 9.3}},
                                         {"WindTunnel", 3.4, true, {23.5, 14.7}, {22.0, 14.4}},
                                         {"QCD", 8.4, false, {27.3, 6.6}, {19.0, 10.1}},
                                         {"Harbor", 4.5, true, {9.9, 10.1}, {7.7, 9.7}},
                                         {"Circuit", 25.4, true, {6.5, 6.7}, {14.3, 17.8}},
                                         {"Web", 24.8, true, {none, none}, {18.0, 3.0}}};
  return rows;
}

bool one_of(const std::string& word, std::initializer_list<const char*> list) {
  return std::any_of(list.begin(), list.end(), [&](const char* known) { return word == known; });
}

struct Case {
  const Printed& then;
  const Matrix& matrix;
};

std::vector<Case> cases(Record& record) {
  std::vector<Case> list;
  for (std::size_t k = 0; k < eleven().size(); ++k)
    if (const Matrix* matrix = record.try_matrix(eleven()[k].name)) list.push_back({printed()[k], *matrix});
  return list;
}

std::string source_of(const Matrix& matrix) { return name_of(matrix.facts.origin); }

// ---- R17, R22

constexpr const char* no_kernel = "paper 5's kernel runs on a GPU; this is the cpu";

void share_of_x(Record& record) {
  if (!record.lab.has_lane_kernel()) {
    record.leave_open("R17", no_kernel);
    return record.leave_open("R22", no_kernel);
  }
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
  record.judge(shares, fmt::format("{} on average ({} to {})", percent(mean(all)), percent(smallest(all)),
                                   percent(largest(all))));
  record.judge(savings, "");
}

// ---- R18

// Threads a multiprocessor holds: fewer on some consumer parts.
int threads_per_unit(const std::string& capability) {
  if (one_of(capability, {"8.6", "8.7", "8.9", "12.0", "12.1"})) return 1536;
  return capability == "7.5" ? 1024 : 2048;
}

std::int64_t resident_threads(const Lab& lab) {
  if (!lab.on_gpu()) return 256;  // the emulator holds as many as one likes
  const DeviceInfo info = describe(lab.settings().device);
  return std::int64_t{info.units} * threads_per_unit(info.capability);
}

struct Trial {
  double passes;
  std::int64_t m;
};

struct Fitted {
  PassModel model;
  Numbers errors;  // on sizes that were not fitted, in percent
};

template <class V, class Codec>
Fitted fit_pass_model(Lab& lab, Figure* figure) {
  const std::int64_t resident = resident_threads(lab);
  constexpr std::int64_t most_passes = 8, widest = 24;
  UniformRows<V, Codec> matrices(lab.settings().device, most_passes * resident * widest, most_passes * resident);
  std::vector<Fit3> equations;
  Numbers times;
  for (const std::int64_t passes : {1, 2, 3, 4, 6, 8})
    for (const std::int64_t m : {4, 8, 16, 24}) {
      times.push_back(matrices.seconds_without_x(lab, passes * resident, m));
      equations.push_back({{1, static_cast<double>(passes - 1), static_cast<double>(passes * m)}});
    }
  const Fit3 found = fit(equations, times);
  Fitted fitted{{found.c[0], found.c[1], found.c[2], resident}, {}};
  for (const Trial trial : {Trial{4, 6}, {4.5, 12}, {5.3, 20}, {5.3, 5}, {6.5, 10}, {6.7, 18}, {7.2, 22}, {7.9, 3}}) {
    const auto rows = static_cast<std::int64_t>(trial.passes * static_cast<double>(resident)) / 32 * 32;
    const double measured = matrices.seconds_without_x(lab, rows, trial.m);
    const double predicted = predict(fitted.model, rows, trial.m);
    fitted.errors.push_back(100 * std::fabs(predicted / measured - 1));
    if (figure) {
      figure->categories.push_back(fmt::format("{} passes, {} a row", trial.passes, trial.m));
      figure->series[0].y.push_back(measured * 1e6), figure->series[1].y.push_back(predicted * 1e6);
    }
  }
  return fitted;
}

void pass_model(Record& record) {
  if (!record.lab.has_lane_kernel()) return record.leave_open("R18", no_kernel);
  Table table{
      .title = "Table 2: the pass model's constants, milliseconds",
      .note = "Here: caches evicted before every call; n a multiple of the resident threads, 4 to 24 entries a row.",
      .columns = {"device", "columns", "float D0", "D1", "D2", "double D0", "D1", "D2"}};
  for (const auto& row : std::vector<std::vector<std::string>>{
           {"C1060", "32 bits", "7.753e-3", "3.530e-3", "2.807e-3", "1.077e-2", "6.292e-3", "4.312e-3"},
           {"GTX 480", "32 bits", "3.713e-3", "1.180e-3", "1.250e-3", "4.430e-3", "2.444e-3", "1.775e-3"},
           {"C1060", "16 bits", "8.135e-3", "3.156e-3", "2.189e-3", "1.137e-2", "5.972e-3", "4.036e-3"},
           {"GTX 480", "16 bits", "3.290e-3", "1.614e-3", "1.114e-3", "4.812e-3", "2.412e-3", "1.526e-3"}})
    table.rows.push_back(row);
  Figure figure{.title = "Time without x on sizes that were not fitted (float)",
                .y_label = "us",
                .series = {{"measured", {}, {}}, {"predicted", {}, {}}}};
  const Fitted f32 = fit_pass_model<float, Index32>(record.lab, &figure);
  const Fitted f64 = fit_pass_model<double, Index32>(record.lab, nullptr);
  const Fitted s32 = fit_pass_model<float, Column16>(record.lab, nullptr);
  const Fitted s64 = fit_pass_model<double, Column16>(record.lab, nullptr);
  const auto put = [&](const char* columns, const PassModel& a, const PassModel& b) {
    std::vector<std::string> cells{"here", columns};
    for (const double value : {a.D0, a.D1, a.D2, b.D0, b.D1, b.D2}) cells.push_back(fmt::format("{:.3e}", value * 1e3));
    table.rows.push_back(std::move(cells));
  };
  put("32 bits", f32.model, f64.model);
  put("16 bits", s32.model, s64.model);
  record.add(std::move(table));
  record.add(std::move(figure));
  Findings seen = record.findings("R18", "sizes");
  const auto compare = [&](const char* precision, const Numbers& errors) {
    for (std::size_t k = 0; k < errors.size(); ++k)
      if (std::isfinite(errors[k])) seen.add(fmt::format("size {}, {}", k + 1, precision), errors[k] <= 10);
  };
  compare("float", f32.errors), compare("double", f64.errors);
  seen.rest_on(fmt::format("8 sizes of 4 to 8 passes of {} threads", grouped(resident_threads(record.lab))));
  record.judge(seen,
               fmt::format("median error {} float, {} double; 16-bit columns {}, {}", percent(median(f32.errors)),
                           percent(median(f64.errors)), percent(median(s32.errors)), percent(median(s64.errors))));
}

// ---- R19, R20

bool fits_16_bits(const Csr<double>& A) {
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      if (!Column16::holds(row, A.col[k])) return false;
  return true;
}

void compressible(Record& record) {
  Table table{.title = "Column distances in 16 bits, before and after RCM",
              .columns = {"matrix", "source", "rows", "bandwidth", "after RCM", "fits before", "fits after"}};
  int before = 0, after = 0;
  std::vector<const Matrix*> all;
  for (const Williams& one : eleven()) {
    const Matrix* found = record.try_whole(one.name);
    if (found == nullptr) continue;
    const Matrix& matrix = *found;
    const Matrix& ordered = record.lab.in_rcm_order(matrix);
    const bool fits = fits_16_bits(matrix.A), fits_ordered = fits || fits_16_bits(ordered.A);
    all.push_back(&matrix);
    before += fits, after += fits_ordered;
    table.rows.push_back({one.called, fmt::format("{}: {}", source_of(matrix), matrix.facts.source),
                          grouped(matrix.facts.rows), grouped(bandwidth(matrix.A.view())),
                          grouped(bandwidth(ordered.A.view())), fits ? "yes" : "no", fits_ordered ? "yes" : "no"});
  }
  record.add(std::move(table));
  const std::string now = fmt::format("{} of {} before, {} after RCM", before, all.size(), after);
  Findings seen = record.findings("R19", "counts");
  if (seen.fit_among(all).size() < eleven().size())
    return record.leave_open("R19", "which columns are far is a matter of how the real matrices are numbered", now,
                             seen.basis());
  seen.add("before", before == 7), seen.add("after RCM", after == 10);
  record.judge(seen, now);
}

void short_columns_table(Record& record) {
  Table table{
      .title = "Table 5: RCM and 16-bit columns, gain in percent, then | here",
      .note = "RCM where the paper uses it. A dash: some column is too far away.",
      .columns = {"matrix", "source", "RCM", "t_pseudo float", "t_pseudo double", "t_all float", "t_all double"}};
  for (const auto& [then, matrix] : cases(record)) {
    const Matrix& ordered = then.rcm ? record.lab.in_rcm_order(matrix) : matrix;
    const bool fits = fits_16_bits(ordered.A);
    std::vector<std::string> pseudo, all;
    for (const Precision precision : both) {
      const auto p = static_cast<std::size_t>(precision);
      const TimeSplit base = record.lab.split(matrix, precision, Columns::bits32);
      const TimeSplit better = fits ? record.lab.split(ordered, precision, Columns::bits16) : TimeSplit{};
      const auto pair = [](double printed_gain, double gain) {
        return fmt::format("{} | {}", fixed(printed_gain, 1), fixed(gain, 1));
      };
      pseudo.push_back(pair(then.pseudo[p], 100 * (base.without_x / better.without_x - 1)));
      all.push_back(pair(then.all[p], 100 * (base.all / better.all - 1)));
    }
    table.rows.push_back(
        {then.called, source_of(matrix), then.rcm ? "yes" : "no", pseudo[0], pseudo[1], all[0], all[1]});
  }
  record.add(std::move(table));
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
  if (record.lab.has_lane_kernel()) short_columns_table(record);
  const double f32 = geometric_mean(gains[0]), f64 = geometric_mean(gains[1]);
  Findings seen = record.findings("R20", "precisions");
  seen.rest_on(fmt::format("{} generated matrices", gains[0].size()));
  if (std::isfinite(f32)) seen.add("f32", f32 > 1 && f32 <= 8.0 / 6);
  if (std::isfinite(f64)) seen.add("f64", f64 > 1 && f64 <= 12.0 / 10);
  record.judge(seen, fmt::format("{} float, {} double in the geometric mean", fixed(f32, 2), fixed(f64, 2)));
}

// ---- R21

// Paper 5 multiplies by ELLPACK, and by HYB where padding is too large.
Literal base_of(const Matrix& matrix, Literal::Loads loads) {
  const bool even = matrix.padding_of_ellpack() <= 3;
  return {.kernel = even ? Literal::Kernel::ellpack : Literal::Kernel::hyb, .loads = loads};
}

void load_strategies(Record& record) {
  // Speed-up II of table 6 in percent: strategy 3 over strategy 1.
  const std::vector<std::pair<double, double>> then{{none, none}, {14.1, 14.7}, {23.6, 9.6},  {23.4, 10.2},
                                                    {8.4, 5.3},   {13.7, 14.0}, {18.7, 21.3}, {21.9, 21.9},
                                                    {13.9, 11.4}, {30.6, 21.0}, {10.7, 8.8}};
  Table table{.title =
                  "Table 6: the matrix past the caches, gain in percent over plain loads, then | the paper's "
                  "kernel | today's ellr",
              .note =
                  "Then: GTX 480, speed-up II (strategy 3 over 1). In brackets: caches evicted before every call. "
                  "The paper's kernel is ELLPACK, or HYB where padding would exceed threefold.",
              .columns = {"matrix", "source", "float", "double"}};
  Numbers gains[2], modern[2];
  Findings seen = record.findings("R21", "precisions");
  for (const auto& [printed_row, matrix] : cases(record)) {
    const bool fit = !seen.fit_among({&matrix}).empty();
    std::vector<std::string> cells{printed_row.called, source_of(matrix)};
    for (const Precision precision : both) {
      const auto gain = [&](Caches caches) {
        return record.lab.seconds(matrix, base_of(matrix, Literal::Loads::texture), precision, caches) /
               record.lab.seconds(matrix, base_of(matrix, Literal::Loads::data_cache), precision, caches);
      };
      const auto p = static_cast<std::size_t>(precision);
      const double today = record.lab.seconds(matrix, "ellr cache=all", precision) /
                           record.lab.seconds(matrix, "ellr cache=x", precision);
      const double warm = gain(Caches::warm), cold = gain(Caches::cold);
      const auto& paper = then[static_cast<std::size_t>(&printed_row - printed().data())];
      if (fit) gains[p].push_back(warm), modern[p].push_back(today);
      cells.push_back(fmt::format("{} | {} ({}) | {}", fixed(p == 0 ? paper.first : paper.second, 1),
                                  fixed(100 * (warm - 1), 1), fixed(100 * (cold - 1), 1), fixed(100 * (today - 1), 1)));
    }
    table.rows.push_back(std::move(cells));
  }
  record.add(std::move(table));
  for (const Precision precision : both)
    seen.add_above(name_of(precision), geometric_mean(gains[static_cast<int>(precision)]), 1);
  record.judge(
      seen, fmt::format("{} float, {} double in the geometric mean ({} to {} in float); today's ellr {} and {}",
                        fixed(geometric_mean(gains[0]), 3), fixed(geometric_mean(gains[1]), 3),
                        fixed(smallest(gains[0]), 2), fixed(largest(gains[0]), 2), fixed(geometric_mean(modern[0]), 3),
                        fixed(geometric_mean(modern[1]), 3)));
}

}  // namespace

PaperPlan model_paper() {
  return {"model",
          "Paper 5: performance model, RCM, 16-bit columns, cache hints",
          "The Journal of Supercomputing, online 2011; Tesla C1060 and GTX 480",
          {{{"R17", "R22"}, share_of_x},
           {{"R18"}, pass_model},
           {{"R19"}, compressible},
           {{"R20"}, short_columns},
           {{"R21"}, load_strategies}}};
}

}  // namespace heddle::reproduce
