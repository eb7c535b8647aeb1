// Paper 4: ELLR-T, T threads per row, the best of twelve configurations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <heddle/machine.hpp>

#include "reproduce/record.hpp"

namespace heddle::reproduce {

namespace {

constexpr int teams[] = {1, 2, 4, 8}, blocks[] = {128, 256, 512};
constexpr double tie = 1.02;  // configurations this close are the same

struct Best {
  int T = 0, block = 0;
  double seconds = bench::unknown;
  double over_one_lane = bench::unknown;  // time of T = 1, block 256 over it
  double wide = bench::unknown;           // best time with 16 or 32 lanes per row, over it
};

// The fastest; of those that tie with it, the fewest lanes.
Best best_of_twelve(Lab& lab, const Matrix& matrix) {
  const auto seconds = [&](int T, int block) {
    return lab.seconds(matrix, fmt::format("ellr T={} block={}", T, block), Precision::f32);
  };
  Best best;
  Numbers all;
  for (const int T : teams)
    for (const int block : blocks) all.push_back(seconds(T, block));
  best.seconds = smallest(all);
  for (const int T : teams)
    for (const int block : blocks)
      if (best.T == 0 && seconds(T, block) <= tie * best.seconds) best.T = T, best.block = block;
  if (best.T == 0) return best;
  best.over_one_lane = seconds(1, 256) / best.seconds;
  best.wide = smallest({lab.seconds(matrix, "sell C=32 lanes=16", Precision::f32),
                        lab.seconds(matrix, "sell C=32 lanes=32", Precision::f32)}) /
              best.seconds;
  return best;
}

// A, columns, lengths and y once, x once: read through a cache that holds it.
double least_bytes(const Specimen& facts) {
  return 8.0 * static_cast<double>(facts.nnz) + 8.0 * static_cast<double>(facts.rows) +
         4.0 * static_cast<double>(facts.cols);
}

struct Rows {
  Table table{.title = "Table I: ELLR-T*, effective bandwidth and speed-up over one core, then | here (float)",
              .note =
                  "Then: GTX 285 (159 GB/s), MKL on one core. Here: bytes are entries, columns, lengths, x and y, "
                  "each once; one core runs csr.",
              .columns = {"matrix", "source", "mean length", "best T, block", "over T = 1", "T >= 16 over best",
                          "GB/s then", "GB/s here", "over one core then", "over one core here"}};
  Figure rates{.title = "Effective bandwidth of ELLR-T*",
               .y_label = "GB/s",
               .series = {{"then, GTX 285", {}, {}}, {"here", {}, {}}}};
  Figure best_T{.title = "Best T over the mean row length",
                .x_label = "mean row length",
                .y_label = "best T",
                .kind = Figure::Kind::lines,
                .series = {{"matrices of a million entries and more", {}, {}}},
                .logarithmic_x = true,
                .logarithmic_y = true};
};

void put_row(Record& record, const TableOneRow& printed, const Matrix& matrix, const Best& best, Rows& to) {
  const double gbps = least_bytes(matrix.facts) / best.seconds / 1e9;
  to.table.rows.push_back({printed.name, name_of(matrix.facts.origin), fixed(matrix.facts.mean, 1),
                           best.T ? fmt::format("{}, {}", best.T, best.block) : "does not fit",
                           fixed(best.over_one_lane, 2), fixed(best.wide, 2), fixed(printed.gbps, 0), fixed(gbps, 0),
                           fixed(printed.over_mkl, 0), fixed(record.lab.one_core_seconds(matrix) / best.seconds, 0)});
  to.rates.categories.push_back(printed.name);
  to.rates.series[0].y.push_back(printed.gbps);
  to.rates.series[1].y.push_back(gbps);
}

void histogram(Record& record, const std::vector<Best>& all) {
  Table table{.title = "Best configurations, matrices for each", .columns = {"T"}};
  std::map<std::pair<int, int>, int> count;
  for (const Best& best : all) ++count[{best.T, best.block}];
  for (const int block : blocks) table.columns.push_back(fmt::format("block {}", block));
  for (const int T : teams) {
    std::vector<std::string> cells{fmt::format("{}", T)};
    for (const int block : blocks) cells.push_back(fmt::format("{}", count[{T, block}]));
    table.rows.push_back(std::move(cells));
  }
  record.add(std::move(table));
}

void twelve(Record& record) {
  Rows rows;
  std::vector<Best> all;
  Findings seen = record.findings("R5");
  std::vector<std::pair<double, double>> large;  // mean length, best T
  std::string wider;
  Numbers gains;
  for (const TableOneRow& printed : table_one()) {
    const Matrix* matrix = record.try_matrix(printed.name);
    if (matrix == nullptr) continue;
    const Best best = best_of_twelve(record.lab, *matrix);
    put_row(record, printed, *matrix, best, rows);
    if (best.T == 0) continue;
    all.push_back(best);
    gains.push_back(best.over_one_lane);
    if (std::isfinite(best.wide)) seen.see(*matrix, tie * best.wide >= 1);
    if (tie * best.wide < 1)
      wider += fmt::format("{}{} ({} times faster)", wider.empty() ? "" : ", ", printed.name, fixed(1 / best.wide, 2));
    if (printed.nnz >= 1000000) large.emplace_back(matrix->facts.mean, best.T);
  }
  std::sort(large.begin(), large.end());
  Numbers means, lanes;
  for (const auto& [length, T] : large) means.push_back(length), lanes.push_back(T);
  rows.best_T.series[0].x = means, rows.best_T.series[0].y = lanes;
  record.add(std::move(rows.table));
  histogram(record, all);
  record.add(std::move(rows.rates));
  record.add(std::move(rows.best_T));
  record.judge(seen, fmt::format("16 or more threads are best on {}", wider.empty() ? "none" : wider));
  record.also_measured("the best of the twelve over T = 1",
                       fmt::format("{} to {}, geometric mean {}", fixed(smallest(gains), 2), fixed(largest(gains), 2),
                                   fixed(geometric_mean(gains), 2)),
                       seen.basis());
  bool long_rows_need_teams = true;
  for (const auto& [length, T] : large) long_rows_need_teams = long_rows_need_teams && (length <= 32 || T > 1);
  record.also_measured(
      "the best T rises with the mean row length, over matrices of a million entries and more",
      fmt::format("rank correlation {}; above 32 entries a row T > 1 {}", fixed(rank_correlation(means, lanes), 2),
                  long_rows_need_teams ? "everywhere" : "not everywhere"),
      fmt::format("{} matrices of Table I", large.size()));
}

}  // namespace

PaperPlan ellr_t_paper() {
  return {"ellr_t", "Paper 4: ELLR-T", "Vazquez, Ortega, Fernandez, Garzon: CIT 2010; GTX 285", {{{"R5"}, twelve}}};
}

}  // namespace heddle::reproduce
