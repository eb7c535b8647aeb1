// Which of the six kernels is ahead of which, on Table I and on its small matrices.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "reproduce/papers/six_kernels.hpp"

namespace heddle::reproduce {

namespace {

// ---- R4, R34

void show_rates(Record& record, const std::vector<Rates>& all) {
  Table table{.title = "Figure 4: GFLOP/s per matrix and kernel, float: the papers' kernels | today's",
              .columns = {"matrix", "source"}};
  std::vector<const Matrix*> used;
  for (const Rates& rates : all) used.push_back(rates.matrix);
  Figure literal{.title = "Figure 4, GFLOP/s per matrix by the papers' kernels; " + basis_of(used),
                 .y_label = "GFLOP/s"};
  Figure today = literal;
  today.title = "The same by today's formats";
  for (int k = 0; k < six_kernels; ++k) {
    table.columns.emplace_back(kernel(k).called);
    literal.series.push_back({kernel(k).called, {}, {}}), today.series.push_back({kernel(k).called, {}, {}});
  }
  for (const Rates& rates : all) {
    std::vector<std::string> cells{rates.matrix->facts.name, name_of(rates.matrix->facts.origin)};
    for (std::size_t k = 0; k < six_kernels; ++k) {
      cells.push_back(pair_of(rates.literal[k], rates.today[k]));
      literal.series[k].y.push_back(rates.literal[k]), today.series[k].y.push_back(rates.today[k]);
    }
    literal.categories.push_back(rates.matrix->facts.name), today.categories.push_back(rates.matrix->facts.name);
    table.rows.push_back(std::move(cells));
  }
  record.add(std::move(table));
  if (record.lab.has_lane_kernel()) record.add(std::move(literal));
  record.add(std::move(today));
}

std::string in_words(const Numbers& means) {
  std::vector<std::string> said;
  for (int k = 0; k < six_kernels; ++k)
    said.push_back(fmt::format("{} {}", kernel(k).called, significant(means[static_cast<std::size_t>(k)])));
  return fmt::format("{} GFLOP/s", fmt::join(said, ", "));
}

void order_of_averages(Record& record, const std::vector<Rates>& all) {
  Findings seen = record.findings("R4", "steps");
  std::vector<Rates> fit;
  std::vector<const Matrix*> used;
  for (const Rates& rates : all)
    if (seen.fit(*rates.matrix)) fit.push_back(rates);
  for (const Rates& rates : all) used.push_back(rates.matrix);
  seen.fit_among(used);
  const Numbers literal = weighted_means(fit, &Rates::literal), today = weighted_means(fit, &Rates::today);
  Table weighted{
      .title = "Figure 5: means weighted by entries, float",
      .note = "Over the matrices that all six kernels can store.",
      .columns = {"kernel", "place then", "the papers' kernels, GFLOP/s", "place", "today's formats", "place"}};
  Figure bars{.title = "Figure 5: means weighted by entries; " + basis_of(used),
              .y_label = "GFLOP/s",
              .series = {{"the papers' kernels", {}, {}}, {"today's formats", {}, {}}}};
  const char* places[] = {"4 to 6", "4 to 6", "4 to 6", "3", "2", "1"};
  for (std::size_t k = 0; k < six_kernels; ++k) {
    const auto place = [&](const Numbers& means) {
      return std::isfinite(means[k]) ? fmt::format("{}", 1 + count_above(means, means[k])) : "-";
    };
    const char* called = kernel(static_cast<int>(k)).called;
    weighted.rows.push_back(
        {called, places[k], significant(literal[k]), place(literal), significant(today[k]), place(today)});
    bars.categories.emplace_back(called);
    bars.series[0].y.push_back(literal[k]), bars.series[1].y.push_back(today[k]);
  }
  record.add(std::move(weighted));
  record.add_main(std::move(bars));
  seen.add_faster("ELLPACK-R over HYB", literal[ellpack_r] / literal[hyb_kernel]);
  seen.add_faster("HYB over ELLPACK", literal[hyb_kernel] / literal[ellpack]);
  const double crs_best = largest({literal[crs], literal[crs_vector], literal[spmv4gpu]});
  seen.add_faster("ELLPACK over the CRS kernels", literal[ellpack] / crs_best);
  record.judge(seen, fmt::format("the papers' kernels: {}; today's: {}", in_words(literal), in_words(today)),
               fmt::format("{} times the best CRS kernel", fixed(literal[ellpack_r] / crs_best, 2)));
}

// A sentence of a paper about several matrices holds "in general" where it holds for more than half of them.
struct Sentence {
  const char* words;
  std::size_t holds = 0, all = 0;

