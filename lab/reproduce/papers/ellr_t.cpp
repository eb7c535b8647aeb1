// Paper 4: ELLR-T, T threads per row, the best of twelve configurations.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reproduce/papers/six_kernels.hpp"

namespace heddle::reproduce {

namespace {

constexpr int teams[] = {1, 2, 4, 8}, blocks[] = {128, 256, 512};
constexpr int wide_teams[] = {16, 32}, small_blocks[] = {16, 32, 64};

struct Configuration {
  int T = 0, block = 0;
};
Literal literal_of(Configuration c) { return {.kernel = Literal::Kernel::ellr_t, .T = c.T, .block = c.block}; }
std::string plan_of(Configuration c) { return fmt::format("ellr T={} block={}", c.T, c.block); }

using Seconds = std::function<double(Configuration)>;

// The fastest of the twelve; of those that tie with it, the one of the fewest threads.
struct Best {
  Configuration at;
  double seconds = bench::unknown, of_all_twelve = 0;
};
Best best_of_twelve(const Seconds& seconds) {
  Best best;
  Numbers all;
  for (const int T : teams)
    for (const int block : blocks) all.push_back(seconds({T, block}));
  best.seconds = smallest(all);
  for (const double one : all) best.of_all_twelve += one;
  for (const int T : teams)
    for (const int block : blocks)
      if (best.at.T == 0 && seconds({T, block}) <= tie * best.seconds) best.at = {T, block};
  return best;
}

// The fastest of blocks of 16 to 64 over the fastest of the twelve.
double small_over_twelve(const Best& twelve, const Seconds& seconds) {
  Numbers small;
  for (const int T : teams)
    for (const int block : small_blocks)
      if (T < block) small.push_back(seconds({T, block}));
  return smallest(small) / twelve.seconds;
}

// The fastest with 16 and more threads a row over the fastest with fewer, blocks of 16 to 512 and more than T.
double wide_over_narrow(const Best& twelve, const Seconds& seconds) {
  Numbers narrow{twelve.seconds}, wide;
  for (const int T : teams)
    for (const int block : small_blocks)
      if (T < block) narrow.push_back(seconds({T, block}));
  for (const int T : wide_teams) {
    for (const int block : small_blocks)
      if (T < block) wide.push_back(seconds({T, block}));
    for (const int block : blocks) wide.push_back(seconds({T, block}));
  }
  return smallest(wide) / smallest(narrow);
}

// A, columns, lengths and y once, x once: read through a cache that holds it.
double least_bytes(const Specimen& facts) {
  return 8.0 * static_cast<double>(facts.nnz) + 8.0 * static_cast<double>(facts.rows) +
         4.0 * static_cast<double>(facts.cols);
}

struct OnMatrix {
  const TableOneRow* printed;
  const Matrix* matrix;
  Best literal, today;
  double small = bench::unknown;  // time with blocks of 16 to 64 over the best of the twelve, the paper's kernel
  double wide = bench::unknown;   // time with 16 threads and more over the best with fewer, the paper's kernel
  double rival = bench::unknown;  // best other of the six, the papers' kernels, over ELLR-T*
  double rival_today = bench::unknown;
  const char *rival_called = "-", *rival_called_today = "-";
  double cold_gbps = bench::unknown;
};

// Fastest of CRS, CRS (vector), SpMV4GPU, ELLPACK and HYB, and which it is.
double best_rival(const Numbers& gflops, const char*& called) {
  double best = bench::unknown;
  for (const int k : {crs, crs_vector, spmv4gpu, ellpack, hyb_kernel}) {
    const double rate = gflops[static_cast<std::size_t>(k)];
    if (std::isfinite(rate) && !(best >= rate)) best = rate, called = kernel(k).called;
  }
  return best;
}

OnMatrix measure(Lab& lab, const TableOneRow& printed, const Matrix& matrix) {
  const Seconds literal = [&](Configuration c) { return lab.seconds(matrix, literal_of(c), Precision::f32); };
  const Seconds today = [&](Configuration c) { return lab.seconds(matrix, plan_of(c), Precision::f32); };
  OnMatrix seen{&printed, &matrix, best_of_twelve(literal), best_of_twelve(today)};
  if (std::isfinite(seen.literal.seconds)) {
    seen.wide = wide_over_narrow(seen.literal, literal);
    seen.small = small_over_twelve(seen.literal, literal);
    seen.cold_gbps = least_bytes(matrix.facts) /
                     lab.seconds(matrix, literal_of(seen.literal.at), Precision::f32, Caches::cold) / 1e9;
  }
  const double flops = 2 * static_cast<double>(matrix.facts.nnz) / 1e9;
  const Rates rates = rates_of(lab, matrix);
  seen.rival = flops / seen.literal.seconds / best_rival(rates.literal, seen.rival_called);
  seen.rival_today = flops / seen.today.seconds / best_rival(rates.today, seen.rival_called_today);
  return seen;
}

void histogram(Record& record, const std::vector<OnMatrix>& all, const char* title, Best OnMatrix::*which) {
  std::vector<const Matrix*> used;
  for (const OnMatrix& one : all) used.push_back(one.matrix);
  Table table{.title = title, .note = "Over " + basis_of(used) + ".", .columns = {"T"}};
  std::map<std::pair<int, int>, int> count;
  for (const OnMatrix& one : all) ++count[{(one.*which).at.T, (one.*which).at.block}];
  for (const int block : blocks) table.columns.push_back(fmt::format("block {}", block));
  for (const int T : teams) {
    std::vector<std::string> cells{fmt::format("{}", T)};
    for (const int block : blocks) cells.push_back(fmt::format("{}", count[{T, block}]));
    table.rows.push_back(std::move(cells));
  }
  record.add(std::move(table));
}

std::string in_words(const Best& best) { return best.at.T ? fmt::format("{}, {}", best.at.T, best.at.block) : "-"; }

void many_threads(Record& record, const std::vector<OnMatrix>& all) {
  Findings seen = record.findings("R5");
  std::vector<std::string> wider;
  for (const OnMatrix& one : all) {
    if (!std::isfinite(one.wide)) continue;
    seen.see(*one.matrix, is_no_slower(one.wide));
    if (tie * one.wide < 1)
      wider.push_back(fmt::format("{} ({} times faster)", one.printed->name, fixed(1 / one.wide, 2)));
  }
  record.judge(seen, fmt::format("16 or more threads are best on {}",
                                 wider.empty() ? "none" : fmt::format("{}", fmt::join(wider, ", "))));
  std::vector<std::string> small;
  for (const OnMatrix& one : all)
    if (tie * one.small < 1) small.emplace_back(one.printed->name);
  if (std::isfinite(all.front().small))
    record.also_measured("blocks of 16, 32 and 64 threads, which no GPU of then could be filled with, are never best",
                         small.empty() ? "never" : fmt::format("best on {}", fmt::join(small, ", ")), seen.basis());
  Numbers gains, lengths, best_T;
  for (const OnMatrix& one : all) {
    gains.push_back(record.lab.seconds(*one.matrix, plan_of({1, 256}), Precision::f32) / one.today.seconds);
    if (one.printed->nnz < 1000000 || one.today.at.T == 0) continue;
    lengths.push_back(one.matrix->facts.mean), best_T.push_back(one.today.at.T);
  }
  record.also_measured("the best of the twelve over T = 1, today's ellr",
                       fmt::format("{} to {}, geometric mean {}", fixed(smallest(gains), 2), fixed(largest(gains), 2),
                                   fixed(geometric_mean(gains), 2)),
                       "Table I");
  record.also_measured("the best T rises with the mean row length, over matrices of a million entries and more",
                       fmt::format("rank correlation {}", fixed(rank_correlation(lengths, best_T), 2)),
                       fmt::format("{} matrices of Table I", lengths.size()));
}

void against_all(Record& record, const std::vector<OnMatrix>& all) {
  Table table{
      .title = "ELLR-T* against the best of the other five, float: the papers' kernels | today's formats",
      .note =
          "Above 1: ELLR-T* is the fastest. \"Wide\": best time with 16 and more threads a row over the best "
          "with fewer.",
      .columns = {"matrix", "source", "mean length", "best T, block", "ELLR-T* over it", "the best other", "wide"}};
  Figure figure{.title = "ELLR-T* over the best of the other five",
                .y_label = "gain",
                .series = {{"the papers' kernels", {}, {}}, {"today's formats", {}, {}}},
                .reference = 1};
  Findings seen = record.findings("R25");
  std::size_t today = 0, counted = 0;
  for (const OnMatrix& one : all) {
    seen.see_faster(*one.matrix, one.rival);
    counted += std::isfinite(one.rival_today), today += is_faster(one.rival_today);
    table.rows.push_back({one.printed->name, name_of(one.matrix->facts.origin), fixed(one.matrix->facts.mean, 1),
                          in_words(one.literal) + " | " + in_words(one.today),
                          fmt::format("{} | {}", fixed(one.rival, 2), fixed(one.rival_today, 2)),
                          fmt::format("{} | {}", one.rival_called, one.rival_called_today), fixed(one.wide, 2)});
    figure.categories.emplace_back(one.printed->name);
    figure.series[0].y.push_back(one.rival), figure.series[1].y.push_back(one.rival_today);
  }
  std::vector<const Matrix*> shown;
  for (const OnMatrix& one : all) shown.push_back(one.matrix);
  figure.title += "; " + basis_of(shown);
  record.add(std::move(table));
  record.add(std::move(figure));
  Numbers ratios;
  for (const OnMatrix& one : all) ratios.push_back(one.rival);
  record.judge(seen,
               fmt::format("{} times the best other in the geometric mean ({} to {}); today's ellr is the fastest "
                           "of today's six on {} of {}",
                           fixed(geometric_mean(ratios), 2), fixed(smallest(ratios), 2), fixed(largest(ratios), 2),
                           today, counted),
               fmt::format("{} times the best other", fixed(geometric_mean(ratios), 2)));
}

// mac_econ (38 GB/s) and cop20k_A (70) are large, too, but the paper's own table excepts them.
bool is_large(const TableOneRow& row) { return row.gbps >= 90; }

void bandwidth_and_core(Record& record, const std::vector<OnMatrix>& all) {
  const double nominal = record.lab.sheet_gbps();
  const std::string rival = record.lab.host_rival(Cores::one);
  Table table{
      .title = "Table I: ELLR-T*, effective bandwidth and speed over one core, then | here (float)",
      .note = fmt::format("Then: GTX 285 (159 GB/s nominal), MKL on one core. Here: {} GB/s nominal, the papers' "
                          "kernel with caches evicted before every call, {}. Bytes are entries, columns, lengths, "
                          "x and y, each once.",
                          fixed(nominal, 0), rival),
      .columns = {"matrix", "source", "GB/s", "% of the nominal peak", "over one core"}};
  Figure rates{.title = "Table I: share of the nominal bandwidth",
               .y_label = "percent",
               .series = {{"then, GTX 285", {}, {}}, {"here", {}, {}}}};
  Findings seen = record.findings("R35", "comparisons");
  std::size_t above_thirty = 0;
  for (const OnMatrix& one : all) {
    const double share = 100 * one.cold_gbps / nominal, share_then = 100 * one.printed->gbps / 159;
    const double over_core = record.lab.host_seconds(*one.matrix, Cores::one) / one.literal.seconds;
    above_thirty += over_core > 30;
    if (is_large(*one.printed) && std::isfinite(share)) seen.see(*one.matrix, share >= 57);
    table.rows.push_back({one.printed->name, name_of(one.matrix->facts.origin),
                          fmt::format("{} | {}", fixed(one.printed->gbps, 0), fixed(one.cold_gbps, 0)),
                          fmt::format("{} | {}", fixed(share_then, 0), fixed(share, 0)),
                          fmt::format("{} | {}", fixed(one.printed->over_mkl, 0), fixed(over_core, 0))});
    rates.categories.emplace_back(one.printed->name);
    rates.series[0].y.push_back(share_then), rates.series[1].y.push_back(share);
  }
  std::vector<const Matrix*> shown;
  for (const OnMatrix& one : all) shown.push_back(one.matrix);
  rates.title += "; " + basis_of(shown);
  record.add(std::move(table));
  record.add_main(std::move(rates));
  if (std::isfinite(record.lab.host_seconds(*all.front().matrix, Cores::one)))
    seen.add("more than 30 times one core on some", above_thirty > 0);
  record.judge(seen, fmt::format("more than 30 times {} on {} of {}", rival, above_thirty, all.size()));
}

void trials(Record& record, const std::vector<OnMatrix>& all) {
  constexpr double hundreds = 500, no_relevant_share = 0.1;
  Findings seen = record.findings("R40");
  Numbers products, of_kernel, today;
  for (const OnMatrix& one : all) {
    products.push_back(record.lab.build_seconds(*one.matrix, "ellr T=auto", Precision::f32) / one.today.seconds);
    if (std::isfinite(products.back())) seen.see(*one.matrix, products.back() <= no_relevant_share * hundreds);
    of_kernel.push_back(one.literal.of_all_twelve / one.literal.seconds);
    today.push_back(one.today.of_all_twelve / one.today.seconds);
  }
  const std::string building =
      present(products) == 0
          ? "building `ellr T=auto` was not timed"
          : fmt::format("building `ellr T=auto` takes as long as {} products by the best ({} to {})",
                        fixed(geometric_mean(products), 0), fixed(smallest(products), 0), fixed(largest(products), 0));
  record.judge(seen, fmt::format("{}; twelve products alone {} of the paper's kernel, {} of today's ellr", building,
                                 fixed(geometric_mean(of_kernel), 0), fixed(geometric_mean(today), 0)));
}

void table_one_by_ellr_t(Record& record) {
  std::vector<OnMatrix> all;
  for (const TableOneRow& printed : table_one())
    if (const Matrix* matrix = record.try_matrix(printed.name)) all.push_back(measure(record.lab, printed, *matrix));
  if (all.empty()) return;
  many_threads(record, all);
  against_all(record, all);
  bandwidth_and_core(record, all);
  histogram(record, all, "Best configurations of the paper's kernel, matrices for each", &OnMatrix::literal);
  histogram(record, all, "Best configurations of today's ellr, matrices for each", &OnMatrix::today);
  trials(record, all);
}

}  // namespace

PaperPlan ellr_t_paper() {
  return {"ellr_t",
          "Paper 4: ELLR-T",
          "Vazquez, Ortega, Fernandez, Garzon: CIT 2010; GTX 285",
          {{{"R5", "R25", "R35", "R40"}, table_one_by_ellr_t}}};
}

}  // namespace heddle::reproduce
