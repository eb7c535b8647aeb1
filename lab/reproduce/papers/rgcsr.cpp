// Paper 3: row-grouped CSR, its artificial zeros, the size of its groups, and what one long row does to it.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <heddle/formats.hpp>

#include "reproduce/papers/rgcsr_corpus.hpp"
#include "reproduce/papers/rgcsr_orders.hpp"
#include "reproduce/record.hpp"

namespace heddle::reproduce {

namespace {

constexpr int group_sizes[] = {32, 64, 128, 256};
constexpr const char* cusp_hyb = "hyb rule=cusp";  // the paper has HYB from Cusp

std::string grouped_by(int group, const char* order = "none") {
  return fmt::format("rgcsr group={} order={}", group, order);
}

Literal literal_of(int group) { return {.kernel = Literal::Kernel::rgcsr, .block = group}; }
constexpr Literal literal_hyb{.kernel = Literal::Kernel::hyb, .rule = Literal::Escape::cusp};

// "by the paper's kernel" where it was timed.
const char* by_which(bool literal) {
  return literal ? "by the paper's kernels" : "by today's formats, as the paper's kernels were not timed";
}

double zeros(const Matrix& matrix, int group, const char* order = "none") {
  return footprint(matrix.A.view(), Plan::parse(grouped_by(group, order))).padding_percent;
}

// The paper has 1,598 matrices; here those of all papers, without the largest.
std::vector<std::string> corpus() {
  std::vector<std::string> names;
  for (const TableOneRow& row : table_one())
    if (std::string(row.name) != "wbp256") names.emplace_back(row.name);
  for (const char* name : {"scircuit", "webbase-1M", "fd18", "G2_circuit"}) names.emplace_back(name);
  return names;
}

// 10,000 rows and more, counted in the paper's matrix: the stand-in of a quick run is smaller than what it stands for.
bool is_large(const Matrix& matrix) {
  for (const TableOneRow& row : table_one())
    if (matrix.facts.name == row.name) return row.rows >= 10000;
  return true;
}

// ---- R7, R9: the paper's tables 6 and 7

struct Printed {
  const char* name;
  double zeros[2];   // at 128: as it comes, descending
  double gflops[2];  // likewise, double
  double hyb;
};
constexpr Printed four[] = {{"fd18", {2.76, 0.34}, {4.690, 4.845}, 0.95},
                            {"G2_circuit", {3.90, 0.05}, {9.364, 9.210}, 2.5},
                            {"trans4", {2118.1, 1452.8}, {0.0189, 0.0191}, 2.0},
                            {"Raj1", {938.2, 189.3}, {0.0578, 0.0904}, 2.2}};

constexpr const char* orders[] = {"none", "ascending"};  // the paper's "descending" (formats/rgcsr/rgcsr.hpp)

// A stand-in has the rows, entries and longest row of its matrix: enough for the sorted order, where one group with a
// giant row decides. For the others it counts which rows are neighbours, and the rows of the stand-ins were chosen so
// that the zeros come out: only the files tell.
void compare_zeros(Findings& seen, const Matrix& matrix, const Printed& printed, const double (&ours)[2]) {
  const auto agree = [&](int order, double off) {
    seen.see(matrix, fmt::format("{}, {}", printed.name, order == 0 ? "as it comes" : "sorted"), off <= 1);
  };
  if (matrix.facts.real())
    for (const int order : {0, 1}) agree(order, std::fabs(ours[order] - printed.zeros[order]) / 0.06);
  else if (printed.zeros[1] > 100)
    agree(1, std::fabs(ours[1] / printed.zeros[1] - 1) / 0.05);
}

void artificial_zeros(Record& record) {
  Table averages{.title = "Table 4: artificial zeros by group size, average over the matrices, then | here",
                 .columns = {"group", "zeros then %", "zeros here %", "largest here %"}};
  const double printed_average[] = {105, 144, 206, 304};
  Numbers means;
  Findings seen = record.findings("R7", "numbers");
  auto matrices = record.try_matrices(corpus());
  for (const char* giant : {"trans4", "Raj1"}) matrices.push_back(&record.lab.whole(giant));
  matrices = seen.fit_among(matrices);
  for (std::size_t g = 0; g < std::size(group_sizes); ++g) {
    Numbers shares;
    for (const Matrix* matrix : matrices) shares.push_back(zeros(*matrix, group_sizes[g]));
    means.push_back(mean(shares));
    averages.rows.push_back({fmt::format("{}", group_sizes[g]), fixed(printed_average[g], 0), fixed(means.back(), 0),
                             fixed(largest(shares), 0)});
    if (g > 0) seen.add_above(fmt::format("{} over {}", group_sizes[g], group_sizes[g - 1]), means[g], means[g - 1]);
  }
  averages.note = "Over " + basis_of(matrices) + ".";
  record.add(std::move(averages));
  std::vector<std::string> said;
  for (const Printed& printed : four) {
    const Matrix& matrix = record.lab.whole(printed.name);
    const double ours[2] = {zeros(matrix, 128, orders[0]), zeros(matrix, 128, orders[1])};
    compare_zeros(seen, matrix, printed, ours);
    if (printed.zeros[1] > 100)
      said.push_back(fmt::format("{} {} %, sorted {} %", printed.name, fixed(ours[0], 1), fixed(ours[1], 1)));
  }
  std::vector<std::string> rising;
  for (const double value : means) rising.push_back(fixed(value, 0));
  record.judge(seen, fmt::format("{} % on average; {}", fmt::join(rising, ", "), fmt::join(said, "; ")));
}

void four_matrices(Record& record) {
  Table table{
      .title = "Tables 6 and 7: four matrices, double, groups of 128, then | here",
      .note =
          "Zeros of stand-ins depend on which rows are neighbours; only real files can meet the print. Sorted: "
          "inside the format, which puts y back in place. The last column: then | the paper's kernels | today's.",
      .columns = {"matrix", "source", "zeros %", "zeros % sorted", "GFLOP/s", "GFLOP/s sorted", "HYB GFLOP/s",
                  "RgCSR / HYB"}};
  std::vector<std::string> slower;
  Findings seen = record.findings("R9");
  bool by_literal = false;
  for (const Printed& printed : four) {
    const Matrix* matrix = record.try_matrix(printed.name);
    if (matrix == nullptr) continue;
    std::vector<std::string> cells{printed.name, name_of(matrix->facts.origin)};
    for (int k = 0; k < 2; ++k)
      cells.push_back(fmt::format("{} | {}", printed.zeros[k], fixed(zeros(*matrix, 128, orders[k]), 2)));
    for (int k = 0; k < 2; ++k)
      cells.push_back(fmt::format("{} | {}", printed.gflops[k],
                                  significant(record.lab.gflops(*matrix, grouped_by(128, orders[k]), Precision::f64))));
    const double hyb = record.lab.gflops(*matrix, cusp_hyb, Precision::f64);
    const double today = record.lab.gflops(*matrix, grouped_by(128), Precision::f64) / hyb;
    const double literal = record.lab.gflops(*matrix, literal_of(128), Precision::f64) /
                           record.lab.gflops(*matrix, literal_hyb, Precision::f64);
    cells.push_back(fmt::format("{} | {}", printed.hyb, significant(hyb)));
    cells.push_back(fmt::format("{} | {} | {}", significant(printed.gflops[0] / printed.hyb), significant(literal),
                                significant(today)));
    if (printed.zeros[1] > 100) {
      by_literal |= std::isfinite(literal);
      const double ratio = std::isfinite(literal) ? literal : today;
      seen.see_above(*matrix, 1 / ratio, 10);
      slower.push_back(fmt::format("{} {} times", printed.name, fixed(1 / ratio, 0)));
    }
    table.rows.push_back(std::move(cells));
  }
  record.add(std::move(table));
  record.judge(seen, fmt::format("{} slower than HYB, {}", fmt::join(slower, ", "), by_which(by_literal)));
}

// ---- R8

void best_group(Record& record) {
  Table table{.title = "Table 4: GFLOP/s by group size, average, then | the paper's kernel | today's",
              .note = "Then: 1,598 matrices on a GTX 280. Large: 10,000 rows and more.",
              .columns = {"group", "float", "float, large", "double", "double, large"}};
  const double then[4][4] = {
      {3.19, 6.09, 2.72, 5.14}, {4.18, 8.01, 3.35, 6.19}, {4.38, 8.58, 3.43, 6.52}, {4.37, 8.55, 3.37, 6.38}};
  Numbers large_means[2][2];  // by the paper's kernel, by today's; float, double
  Findings seen = record.findings("R8", "precisions");
  const auto matrices = seen.fit_among(record.try_matrices(corpus()));
  for (std::size_t g = 0; g < std::size(group_sizes); ++g) {
    std::vector<std::string> cells{fmt::format("{}", group_sizes[g])};
    for (const Precision precision : both) {
      const auto p = static_cast<std::size_t>(precision);
      Numbers all[2], large[2];
      for (const Matrix* matrix : matrices)
        for (std::size_t k = 0; k < 2; ++k) {
          all[k].push_back(k == 0 ? record.lab.gflops(*matrix, literal_of(group_sizes[g]), precision)
                                  : record.lab.gflops(*matrix, grouped_by(group_sizes[g]), precision));
          if (is_large(*matrix)) large[k].push_back(all[k].back());
        }
      for (std::size_t k = 0; k < 2; ++k) large_means[k][p].push_back(mean(large[k]));
      const auto cell = [](double printed, const Numbers(&here)[2]) {
        return fmt::format("{} | {} | {}", printed, significant(mean(here[0])), significant(mean(here[1])));
      };
      cells.push_back(cell(then[g][2 * p], all)), cells.push_back(cell(then[g][2 * p + 1], large));
    }
    table.rows.push_back(std::move(cells));
  }
  record.add(std::move(table));
  const bool by_literal = present(large_means[0][0]) == std::size(group_sizes);
  const Numbers(&judged)[2] = large_means[by_literal ? 0 : 1];
  Figure figure{
      .title = "GFLOP/s by group size over that of 32, matrices of 10,000 rows and more, then and here",
      .x_label = "group",
      .y_label = "mean rate over groups of 32",
      .kind = Figure::Kind::lines,
      .series = {{"float, here", {}, {}}, {"double, here", {}, {}}, {"float, then", {}, {}}, {"double, then", {}, {}}}};
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t g = 0; g < std::size(group_sizes); ++g) {
      figure.series[p].x.push_back(group_sizes[g]), figure.series[p + 2].x.push_back(group_sizes[g]);
      figure.series[p].y.push_back(judged[p][g] / judged[p].front());
      figure.series[p + 2].y.push_back(then[g][2 * p + 1] / then[0][2 * p + 1]);
    }
  record.add_main(std::move(figure));
  const auto said = [](const Numbers& by_group) {
    std::vector<std::string> words;
    for (const double value : by_group) words.push_back(significant(value));
    return fmt::format("{}", fmt::join(words, ", "));
  };
  for (const Precision precision : both) {
    const Numbers& by_group = judged[static_cast<int>(precision)];
    if (present(by_group) < by_group.size()) continue;
    const double late = std::max(by_group[2], by_group[3]), early = std::max(by_group[0], by_group[1]);
    seen.add(name_of(precision), is_no_slower(late / early));
  }
  record.judge(seen,
               fmt::format("large: {} float; {} double for 32, 64, 128, 256, {}", said(judged[0]), said(judged[1]),
                           by_which(by_literal)),
               fmt::format("128 over 32: {} times (float)", fixed(judged[0][2] / judged[0][0], 2)));
}

// ---- R23

void caching_of_x(Record& record) {
  Table table{.title = "x past the L1 over x through it: the paper's RgCSR | today's ellr (the same mapping)",
              .note = "Then, RgCSR on a GTX 280: up to 1.81 in float and 1.3 in double.",
              .columns = {"matrix", "source", "float", "double"}};
  Figure figure{.title = "What caching x gains",
                .y_label = "gain",
                .series = {{"float", {}, {}}, {"double", {}, {}}},
                .reference = 1};
  Numbers gains[2];
  std::vector<std::string> names;
  for (const Williams& one : eleven()) names.emplace_back(one.name);
  names.emplace_back("G2_circuit");
  Findings seen = record.findings("R23", "precisions");
  for (const Matrix* matrix : seen.fit_among(record.try_matrices(names))) {
    std::vector<std::string> cells{matrix->facts.name, name_of(matrix->facts.origin)};
    for (const Precision precision : both) {
      const auto literal = [&](Literal::Loads loads) {
        return record.lab.seconds(*matrix, {.kernel = Literal::Kernel::rgcsr, .block = 128, .loads = loads}, precision);
      };
      const double gain = literal(Literal::Loads::uncached) / literal(Literal::Loads::texture);
      const double today = record.lab.seconds(*matrix, "ellr cache=none", precision) /
                           record.lab.seconds(*matrix, "ellr cache=x", precision);
      gains[static_cast<int>(precision)].push_back(gain);
      figure.series[static_cast<std::size_t>(precision)].y.push_back(gain);
      cells.push_back(fmt::format("{} | {}", fixed(gain, 2), fixed(today, 2)));
    }
    figure.categories.push_back(matrix->facts.name);
    table.rows.push_back(std::move(cells));
  }
  record.add(std::move(table));
  record.add(std::move(figure));
  for (const Precision precision : both)
    seen.add_faster(name_of(precision), geometric_mean(gains[static_cast<int>(precision)]));
  record.judge(
      seen,
      fmt::format("float {} (up to {}), double {} (up to {})", fixed(geometric_mean(gains[0]), 2),
                  fixed(largest(gains[0]), 2), fixed(geometric_mean(gains[1]), 2), fixed(largest(gains[1]), 2)),
      fixed(geometric_mean(gains[0]), 2) + " times as fast (float)");
}

// ---- R46: shares of the model without cached x

// 12 bytes an entry in float, 20 in double; the fourteen matrices of paper 2, on which HYB is timed cold anyhow.
void without_cached_x(Record& record) {
  const double gbps = record.lab.read_gbps(), then[2][2] = {{0.68, 0.78}, {0.53, 0.71}};
  const char* called[] = {"HYB", "RgCSR with x past the L1"};
  Findings seen = record.findings("R46", "cases");
  std::vector<std::string> names, said;
  for (const Williams& one : fourteen()) names.emplace_back(one.name);
  const auto matrices = seen.fit_among(record.try_matrices(names));
  const Literal uncached{.kernel = Literal::Kernel::rgcsr, .block = 128, .loads = Literal::Loads::uncached};
  for (std::size_t k = 0; k < 2; ++k)
    for (const Precision precision : both) {
      const double model = 2 * gbps / (precision == Precision::f32 ? 12 : 20);
      Numbers shares;
      for (const Matrix* matrix : matrices) {
        const double seconds = k == 0 ? record.lab.seconds(*matrix, cusp_hyb, precision, Caches::cold)
                                      : record.lab.seconds(*matrix, uncached, precision, Caches::cold);
        shares.push_back(2e-9 * static_cast<double>(matrix->facts.nnz) / seconds / model);
      }
      const std::string what = fmt::format("{}, {}", called[k], name_of(precision));
      if (present(shares) > 0) seen.add(what, largest(shares) >= then[k][static_cast<int>(precision)] - 0.005);
      said.push_back(fmt::format("{} {}", what, percent(100 * largest(shares))));
    }
  record.judge(seen, fmt::format("at best {}", fmt::join(said, "; ")));
}

}  // namespace

PaperPlan rgcsr_paper() {
  return {"rgcsr",
          "Paper 3: row-grouped CSR",
          "Oberhuber, Suzuki, Vacata: 2010/2011; GTX 280",
          {{{"R7"}, artificial_zeros},
           {{"R9"}, four_matrices},
           {{"R8"}, best_group},
           {{"R36"}, orders_of_rows},
           {{"R27", "R28", "R29", "R37", "R44", "R45"}, over_the_corpus},
           {{"R23"}, caching_of_x},
           {{"R46"}, without_cached_x}}};
}

}  // namespace heddle::reproduce
