// Paper 2, what is swept: sorted packing over the number of rows, several warps for a long row, and sliced ELLPACK
// searched as its rival was.
#include "reproduce/papers/csr_ell_sweeps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "reproduce/numbers.hpp"

namespace heddle::reproduce {

namespace {

constexpr const char* laws[] = {"F1", "F2", "F3"};
constexpr int lengths[] = {64, 96, 128};

// Multiples of 32,768 = 1024 threads of each of a C1060's multiprocessors and a few.
std::vector<std::int64_t> row_counts(const Lab& lab) {
  if (lab.quick() || !lab.on_gpu()) return {1024, 2048};
  return {1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20};
}

}  // namespace

void packing_over_rows(Record& record) {
  Table table{.title = "Figure 2: sorted packing over a thread a row, by law, longest row and number of rows (float)",
              .note =
                  "ELLPACK by a thread a row | ELLPACK-R, over the hybrid with all rows in its ELL part. The paper's "
                  "rival is the first.",
              .columns = {"law", "longest row"}};
  Figure figure{.title = "Sorted packing over a thread a row, by the number of rows (figure 2)",
                .x_label = "rows",
                .y_label = "gain",
                .kind = Figure::Kind::lines,
                .logarithmic_x = true,
                .reference = 1};
  Findings seen = record.findings("R31", "cases");
  Numbers all, over_ellr;
  const std::vector<std::int64_t> counts = row_counts(record.lab);
  for (const std::int64_t rows : counts) table.columns.push_back(grouped(rows));
  for (const char* law : laws)
    for (const int longest : lengths) {
      std::vector<std::string> cells{law, fmt::format("{}", longest)};
      figure.series.push_back({fmt::format("{}, up to {}", law, longest), {}, {}});
      for (const std::int64_t rows : counts) {
        if (record.lab.stopped()) return;
        const Matrix& matrix = record.lab.generated(fmt::format("lengths,rows={},max={},law={}", rows, longest, law));
        const double packed = record.lab.seconds(matrix, "csr_ell T=1024 escape=no", Precision::f32);
        all.push_back(record.lab.seconds(matrix, "ell", Precision::f32) / packed);
        over_ellr.push_back(record.lab.seconds(matrix, "ellr T=1 block=256", Precision::f32) / packed);
        seen.add_faster(matrix.facts.name, all.back());
        cells.push_back(fmt::format("{} | {}", fixed(all.back(), 2), fixed(over_ellr.back(), 2)));
        figure.series.back().x.push_back(static_cast<double>(rows));
        figure.series.back().y.push_back(all.back());
        record.lab.forget(matrix);
      }
      table.rows.push_back(std::move(cells));
    }
  record.add(std::move(table));
  record.add(std::move(figure));
  seen.rest_on(fmt::format("{} artificial matrices", all.size()));
  record.judge(seen, fmt::format("{} to {} times over ELLPACK, {} in the geometric mean; {} over ELLPACK-R",
                                 fixed(smallest(all), 2), fixed(largest(all), 2), fixed(geometric_mean(all), 2),
                                 fixed(geometric_mean(over_ellr), 2)));
}

void several_warps_a_row(Record& record) {
  struct Sweep {
    std::vector<std::int64_t> rows;
    std::vector<int> lengths;
  };
  const bool small = record.lab.quick() || !record.lab.on_gpu();
  const Sweep sweep = small ? Sweep{{4, 16}, {2048}} : Sweep{{64, 256, 1024, 4096, 16384}, {1024, 4096, 16384}};
  Table table{.title = "Several warps a row (L = 1024) over one, all rows in the CSR part (float)",
              .columns = {"entries a row"}};
  Figure figure{.title = "Several warps a row over one",
                .x_label = "rows",
                .y_label = "gain",
                .kind = Figure::Kind::lines,
                .logarithmic_x = true,
                .reference = 1};
  for (const std::int64_t rows : sweep.rows) table.columns.push_back(grouped(rows) + " rows");
  Findings seen = record.findings("R32", "steps");
  seen.rest_on(fmt::format("{} lengths of row with random columns, {} to {} rows", sweep.lengths.size(),
                           sweep.rows.front(), sweep.rows.back()));
  Numbers few;
  for (const int length : sweep.lengths) {
    Numbers gains;
    for (const std::int64_t rows : sweep.rows) {
      if (record.lab.stopped()) return;
      const Matrix& matrix = record.lab.generated(fmt::format("random,rows={},cols=100000,per_row={}", rows, length));
      gains.push_back(record.lab.seconds(matrix, "csr_ell T=1 L=1048576 escape=no", Precision::f32) /
                      record.lab.seconds(matrix, "csr_ell T=1 L=1024 escape=no", Precision::f32));
      record.lab.forget(matrix);
    }
    std::vector<std::string> cells{fmt::format("{}", length)};
    figure.series.push_back({fmt::format("{} a row", length), {}, {}});
    for (std::size_t i = 0; i < gains.size(); ++i) {
      cells.push_back(fixed(gains[i], 2));
      figure.series.back().x.push_back(static_cast<double>(sweep.rows[i]));
      figure.series.back().y.push_back(gains[i]);
    }
    table.rows.push_back(std::move(cells));
    few.push_back(gains.front());
    if (length <= 1024) continue;  // a row of L entries has one warp in any case
    seen.add_faster(fmt::format("{} rows of {}", sweep.rows.front(), length), gains.front());
    seen.add_faster(fmt::format("less for {} rows of {}", sweep.rows.back(), length), gains.front() / gains.back());
  }
  record.add(std::move(table));
  record.add(std::move(figure));
  record.judge(seen,
               fmt::format("{} to {} times with the fewest rows", fixed(smallest(few), 2), fixed(largest(few), 2)));
}

namespace {

struct Searched {
  std::string plan;
  double seconds = bench::unknown;
  int tried = 0;
};

// From `first`, setting after setting along its line from the best so far, `rounds` times.
template <std::size_t N>
Searched along_lines(std::array<int, N> best, const std::array<std::vector<int>, N>& choices, int rounds,
                     const std::function<std::pair<std::string, double>(const std::array<int, N>&)>& measured) {
  Searched found;
  const auto attempt = [&](const std::array<int, N>& settings) {
    ++found.tried;
    const auto [plan, seconds] = measured(settings);
    if (!std::isfinite(seconds) || (std::isfinite(found.seconds) && seconds >= found.seconds)) return;
    found.seconds = seconds, found.plan = plan;
    best = settings;
  };
  attempt(best);
  for (int round = 0; round < rounds; ++round)
    for (std::size_t which = 0; which < N; ++which) {
      const std::array<int, N> from = best;
      for (const int value : choices[which]) {
        std::array<int, N> changed = from;
        changed[which] = value;
        if (value != from[which]) attempt(changed);
      }
    }
  return found;
}

// Lanes, window and slice of today's sell: twice round.
Searched search_sell(Lab& lab, const Matrix& matrix) {
  using Settings = std::array<int, 3>;
  const std::array<std::vector<int>, 3> choices =
      lab.quick() ? std::array<std::vector<int>, 3>{{{1, 4}, {1, 256}, {8, 32}}}
                  : std::array<std::vector<int>, 3>{
                        {{1, 2, 4, 8, 16, 32}, {1, 64, 256, 1024, 4096, 1 << 20}, {2, 4, 8, 16, 32, 64, 128, 256}}};
  return along_lines<3>({1, 1, 32}, choices, lab.quick() ? 1 : 2, [&](const Settings& s) {
    const std::string plan = fmt::format("sell C={} sigma={} lanes={}", s[2], s[1], s[0]);
    return std::pair(plan, lab.seconds(matrix, plan, Precision::f32));
  });
}

// The four settings that the rival's authors searched: lanes, window, slice and threads of a block, once round.
Searched search_sliced(Lab& lab, const Matrix& matrix) {
  using Settings = std::array<int, 4>;
  const std::array<std::vector<int>, 4> choices =
      lab.quick()
          ? std::array<std::vector<int>, 4>{{{1, 4}, {1, 256}, {8, 32}, {64, 256}}}
          : std::array<std::vector<int>, 4>{
                {{1, 2, 4, 8, 16, 32}, {1, 64, 1024, 1 << 20}, {4, 8, 16, 32, 64, 128, 256}, {64, 128, 256, 512}}};
  return along_lines<4>({1, 1, 32, 256}, choices, 1, [&](const Settings& s) {
    const Literal literal{.kernel = Literal::Kernel::sliced, .T = s[0], .block = s[3], .C = s[2], .sigma = s[1]};
    return std::pair(to_text(literal), lab.seconds(matrix, literal, Precision::f32));
  });
}

}  // namespace

void against_sliced_ellpack(Record& record) {
  Table table{.title = "The hybrid by its rules and sliced ELLPACK searched, both over HYB (float)",
              .note =
                  "The paper's rival had its slice size, block size, reordering and lanes searched exhaustively; here "
                  "each along its line. Judged by the faster of its kernel as described and today's sell.",
              .columns = {"matrix", "source", "hybrid over HYB", "sliced ELLPACK over HYB, as described | sell",
                          "found", "found for sell", "tried"}};
  Findings seen = record.findings("R33");
  Numbers ratios;
  std::vector<std::string> names;
  for (const Williams& one : fourteen()) names.emplace_back(one.name);
  for (const Matrix* matrix : seen.fit_among(record.try_matrices(names))) {
    const double hyb = record.lab.seconds(*matrix, cusp_hyb, Precision::f32);
    const double hybrid = record.lab.seconds(*matrix, "csr_ell", Precision::f32);
    const Searched sliced = search_sliced(record.lab, *matrix), sell = search_sell(record.lab, *matrix);
    ratios.push_back(smallest({sliced.seconds, sell.seconds}) / hybrid);
    seen.see_faster(*matrix, ratios.back());
    table.rows.push_back({matrix->facts.name, name_of(matrix->facts.origin), fixed(hyb / hybrid, 2),
                          fmt::format("{} | {}", fixed(hyb / sliced.seconds, 2), fixed(hyb / sell.seconds, 2)),
                          sliced.plan, sell.plan, fmt::format("{}", sliced.tried + sell.tried)});
  }
  record.add(std::move(table));
  record.judge(seen, fmt::format("ahead on {} of {}, {} in the geometric mean", count_above(ratios, tie),
                                 present(ratios), fixed(geometric_mean(ratios), 2)));
}

}  // namespace heddle::reproduce
