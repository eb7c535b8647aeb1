// Paper 1: ELLPACK-R, ELLPACK with row lengths, against the kernels of its time.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <heddle/formats.hpp>

#include "reproduce/papers/six_kernels.hpp"

namespace heddle::reproduce {

namespace {

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
    return matrix && printed == here ? here : printed + " | " + (matrix ? here : "-");
  };
  const auto numbers = [&](double printed, double here) { return pair(fixed(printed, 2), fixed(here, 2)); };
  return {row.name,
          matrix ? name_of(facts.origin) : "stand-in, not compared",
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
                  "self-check; stand-ins show what they are like. One number where print and matrix agree.",
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
  double padding, gain, today;
};

Gain gain_of(Record& record, const Matrix& matrix, Table& table) {
  const int three[] = {ellpack, hyb_kernel, ellpack_r};
  Numbers literal, today;
  for (const int k : three) {
    literal.push_back(record.lab.seconds(matrix, kernel(k).literal, Precision::f32));
    today.push_back(record.lab.seconds(matrix, kernel(k).today, Precision::f32));
  }
  const Gain gain{&matrix, matrix.padding_of_ellpack(), literal[0] / literal[2], today[0] / today[2]};
  const auto first = [&](const Numbers& seconds) -> std::string {
    const auto lead = std::find(seconds.begin(), seconds.end(), smallest(seconds));
    return lead == seconds.end() ? "-" : kernel(three[lead - seconds.begin()]).called;
  };
  table.rows.push_back({matrix.facts.name, name_of(matrix.facts.origin), fixed(gain.padding, 2),
                        fixed(warp_overhead(matrix), 2), fmt::format("{} | {}", micro(literal[0]), micro(today[0])),
                        fmt::format("{} | {}", micro(literal[1]), micro(today[1])),
                        fmt::format("{} | {}", micro(literal[2]), micro(today[2])),
                        fmt::format("{} | {}", fixed(gain.gain, 2), fixed(gain.today, 2)),
                        first(literal) + " | " + first(today)});
  return gain;
}

constexpr double well_above = 1.3;  // N Max / nnz

Table table_of_gains(const std::string& title, const std::string& note) {
  return {.title = title + ", the papers' kernels | today's (float)",
          .note = note,
          .columns = {"matrix", "source", "N Max / nnz", "warp steps / nnz", "ELLPACK us", "HYB us", "ELLPACK-R us",
                      "ELLPACK-R over ELLPACK", "first"}};
}

// What the paper does not say: how the gain grows with padding at the same mean, and what it is without padding.
void padding_sweep(Record& record, Figure::Series& series) {
  const std::int64_t rows = record.lab.quick() ? 1024 : 262144;
  Table table = table_of_gains("ELLPACK-R over ELLPACK as padding grows",
                               "Artificial matrices: 16 entries a row on average, every 256th row has the longest.");
  Numbers gains;
  for (const std::int64_t longest : {16, 24, 32, 48, 64, 96, 128}) {
    const Matrix& matrix =
        record.lab.made(fmt::format("16 a row, longest {}", longest), fmt::format("{} rows, own", grouped(rows)),
                        [&] { return padded_case(rows, longest); });
    const Gain gain = gain_of(record, matrix, table);
    record.lab.forget(matrix);
    gains.push_back(std::isfinite(gain.gain) ? gain.gain : gain.today);
    series.x.push_back(gain.padding), series.y.push_back(gains.back());
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
  Table table = table_of_gains("ELLPACK-R over ELLPACK on Table I, and which of the three is first",
                               "The paper has ELLPACK or HYB slightly ahead on mc2depi and shipsec1.");
  Findings seen = record.findings("R3");
  std::vector<Gain> all;
  for (const TableOneRow& row : table_one()) {
    const Matrix* matrix = record.try_matrix(row.name);
    if (matrix == nullptr) continue;
    all.push_back(gain_of(record, *matrix, table));
    if (row.rows >= 10000 && all.back().padding > well_above) seen.see_faster(*matrix, all.back().gain);
  }
  std::sort(all.begin(), all.end(), [](const Gain& a, const Gain& b) { return a.padding < b.padding; });
  for (const Gain& gain : all) {
    figure.series[1].x.push_back(gain.padding);
    figure.series[1].y.push_back(std::isfinite(gain.gain) ? gain.gain : gain.today);
  }
  record.add(std::move(table));
  record.add(std::move(figure));
  std::vector<std::string> said;
  for (const Gain& gain : all)
    for (const char* name : {"rma10", "pdb1HYS", "shipsec1", "pwtk", "mc2depi"})
      if (gain.matrix->facts.name == name)
        said.push_back(fmt::format("{} {} | {}", name, fixed(gain.gain, 2), fixed(gain.today, 2)));
  Numbers padded;
  for (const Gain& gain : all)
    if (gain.matrix->facts.rows >= 10000 && gain.padding > well_above) padded.push_back(gain.gain);
  record.judge(seen, fmt::format("ELLPACK-R over ELLPACK, the papers' kernels | today's: {}", fmt::join(said, ", ")),
               fmt::format("{} times as fast", fixed(geometric_mean(padded), 1)));
}

// ---- R38

void over_the_host(Record& record) {
  const std::string one = record.lab.host_rival(Cores::one), every = record.lab.host_rival(Cores::all);
  Table table{
      .title = "Figure 6: speed over the host, float",
      .note = fmt::format("Then: MKL, a core of a Core 2 Duo E8400 (paper 1), a Xeon 5550 (paper 2). Here: {} and "
                          "{}. The papers' kernel of ELLPACK-R | today's; the hybrid is csr_ell.",
                          one, every),
      .columns = {"matrix", "source", "ELLPACK-R over one core", "over all cores", "hybrid over all cores"}};
  Figure figure{.title = fmt::format("Figure 6: ELLPACK-R over {} (then 2 to 13.1 times MKL)", one),
                .y_label = "speed-up",
                .series = {{"the paper's kernel", {}, {}}, {"today's ellr", {}, {}}}};
  Findings seen = record.findings("R38", "comparisons");
  Numbers over_one, over_all;
  std::vector<std::string> names = names_of_table_one();
  for (const Williams& of_paper_two : fourteen())
    if (std::find(names.begin(), names.end(), of_paper_two.name) == names.end()) names.emplace_back(of_paper_two.name);
  for (const Matrix* matrix : record.try_matrices(names)) {
    const std::string& name = matrix->facts.name;
    const double core = record.lab.host_seconds(*matrix, Cores::one),
                 host = record.lab.host_seconds(*matrix, Cores::all);
    const double literal = record.lab.seconds(*matrix, kernel(ellpack_r).literal, Precision::f32);
    const double today = record.lab.seconds(*matrix, kernel(ellpack_r).today, Precision::f32);
    const double hybrid = record.lab.seconds(*matrix, "csr_ell", Precision::f32);
    const bool of_paper_two =
        std::any_of(fourteen().begin(), fourteen().end(), [&](const Williams& named) { return name == named.name; });
    const bool of_table_one =
        std::any_of(table_one().begin(), table_one().end(), [&](const TableOneRow& row) { return name == row.name; });
    if (of_table_one && std::isfinite(core / literal)) {
      seen.see(*matrix, name + ", ELLPACK-R", core / literal >= 2);
      over_one.push_back(core / literal);
    }
    if (of_paper_two && std::isfinite(host / hybrid)) {
      seen.see(*matrix, name + ", hybrid", host / hybrid >= 2);
      over_all.push_back(host / hybrid);
    }
    table.rows.push_back(
        {name, name_of(matrix->facts.origin), fmt::format("{} | {}", fixed(core / literal, 1), fixed(core / today, 1)),
         fmt::format("{} | {}", fixed(host / literal, 1), fixed(host / today, 1)), fixed(host / hybrid, 1)});
    figure.categories.push_back(name);
    figure.series[0].y.push_back(core / literal), figure.series[1].y.push_back(core / today);
  }
  if (record.lab.on_gpu()) record.add(std::move(table)), record.add(std::move(figure));
  record.judge(
      seen, fmt::format("ELLPACK-R over {}: {} to {}; the hybrid over {}: {} to {}", one, fixed(smallest(over_one), 1),
                        fixed(largest(over_one), 1), every, fixed(smallest(over_all), 1), fixed(largest(over_all), 1)));
}

// ---- R42

// ELLPACK-R and its two rivals that sort rows, each pair built in the same place: sell on the host and sent, csr_ell,
// which kernels build on a GPU, on the host for the host.
void preprocessing(Record& record) {
  const char* ellr = "ellr T=1 block=256";
  const char* formats[] = {"ell", ellr, "rgcsr group=128 order=none", "sell", "csr_ell"};
  Table table{.title = "Building from CSR, in products of csr (float)",
              .note =
                  "The time from a CSR in host memory to a format on the device; in the last two columns to one that "
                  "stays on the host. sell and csr_ell sort rows, the others keep their order. All are built on the "
                  "host and sent, but csr_ell, which is sent as CSR and built by kernels where the device is a GPU.",
              .columns = {"matrix", "source", "ell", "ellr", "rgcsr", "sell", "csr_ell", "ellr, for the host",
                          "csr_ell, for the host"}};
  Findings seen = record.findings("R42", "comparisons");
  Numbers costs[5], on_host[2];
  for (const Matrix* matrix : record.try_matrices(names_of_table_one())) {
    const double product = record.lab.seconds(*matrix, "csr", Precision::f32);
    std::vector<std::string> cells{matrix->facts.name, name_of(matrix->facts.origin)};
    Numbers builds;
    for (std::size_t k = 0; k < std::size(formats); ++k) {
      builds.push_back(record.lab.build_seconds(*matrix, formats[k], Precision::f32));
      costs[k].push_back(builds.back() / product);
      cells.push_back(fixed(costs[k].back(), 0));
    }
    const double here[] = {record.lab.build_seconds_of_host(*matrix, ellr),
                           record.lab.build_seconds_of_host(*matrix, "csr_ell")};
    for (std::size_t k = 0; k < 2; ++k) {
      on_host[k].push_back(here[k] / product);
      cells.push_back(fixed(on_host[k].back(), 0));
    }
    table.rows.push_back(std::move(cells));
    const auto compare = [&](const char* rival, double ratio) {
      if (std::isfinite(ratio)) seen.see(*matrix, matrix->facts.name + ", " + rival, is_faster(ratio));
    };
    compare("sell", builds[3] / builds[1]);
    compare("csr_ell", here[1] / here[0]);
  }
  record.add(std::move(table));
  const auto mean_of = [](const Numbers& products) { return fixed(geometric_mean(products), 0); };
  std::string now =
      fmt::format("in products, geometric mean, built on the host and sent: ell {}, ellr {}, rgcsr {}, sell {}",
                  mean_of(costs[0]), mean_of(costs[1]), mean_of(costs[2]), mean_of(costs[3]));
  now += present(on_host[0]) == 0
             ? "; csr_ell was not built on the host"
             : fmt::format("; for the host: ellr {}, csr_ell {}", mean_of(on_host[0]), mean_of(on_host[1]));
  if (record.lab.on_gpu()) now += fmt::format("; csr_ell sent as CSR and built by the GPU: {}", mean_of(costs[4]));
  record.judge(seen, now);
}

}  // namespace

PaperPlan ellpack_r_paper() {
  return {"ellpack_r",
          "Paper 1: ELLPACK-R",
          "Vazquez, Fernandez, Garzon: Concurrency and Computation, 2010; GTX 295",
          {{{"R1", "R2"}, statistics},
           {{"R4", "R34"}, six_on_table_one},
           {{"R3"}, against_ellpack},
           {{"R24"}, small_matrices},
           {{"R38"}, over_the_host},
           {{"R42"}, preprocessing},
           {{}, rates_in_both_precisions, "rates in both precisions"}}};
}

}  // namespace heddle::reproduce