  void see(double ratio, bool holds_here) {
    if (!std::isfinite(ratio)) return;
    holds += holds_here;
    ++all;
  }
  void see_faster(double ratio) { see(ratio, is_faster(ratio)); }
  std::string counted() const { return fmt::format("{}: {} of {}", words, holds, all); }
};

void smaller_orders(Record& record, const std::vector<Rates>& all) {
  Sentence poorest{"CRS the slowest"}, ell_above{"ELLPACK above CRS and CRS (vector)"},
      hyb_below{"HYB at or below ELLPACK on the six named"}, better{"SpMV4GPU above CRS (vector)"},
      grows{"kernels whose rate rises with the entries (rank correlation above 0.5)"};
  std::vector<std::string> ahead, behind;
  Findings seen = record.findings("R34", "sentences");
  std::vector<Numbers> by_kernel(six_kernels);
  Numbers entries;
  for (const Rates& rates : all) {
    if (seen.fit_among({rates.matrix}).empty()) continue;
    const Numbers& r = rates.literal;
    const std::string& name = rates.matrix->facts.name;
    entries.push_back(static_cast<double>(rates.matrix->facts.nnz));
    for (std::size_t k = 0; k < six_kernels; ++k) by_kernel[k].push_back(r[k]);
    poorest.see_faster(smallest({r[crs_vector], r[spmv4gpu], r[ellpack], r[hyb_kernel], r[ellpack_r]}) / r[crs]);
    ell_above.see_faster(r[ellpack] / largest({r[crs], r[crs_vector]}));
    better.see_faster(r[spmv4gpu] / r[crs_vector]);
    if (std::isfinite(r[spmv4gpu] / r[crs_vector])) (r[spmv4gpu] > r[crs_vector] ? ahead : behind).push_back(name);
    for (const char* named : {"qcd5_4", "mc2depi", "cop20k_A", "wbp128", "consph", "wbp256"})
      if (const double ratio = r[ellpack] / r[hyb_kernel]; name == named) hyb_below.see(ratio, is_no_slower(ratio));
  }
  for (const Numbers& rates : by_kernel) {
    const double correlation = rank_correlation(entries, rates);
    grows.see(correlation, correlation > 0.5);
  }
  std::vector<std::string> counted;
  for (const Sentence& one : {poorest, ell_above, hyb_below, better, grows}) {
    if (one.all == 0) continue;
    seen.add(one.words, 2 * one.holds > one.all);
    counted.push_back(one.counted());
  }
  Table table{
      .title = "SpMV4GPU against CRS (vector), the papers' kernels",
      .note = "Paper 1: better on most. Paper 4: its advantage falls where rows have very many entries. Here: " +
              seen.basis() + ".",
      .columns = {"", "matrices"}};
  table.rows.push_back({"SpMV4GPU is faster", fmt::format("{}", fmt::join(ahead, ", "))});
  table.rows.push_back({"CRS (vector) is faster", fmt::format("{}", fmt::join(behind, ", "))});
  if (!ahead.empty() || !behind.empty()) record.add(std::move(table));
  record.judge(seen, fmt::format("{}", fmt::join(counted, "; ")));
}

// ---- R24

// HYB over the best kernel that is one launch.
double hyb_over_best(const Numbers& gflops) {
  return largest({gflops[crs_vector], gflops[spmv4gpu], gflops[ellpack], gflops[ellpack_r]}) / gflops[hyb_kernel];
}

}  // namespace

void six_on_table_one(Record& record) {
  std::vector<Rates> all;
  for (const Matrix* matrix : record.try_matrices(names_of_table_one())) all.push_back(rates_of(record.lab, *matrix));
  show_rates(record, all);
  order_of_averages(record, all);
  smaller_orders(record, all);
}

void small_matrices(Record& record) {
  Table table{.title = "Small matrices: time of HYB over that of the best one-kernel format, float",
              .columns = {"matrix", "source", "rows", "the papers' kernels", "today's formats"}};
  Numbers literal, today;
  Findings seen = record.findings("R24");
  for (const TableOneRow& row : table_one()) {
    if (row.rows >= 10000 || std::string(row.name) == "dense2") continue;
    const Matrix* matrix = record.try_matrix(row.name);
    if (matrix == nullptr) continue;
    const Rates rates = rates_of(record.lab, *matrix);
    literal.push_back(hyb_over_best(rates.literal)), today.push_back(hyb_over_best(rates.today));
    seen.see_faster(*matrix, literal.back());
    table.rows.push_back({row.name, name_of(matrix->facts.origin), grouped(matrix->facts.rows),
                          fixed(literal.back(), 2), fixed(today.back(), 2)});
  }
  record.add(std::move(table));
  record.judge(seen,
               fmt::format("HYB takes {} times the best in the geometric mean, {} at most; today {} and {}",
                           fixed(geometric_mean(literal), 2), fixed(largest(literal), 2),
                           fixed(geometric_mean(today), 2), fixed(largest(today), 2)),
               fmt::format("{} times as long", fixed(geometric_mean(literal), 1)));
}

}  // namespace heddle::reproduce
