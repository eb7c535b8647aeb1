// Paper 2: the adaptive CSR/ELL hybrid, its rules for T, M and L, and what it stores.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/stopwatch.hpp"
#include "formats/csr_ell/csr_ell.hpp"
#include "reproduce/papers/csr_ell_sweeps.hpp"
#include "reproduce/papers/search.hpp"
#include "reproduce/record.hpp"

namespace heddle::reproduce {

namespace {

std::vector<std::string> names_of_fourteen() {
  std::vector<std::string> names;
  for (const Williams& one : fourteen()) names.emplace_back(one.name);
  return names;
}

// The paper's name for it, or its own.
std::string called(const Matrix& matrix) {
  for (const Williams& one : fourteen())
    if (matrix.facts.name == one.name) return one.called;
  return matrix.facts.name;
}

std::string source_of(const Matrix& matrix) { return name_of(matrix.facts.origin); }

// ---- R10, R13: counted, on matrices of full size

struct RuleCase {
  std::int64_t sum, rows;  // rows of mean length sum / rows
  int T, M, L;
};
constexpr RuleCase rule_cases[] = {{39, 10, 32, 6, 192},    {216, 10, 32, 22, 704},    {320, 10, 64, 32, 1024},
                                   {533, 10, 64, 32, 1024}, {1193, 10, 128, 32, 1024}, {2500, 10, 256, 32, 1024},
                                   {3000, 10, 1, 32, 1024}};  // all rows long: no ELL part

bool rule_gives(const RuleCase& expected) {
  std::vector<Offset> ptr{0};
  for (std::int64_t row = 0; row < expected.rows; ++row)
    ptr.push_back(ptr.back() + expected.sum / expected.rows + (row < expected.sum % expected.rows));
  const std::vector<Index> col(static_cast<std::size_t>(ptr.back()), 0);
  const CsrEllSettings rule = csr_ell_by_rules({expected.rows, 4096, ptr, col});
  return rule.T == expected.T && rule.M == expected.M && rule.L == expected.L;
}

// Most lanes a row of the ELL part gets.
int most_lanes(const PatternView& A, const CsrEllSettings& rule) {
  int most = 0;
  for (std::int64_t row = 0; row < A.rows; ++row)
    if (A.length(row) < rule.T && !rule.escape)
      most = std::max(most, static_cast<int>((A.length(row) + rule.M - 1) / rule.M));
  return most;
}

// What of the matrix goes into the CSR part, in percent; the ELL part has the rest.
struct CsrShare {
  double rows = 0, entries = 0;
};
CsrShare share_of_csr(const PatternView& A, const CsrEllSettings& rule) {
  CsrShare share;
  if (rule.escape == 1 || A.nnz() == 0) return share;
  for (std::int64_t row = 0; row < A.rows; ++row)
    if (A.length(row) >= rule.T) ++share.rows, share.entries += static_cast<double>(A.length(row));
  return {100 * share.rows / static_cast<double>(A.rows), 100 * share.entries / static_cast<double>(A.nnz())};
}

// Bytes beyond the entries that a launch of the paper's kernel needs, in percent of the entries (double): of every ELL
// warp its first row, start and row length, of every CSR warp its start and end, and a sum where a row has several.
double percent_for_warps(const PatternView& A, const CsrEllSettings& rule) {
  if (rule.escape == 1) return 0;  // stored as HYB, which has none
  std::vector<Index> in_ell;
  std::int64_t csr_warps = 0, sums = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    const std::int64_t length = A.length(row);
    if (length < rule.T) {
      in_ell.push_back(static_cast<Index>(length));
      continue;
    }
    const std::int64_t warps = (length + rule.L - 1) / rule.L;
    csr_warps += warps;
    if (warps > 1) sums += warps;
  }
  std::sort(in_ell.begin(), in_ell.end());
  const auto ell_warps = static_cast<std::int64_t>(pack_rows(in_ell, rule.M, 32).size());
  const std::int64_t bytes = 12 * ell_warps + 8 * csr_warps + 8 * sums;
  return 100 * static_cast<double>(bytes) / (12.0 * static_cast<double>(A.nnz()));
}

void rules_and_storage(Record& record) {
  Table table{.title = "The fourteen matrices: T, M, L by the rules, and what is stored beyond the entries",
              .note =
                  "The paper's 2 % and 6 % follow both the padding and what a launch needs beyond the entries: the "
                  "starts and ends of the warps, the space for sums of several warps. Both are shown, in bytes of the "
                  "entries (double).",
              .columns = {"matrix", "source", "rows", "entries", "T", "M", "L", "lanes a row", "rows in CSR",
                          "entries in CSR", "padding", "warps"}};
  Numbers extra, operational;
  int lanes = 0;
  Findings seen = record.findings("R13", "numbers");
  std::vector<const Matrix*> used;
  for (const Williams& one : fourteen()) {
    const Matrix* matrix = record.try_whole(one.name);
    if (matrix == nullptr) continue;
    const PatternView A = matrix->A.view();
    const CsrEllSettings rule = csr_ell_by_rules(A);
    const CsrShare csr = share_of_csr(A, rule);
    used.push_back(matrix);
    lanes = std::max(lanes, most_lanes(A, rule));
    extra.push_back(footprint(A, Plan{"csr_ell", {}}).padding_percent);
    operational.push_back(percent_for_warps(A, rule));
    table.rows.push_back({one.called, matrix->facts.source, grouped(A.rows), grouped(A.nnz()),
                          rule.escape ? "escape to HYB" : fmt::format("{}", rule.T), fmt::format("{}", rule.M),
                          fmt::format("{}", rule.L), fmt::format("{}", most_lanes(A, rule)), percent(csr.rows),
                          percent(csr.entries), percent(extra.back()), percent(operational.back())});
  }
  record.add(std::move(table));
  const auto right = std::count_if(std::begin(rule_cases), std::end(rule_cases), rule_gives);
  record.self_check("T, M and L are those of the rule's table; no row of the 14 matrices gets more than 8 lanes",
                    right == std::ssize(rule_cases) && lanes <= 8,
                    fmt::format("{} of {} rows; at most {} lanes a row", right, std::size(rule_cases), lanes));
  used = seen.fit_among(used);
  const auto compare = [&](const char* reading, const Numbers& shares) {
    seen.add(fmt::format("{}, mean", reading), mean(shares) < 2.5);
    seen.add(fmt::format("{}, largest", reading), largest(shares) < 6.5);
    return fmt::format("{} {} on average, {} at most", reading, percent(mean(shares)), percent(largest(shares)));
  };
  if (!used.empty()) {
    const std::string padding = compare("padding", extra);
    record.judge(seen, padding + "; " + compare("warps", operational));
  }
}

// ---- R12, R14

// GFLOP/s of the three kernels on each matrix, as the paper's bars show them.
void rate_bars(Record& record, const std::vector<const Matrix*>& matrices) {
  for (const Precision precision : both) {
    Figure figure{
        .title = fmt::format("GFLOP/s on the fourteen matrices, {}", precision == Precision::f32 ? "float" : "double"),
        .y_label = "GFLOP/s",
        .series = {{"CSR (vector)", {}, {}}, {"HYB", {}, {}}, {"hybrid", {}, {}}}};
    for (const Matrix* matrix : matrices) {
      figure.categories.push_back(called(*matrix));
      const char* plans[] = {"csr lanes=32", cusp_hyb, "csr_ell"};
      for (std::size_t k = 0; k < 3; ++k) figure.series[k].y.push_back(record.lab.gflops(*matrix, plans[k], precision));
    }
    record.add(std::move(figure));
  }
}

void hybrid(Record& record) {
  Table table{.title = "The hybrid over the better of CSR (vector) and HYB, warm (cold)",
              .note = "Then: 1.25 on average, up to 1.8; Economics and Epidemiology lose.",
              .columns = {"matrix", "source", "CSR us", "HYB us", "hybrid us", "gain float", "gain double"}};
  Figure figure{.title = "Hybrid over the better of CSR (vector) and HYB (then 1.25 on average)",
                .y_label = "gain",
                .series = {{"float", {}, {}}, {"double", {}, {}}},
                .reference = 1.25};
  Numbers gains[2];
  Findings seen = record.findings("R12", "precisions");
  const auto matrices = seen.fit_among(record.try_matrices(names_of_fourteen()));
  for (const Matrix* matrix : matrices) {
    std::vector<std::string> cells{called(*matrix), source_of(*matrix), "", "", ""};
    for (const Precision precision : both) {
      const auto gain = [&](Caches caches) {
        return smallest({record.lab.seconds(*matrix, "csr lanes=32", precision, caches),
                         record.lab.seconds(*matrix, cusp_hyb, precision, caches)}) /
               record.lab.seconds(*matrix, "csr_ell", precision, caches);
      };
      const double cold = gain(Caches::cold), warm = gain(Caches::warm);
      gains[static_cast<int>(precision)].push_back(warm);
      figure.series[static_cast<std::size_t>(precision)].y.push_back(warm);
      cells.push_back(fmt::format("{} ({})", fixed(warm, 2), fixed(cold, 2)));
    }
    const char* plans[] = {"csr lanes=32", cusp_hyb, "csr_ell"};
    for (std::size_t k = 0; k < 3; ++k) cells[2 + k] = micro(record.lab.seconds(*matrix, plans[k], Precision::f32));
    figure.categories.push_back(called(*matrix));
    table.rows.push_back(std::move(cells));
  }
  record.add(std::move(table));
  record.add_main(std::move(figure));
  rate_bars(record, matrices);
  for (const Precision precision : both)
    seen.add_faster(name_of(precision), geometric_mean(gains[static_cast<int>(precision)]));
  record.judge(
      seen,
      fmt::format("geometric mean {} float, {} double; {} to {} in float", fixed(geometric_mean(gains[0]), 2),
                  fixed(geometric_mean(gains[1]), 2), fixed(smallest(gains[0]), 2), fixed(largest(gains[0]), 2)),
      fmt::format("{} times as fast (float)", fixed(geometric_mean(gains[0]), 2)));
}

// Seconds of building from a matrix that lies on the device already: the median of a few.
double seconds_of_building_there(Lab& lab, const Matrix& matrix) {
  if (lab.planted()) return lab.settings().planted(matrix.facts.name, "building csr_ell there", Precision::f64);
  const Device device = lab.settings().device;
  if (device.kind == Device::Kind::cpu || lab.stopped()) return bench::unknown;
  const Csr<double> there = matrix.A.to(device);
  Numbers seconds;
  for (int round = 0; round < 5; ++round) {
    const WallClock clock;
    const Operator<double> made = build(there, Plan::parse("csr_ell"), {.device = device});
    seconds.push_back(clock.seconds());
  }
  return median(seconds);
}

void building(Record& record) {
  Table table{
      .title = "Building the hybrid, in multiplications (double)",
      .note =
          "Then: 45 on average, built on the CPU and copied (Tesla C1060). Here kernels build it on a GPU: from "
          "a matrix in host memory, which is sent there first, and from one that lies there already.",
      .columns = {"matrix", "source", "multiply us", "from host memory ms", "multiplications",
                  "from the GPU's memory ms", "multiplications"}};
  Numbers from_host, from_there;
  Findings seen = record.findings("R14", "means");
  for (const Matrix* matrix : seen.fit_among(record.try_matrices(names_of_fourteen()))) {
    const double build = record.lab.build_seconds(*matrix, "csr_ell", Precision::f64);
    const double once = record.lab.seconds(*matrix, "csr_ell", Precision::f64);
    const double there = seconds_of_building_there(record.lab, *matrix);
    from_host.push_back(build / once), from_there.push_back(there / once);
    table.rows.push_back({called(*matrix), source_of(*matrix), micro(once), fixed(build * 1e3, 2),
                          fixed(from_host.back(), 0), fixed(there * 1e3, 2), fixed(from_there.back(), 0)});
  }
  record.add(std::move(table));
  if (present(from_host) > 0) seen.add("from host memory", geometric_mean(from_host) <= 45);
  if (present(from_there) > 0) seen.add("from the GPU's memory", geometric_mean(from_there) <= 45);
  record.judge(seen, fmt::format("{} from host memory ({} to {}), {} from the GPU's memory ({} to {}), geometric means",
                                 fixed(geometric_mean(from_host), 0), fixed(smallest(from_host), 0),
                                 fixed(largest(from_host), 0), fixed(geometric_mean(from_there), 0),
                                 fixed(smallest(from_there), 0), fixed(largest(from_there), 0)));
}

// ---- R11

void search_against_rule(Record& record) {
  Table table{.title = "The rules' time over the best found (float)",
              .note =
                  "Searched along T, then M, then L, in the paper's steps; settings that give the same layout are "
                  "tried once.",
              .columns = {"matrix", "source", "by the rules", "us", "best found", "us", "tried", "rule / best"}};
  Numbers ratios;
  Findings seen = record.findings("R11");
  for (const Matrix* matrix : seen.fit_among(record.try_matrices(names_of_fourteen()))) {
    const Found found = search_settings(record.lab, *matrix);
    ratios.push_back(found.rule_seconds / found.best_seconds);
    if (std::isfinite(ratios.back())) seen.see(*matrix, ratios.back() <= 1.10);
    table.rows.push_back({called(*matrix), source_of(*matrix), to_text(found.rule), micro(found.rule_seconds),
                          to_text(found.best), micro(found.best_seconds), fmt::format("{}", found.tried),
                          fixed(ratios.back(), 2)});
  }
  record.add(std::move(table));
  record.judge(seen,
               fmt::format("{} times the best in the geometric mean, {} at worst", fixed(geometric_mean(ratios), 2),
                           fixed(largest(ratios), 2)),
               fmt::format("{} times the best time", fixed(geometric_mean(ratios), 2)));
}

// ---- R15

void synthetic_laws(Record& record) {
  Table table{
      .title = "Rows of the laws F1, F2, F3: the hybrid's packing over a thread per row (float)",
      .note = "The paper's rival is ELLPACK by a thread a row; ELLPACK-R is shown beside it.",
      .columns = {"law", "longest row", "ELLPACK us", "ELLPACK-R us", "packed us", "over ELLPACK", "over ELLPACK-R"}};
  Figure figure{.title = "Sorted packing over a thread per row (figure 2)", .y_label = "gain", .reference = 1};
  const std::int64_t rows = record.lab.quick() ? 512 : 131072;
  Numbers gains, over_ellr;
  Findings seen = record.findings("R15", "cases");
  for (const char* law : {"F1", "F2", "F3"}) {
    figure.series.push_back({law, {}, {}});
    for (const int longest : {64, 96, 128}) {
      const Matrix& matrix = record.lab.generated(fmt::format("lengths,rows={},max={},law={}", rows, longest, law));
      const double ell = record.lab.seconds(matrix, "ell", Precision::f32);
      const double ellr = record.lab.seconds(matrix, "ellr T=1 block=256", Precision::f32);
      const double packed = record.lab.seconds(matrix, "csr_ell T=1024 escape=no", Precision::f32);
      gains.push_back(ell / packed), over_ellr.push_back(ellr / packed);
      seen.add_faster(matrix.facts.name, gains.back());
      figure.series.back().y.push_back(gains.back());
      table.rows.push_back({law, fmt::format("{}", longest), micro(ell), micro(ellr), micro(packed),
                            fixed(gains.back(), 2), fixed(over_ellr.back(), 2)});
      record.lab.forget(matrix);
    }
  }
  figure.categories = {"up to 64", "up to 96", "up to 128"};
  record.add(std::move(table));
  record.add(std::move(figure));
  seen.rest_on(fmt::format("{} artificial matrices", gains.size()));  // which are given back
  record.judge(seen,
               fmt::format("{} to {} times over ELLPACK, {} to {} over ELLPACK-R", fixed(smallest(gains), 2),
                           fixed(largest(gains), 2), fixed(smallest(over_ellr), 2), fixed(largest(over_ellr), 2)));
}

// ---- R43

// On matrices of which padding is no matter.
void ell_against_csr(Record& record) {
  constexpr double little_padding = 1.3, limit = 256;
  Findings seen = record.findings("R43");
  std::vector<std::string> said;
  for (const TableOneRow& row : table_one()) {
    const Matrix* matrix = record.try_matrix(row.name);
    if (matrix == nullptr || matrix->padding_of_ellpack() > little_padding) continue;
    const auto seconds = [&](Literal::Kernel kernel) {
      return record.lab.seconds(*matrix, {.kernel = kernel}, Precision::f32);
    };
    const double ratio = seconds(Literal::Kernel::crs_vector) / seconds(Literal::Kernel::ellpack);
    if (!std::isfinite(ratio)) continue;
    seen.see(*matrix, row.mean < limit ? is_faster(ratio) : is_faster(1 / ratio));
    said.push_back(fmt::format("{} ({} a row) {}", row.name, fixed(row.mean, 0), fixed(ratio, 2)));
  }
  record.judge(seen, fmt::format("ELLPACK over CSR (vector), by the papers' kernels: {}", fmt::join(said, ", ")));
}

// ---- R39

// The two paths of the claim are one today, so there is nothing to judge; what both loads take is shown.
void l1_against_texture(Record& record) {
  using Loads = Literal::Loads;
  Numbers gains;
  for (const Matrix* matrix : record.try_matrices(names_of_fourteen())) {
    const auto seconds = [&](Loads loads) {
      return record.lab.seconds(*matrix, {.kernel = Literal::Kernel::ellpack_r, .loads = loads}, Precision::f32);
    };
    gains.push_back(seconds(Loads::texture) / seconds(Loads::plain));
  }
  record.leave_open("R39", "textures and the L1 are one cache since 2014, and have one path",
                    present(gains) == 0 ? ""
                                        : fmt::format("ELLPACK-R by ld.global.nc over plain loads: {} in the "
                                                      "geometric mean ({} to {})",
                                                      fixed(geometric_mean(gains), 2), fixed(smallest(gains), 2),
                                                      fixed(largest(gains), 2)));
}

}  // namespace

PaperPlan csr_ell_paper() {
  return {"csr_ell",
          "Paper 2: adaptive CSR/ELL hybrid and CG",
          "Matam, Kothapalli: ICPP 2011; Tesla C1060 and C2050",
          {{{"R13"}, rules_and_storage},
           {{"R12"}, hybrid},
           {{"R14"}, building, "", {"Building the hybrid, in multiplications"}},
           {{"R11"}, search_against_rule},
           {{"R15"}, synthetic_laws},
           {{"R31"}, packing_over_rows},
           {{"R32"}, several_warps_a_row},
           {{"R33"}, against_sliced_ellpack},
           {{"R16"}, overlapped_cg, "", {"CG to 1e-8, double (ms)"}},
           {{"R43"}, ell_against_csr},
           {{"R39"}, l1_against_texture}}};
}

}  // namespace heddle::reproduce
