// Paper 1: ELLPACK-R, ELLPACK with row lengths, against the kernels of its time.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <heddle/formats.hpp>

#include "reproduce/record.hpp"

namespace heddle::reproduce {

namespace {

struct Kernel {
  const char *called, *plan;
};
constexpr Kernel kernels[] = {{"CRS", "csr lanes=1"},         {"CRS (vector)", "csr lanes=32"},
                              {"SpMV4GPU", "csr_padded"},     {"ELLPACK", "ell"},
                              {"HYB", "hyb rule=two_thirds"}, {"ELLPACK-R", "ellr T=1 block=256"}};
constexpr const char* ellpack = "ell";
constexpr const char* hyb = "hyb rule=two_thirds";
constexpr const char* ellpack_r = "ellr T=1 block=256";

std::vector<std::string> names_of_table_one() {
  std::vector<std::string> names;
  for (const TableOneRow& row : table_one()) names.emplace_back(row.name);
  return names;
}

// ---- R1, R2

double percent_in_ell(const Matrix& matrix) {
  const auto K = std::stoll(*resolve(matrix.A.view(), Plan::parse("hyb rule=two_thirds")).find("K"));
  std::int64_t inside = 0;
  for (const std::int64_t length : matrix.lengths()) inside += std::min<std::int64_t>(length, K);
  return 100 * static_cast<double>(inside) / static_cast<double>(matrix.facts.nnz);
}

constexpr double rounding = 0.006;

// What is printed cannot all be true, whatever the matrix.
std::string misprint(const TableOneRow& printed) {
  const double mean = static_cast<double>(printed.nnz) / static_cast<double>(printed.rows);
  if (printed.deviation == 0 && printed.above_mean > 0) return "printed longest row contradicts the deviation 0";
  if (std::fabs(mean - printed.mean) > rounding) return "printed mean is not entries / rows";
  if (std::fabs(100 * printed.deviation / printed.mean - printed.cv) > 0.6) return "printed deviation / mean is off";
  return {};
}

// The mean is left out: it is entries / rows. One entry more or less is how files of a matrix differ.
bool agrees(const Specimen& ours, const TableOneRow& printed) {
  const bool longest_misprinted = printed.deviation == 0;
  const double longest = printed.mean + printed.above_mean;
  return ours.rows == printed.rows && std::llabs(ours.nnz - printed.nnz) <= 1 &&
         (longest_misprinted || std::fabs(static_cast<double>(ours.longest) - longest) <= rounding) &&
         std::fabs(ours.deviation - printed.deviation) <= rounding;
}

std::vector<std::string> statistics_row(const TableOneRow& row, const Matrix* matrix, double share,
                                        const std::string& remark) {
  const Specimen facts = matrix ? matrix->facts : Specimen{};
  const auto pair = [&](const std::string& printed, const std::string& here) {
    return printed + " | " + (matrix ? here : "-");
  };
  const auto numbers = [&](double printed, double here) { return pair(fixed(printed, 2), fixed(here, 2)); };
  return {row.name,
          matrix ? fmt::format("{}: {}", name_of(facts.origin), facts.source) : "stand-in, not compared",
          pair(grouped(row.rows), grouped(facts.rows)),
          pair(grouped(row.nnz), grouped(facts.nnz)),
          numbers(row.mean, facts.mean),
          numbers(row.above_mean, static_cast<double>(facts.longest) - facts.mean),
          numbers(row.deviation, facts.deviation),
          numbers(row.cv, 100 * facts.deviation / facts.mean),
          pair(fixed(row.percent_ell, 1), fixed(share, 1)),
          remark};
}

void statistics(Record& record) {
  Table table{.title = "Table I: the test matrices, printed | here",
              .note =
                  "Real files are compared with the print. What a description fixes (a lattice, a full matrix) is a "
                  "self-check; stand-ins show what they are like.",
              .columns = {"matrix", "source", "rows", "entries", "mean", "longest - mean", "deviation", "cv %",
                          "% in HYB's ELL", ""}};
  Findings same = record.findings("R1"), shares = record.findings("R2");
  std::vector<std::string> misprints;
  for (const TableOneRow& row : table_one()) {
    const bool comparable = record.lab.has_file(row.name) || subject(row.name).fixed;
    const Matrix* matrix = nullptr;
    if (comparable)
      matrix = record.try_whole(row.name);
    else if (!record.lab.quick())
      matrix = record.try_matrix(row.name);
    const double share = matrix ? percent_in_ell(*matrix) : bench::unknown;
    std::string remark = misprint(row);
    if (comparable && matrix) {
      const bool agree = agrees(matrix->facts, row), share_agrees = std::fabs(share - row.percent_ell) <= 1;
      if (matrix->facts.real()) {
        same.see(*matrix, agree);
        shares.see(*matrix, share_agrees);
        if (!remark.empty()) misprints.push_back(std::string(row.name) + ": " + remark);
      } else {
        record.self_check(fmt::format("{} as it is described has the statistics of Table I", row.name),
                          agree && share_agrees,
                          fmt::format("{} rows, {} entries, deviation {}", grouped(matrix->facts.rows),
                                      grouped(matrix->facts.nnz), fixed(matrix->facts.deviation, 2)));
      }
      if (!agree) remark += remark.empty() ? "differs" : "; differs";
    }
    table.rows.push_back(statistics_row(row, matrix, share, remark));
  }
  record.add(std::move(table));
  record.judge(same, misprints.empty() ? "" : fmt::format("misprints: {}", fmt::join(misprints, "; ")));
  record.judge(shares, "");
}

// ---- R3

// Rows of 16 entries on average; every 256th has `longest`, the others are equal.
Csr<double> padded_case(std::int64_t rows, std::int64_t longest) {
  constexpr std::int64_t every = 256, mean = 16;
  const std::int64_t others = (mean * every - longest) / (every - 1), more = (mean * every - longest) % (every - 1);
  Vector<std::int64_t> lengths(static_cast<std::size_t>(rows));
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t place = row % every;
    lengths[static_cast<std::size_t>(row)] = place == 0 ? longest : others + (place <= more);
  }
  return matrix_with_lengths(lengths);
}

// Steps of all warps over the entries: what a lane per row must wait for.
double warp_overhead(const Matrix& matrix) {
  const std::vector<std::int64_t> lengths = matrix.lengths();
  std::int64_t steps = 0;
  for (std::size_t first = 0; first < lengths.size(); first += 32)
    steps +=
        32 * *std::max_element(lengths.begin() + static_cast<std::ptrdiff_t>(first),
                               lengths.begin() + static_cast<std::ptrdiff_t>(std::min(first + 32, lengths.size())));
  return static_cast<double>(steps) / static_cast<double>(matrix.facts.nnz);
}

struct Gain {
  const Matrix* matrix;
  double padding, gain;
};

Gain gain_of(Record& record, const Matrix& matrix, Table& table) {
  const Numbers seconds{record.lab.seconds(matrix, ellpack, Precision::f32),
                        record.lab.seconds(matrix, hyb, Precision::f32),
                        record.lab.seconds(matrix, ellpack_r, Precision::f32)};
  const char* names[] = {"ELLPACK", "HYB", "ELLPACK-R"};
  const Gain gain{&matrix, matrix.padding_of_ellpack(), seconds[0] / seconds[2]};
  const auto lead = std::find(seconds.begin(), seconds.end(), smallest(seconds));
  table.rows.push_back({matrix.facts.name, name_of(matrix.facts.origin), fixed(gain.padding, 2),
                        fixed(warp_overhead(matrix), 2), micro(seconds[0]), micro(seconds[1]), micro(seconds[2]),
                        fixed(gain.gain, 2), lead == seconds.end() ? "-" : names[lead - seconds.begin()]});
  return gain;
}

constexpr double well_above = 1.3;  // N Max / nnz

Table table_of_gains(const std::string& title, const std::string& note) {
  return {.title = title,
          .note = note,
          .columns = {"matrix", "source", "N Max / nnz", "warp steps / nnz", "ELLPACK us", "HYB us", "ELLPACK-R us",
                      "ELLPACK-R over ELLPACK", "first"}};
}

// What the paper does not say: how the gain grows with padding at the same mean, and what it is without padding.
void padding_sweep(Record& record, Figure::Series& series) {
  const std::int64_t rows = record.lab.quick() ? 1024 : 262144;
  Table table = table_of_gains("ELLPACK-R over ELLPACK as padding grows (float)",
                               "Artificial matrices: 16 entries a row on average, every 256th row has the longest.");
  Numbers gains;
  for (const std::int64_t longest : {16, 24, 32, 48, 64, 96, 128}) {
    const Matrix& matrix =
        record.lab.made(fmt::format("16 a row, longest {}", longest), fmt::format("{} rows, own", grouped(rows)),
                        [&] { return padded_case(rows, longest); });
    const Gain gain = gain_of(record, matrix, table);
    record.lab.forget(matrix);
    gains.push_back(gain.gain);
    series.x.push_back(gain.padding), series.y.push_back(gain.gain);
  }
  record.add(std::move(table));
  record.also_measured("ELLPACK-R over ELLPACK on artificial matrices: about 1 at equal rows, growing with padding",
                       fmt::format("{} at equal rows, {} at the least padding, {} at the largest", fixed(gains[0], 2),
                                   fixed(gains[1], 2), fixed(gains.back(), 2)),
                       "7 artificial matrices");
}

void against_ellpack(Record& record) {
  Figure figure{.title = "ELLPACK-R over ELLPACK",
                .x_label = "N Max / nnz",
                .y_label = "gain",
                .kind = Figure::Kind::lines,
                .series = {{"artificial, 16 a row", {}, {}}, {"Table I", {}, {}}},
                .logarithmic_x = true,
                .reference = 1};
  padding_sweep(record, figure.series[0]);
  Table table = table_of_gains("ELLPACK-R over ELLPACK on Table I, and which of the three is first (float)",
                               "The paper has ELLPACK or HYB slightly ahead on mc2depi and shipsec1.");
  Findings seen = record.findings("R3");
  std::vector<Gain> all;
  for (const TableOneRow& row : table_one()) {
    const Matrix* matrix = record.try_matrix(row.name);
    if (matrix == nullptr) continue;
    all.push_back(gain_of(record, *matrix, table));
    if (row.rows >= 10000 && all.back().padding > well_above) seen.see_above(*matrix, all.back().gain, 1);
  }
  std::sort(all.begin(), all.end(), [](const Gain& a, const Gain& b) { return a.padding < b.padding; });
  for (const Gain& gain : all) figure.series[1].x.push_back(gain.padding), figure.series[1].y.push_back(gain.gain);
  record.add(std::move(table));
  record.add(std::move(figure));
  std::vector<std::string> said;
  for (const Gain& gain : all)
    for (const char* name : {"rma10", "pdb1HYS", "shipsec1", "pwtk", "mc2depi"})
      if (gain.matrix->facts.name == name) said.push_back(fmt::format("{} {}", name, fixed(gain.gain, 2)));
  record.judge(seen, fmt::format("ELLPACK-R over ELLPACK: {}", fmt::join(said, ", ")));
}

// ---- R4

struct Rates {
  const Matrix* matrix;
  Numbers gflops;  // by kernel
  double over_one_core;
};

Rates rates_of(Lab& lab, const Matrix& matrix) {
  Rates rates{&matrix, {}, lab.one_core_seconds(matrix) / lab.seconds(matrix, ellpack_r, Precision::f32)};
  for (const Kernel& kernel : kernels) rates.gflops.push_back(lab.gflops(matrix, kernel.plan, Precision::f32));
  return rates;
}

// Over the matrices that every kernel can store, each counted by its entries; NaN without any.
Numbers weighted_means(const std::vector<Rates>& all) {
  Numbers sums(std::size(kernels), 0);
  double entries = 0;
  for (const Rates& rates : all) {
    if (present(rates.gflops) < rates.gflops.size()) continue;
    const auto nnz = static_cast<double>(rates.matrix->facts.nnz);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += nnz * rates.gflops[k];
    entries += nnz;
  }
  for (double& sum : sums) sum /= entries;
  return sums;
}

void show_rates(Record& record, const std::vector<Rates>& all) {
  Table table{.title = "Figure 4: GFLOP/s per matrix and kernel, float", .columns = {"matrix", "source"}};
  Figure bars{.title = "GFLOP/s per matrix (figure 4)", .y_label = "GFLOP/s"};
  Figure core{.title = "ELLPACK-R over one core of the host (figure 6; then 2 to 13.1 over MKL)",
              .y_label = "speed-up",
              .series = {{"ELLPACK-R", {}, {}}}};
  for (const Kernel& kernel : kernels) {
    table.columns.emplace_back(kernel.called);
    bars.series.push_back({kernel.called, {}, {}});
  }
  table.columns.emplace_back("ELLPACK-R over one core");
  for (const Rates& rates : all) {
    std::vector<std::string> cells{rates.matrix->facts.name, name_of(rates.matrix->facts.origin)};
    for (std::size_t k = 0; k < rates.gflops.size(); ++k) {
      cells.push_back(significant(rates.gflops[k]));
      bars.series[k].y.push_back(rates.gflops[k]);
    }
    cells.push_back(fixed(rates.over_one_core, 1));
    core.series[0].y.push_back(rates.over_one_core);
    core.categories.push_back(rates.matrix->facts.name);
    bars.categories.push_back(rates.matrix->facts.name);
    table.rows.push_back(std::move(cells));
  }
  record.add(std::move(table));
  record.add(std::move(bars));
  if (record.lab.on_gpu()) record.add(std::move(core));
}

void averages(Record& record) {
  const auto matrices = record.try_matrices(names_of_table_one());
  std::vector<Rates> all;
  for (const Matrix* matrix : matrices) all.push_back(rates_of(record.lab, *matrix));
  show_rates(record, all);
  const Numbers means = weighted_means(all);
  Table weighted{.title = "Figure 5: means weighted by entries, float",
                 .note = "Over the matrices that all six kernels can store.",
                 .columns = {"kernel", "place then", "GFLOP/s here", "place here"}};
  const char* places[] = {"4 to 6", "4 to 6", "4 to 6", "3", "2", "1"};
  std::vector<std::string> said;
  for (std::size_t k = 0; k < means.size(); ++k) {
    weighted.rows.push_back(
        {kernels[k].called, places[k], significant(means[k]), fmt::format("{}", 1 + count_above(means, means[k]))});
    said.push_back(std::string(kernels[k].called) + " " + significant(means[k]));
  }
  record.add(std::move(weighted));
  Findings seen = record.findings("R4", "steps");
  seen.fit_among(matrices);
  seen.add_above("ELLPACK-R over HYB", means[5] / means[4], 1);
  seen.add_above("HYB over ELLPACK", means[4] / means[3], 1);
  seen.add_above("ELLPACK over the CRS kernels", means[3] / largest({means[0], means[1], means[2]}), 1);
  record.judge(seen, fmt::format("{} GFLOP/s", fmt::join(said, ", ")));
}

// ---- R24

void small_matrices(Record& record) {
  Table table{.title = "Small matrices: HYB and the best one-kernel format, float, us",
              .columns = {"matrix", "source", "rows", "HYB", "best one-kernel format", "", "HYB / best"}};
  Numbers ratios;
  Findings seen = record.findings("R24");
  for (const TableOneRow& row : table_one()) {
    if (row.rows >= 10000 || std::string(row.name) == "dense2") continue;
    const Matrix* matrix = record.try_matrix(row.name);
    if (matrix == nullptr) continue;
    const double by_hyb = record.lab.seconds(*matrix, hyb, Precision::f32);
    double best = HUGE_VAL;
    const char* name = "-";
    for (const char* plan : {"csr lanes=32", "csr_padded", "ell", ellpack_r, "sell"})
      if (const double seconds = record.lab.seconds(*matrix, plan, Precision::f32); seconds < best)
        best = seconds, name = plan;
    ratios.push_back(by_hyb / best);
    seen.see_above(*matrix, ratios.back(), 1);
    table.rows.push_back({row.name, name_of(matrix->facts.origin), grouped(matrix->facts.rows), micro(by_hyb),
                          micro(best), name, fixed(ratios.back(), 2)});
  }
  record.add(std::move(table));
  record.judge(seen, fmt::format("HYB takes {} times the best in the geometric mean, {} at most",
                                 fixed(geometric_mean(ratios), 2), fixed(largest(ratios), 2)));
}

}  // namespace

PaperPlan ellpack_r_paper() {
  return {"ellpack_r",
          "Paper 1: ELLPACK-R",
          "Vazquez, Fernandez, Garzon: Concurrency and Computation, 2010; GTX 295",
          {{{"R1", "R2"}, statistics}, {{"R4"}, averages}, {{"R3"}, against_ellpack}, {{"R24"}, small_matrices}}};
}

}  // namespace heddle::reproduce
