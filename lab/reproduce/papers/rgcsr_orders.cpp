// Paper 3, tables 6 and 7: what orders of the rows do to zeros, rates and the reading of x.
#include "reproduce/papers/rgcsr_orders.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include <heddle/formats.hpp>
#include <heddle/io.hpp>
#include <heddle/reorder.hpp>

#include "core/check.hpp"
#include "reproduce/numbers.hpp"

namespace heddle::reproduce {

namespace {

constexpr const char* plan = "rgcsr group=128";

// As the paper prints them: as it comes, sorted, AMD.
struct Printed {
  const char* name;
  double zeros[3], gflops[3];
  double hits[3], misses[3];  // of the texture cache, in thousands
};
constexpr Printed printed[] = {
    {"fd18", {2.76, 0.34, 26.38}, {4.690, 4.845, 3.900}, {289, 324, 312}, {1350, 1325, 2907}},
    {"G2_circuit", {3.90, 0.05, 2.03}, {9.364, 9.210, 8.044}, {431, 622, 3448}, {12026, 11592, 11951}},
    {"trans4", {2118.1, 1452.8, 1613.3}, {0.0189, 0.0191, 0.0188}, {9213, 6517, 11295}, {16347, 12576, 14727}},
    {"Raj1", {938.2, 189.3, 370.6}, {0.0578, 0.0904, 0.0808}, {9229, 6653, 10793}, {17049, 12513, 11707}}};

// The order of SuiteSparse's AMD; in a build without it the one in NAME.amd.txt next to the matrices.
std::optional<Permutation> minimum_degree(const Lab& lab, const Matrix& matrix) {
  if (amd_available()) return amd_order(matrix.A.view());
  const std::string path = lab.settings().folder + "/" + matrix.facts.name + ".amd.txt";
  if (lab.settings().folder.empty() || !std::filesystem::is_regular_file(path)) return {};
  const Buffer<double> numbers = read_vector<double>(path);
  check(numbers.size() == matrix.facts.rows, ErrorKind::input, "{} has {} numbers for {} rows", path, numbers.size(),
        matrix.facts.rows);
  Permutation order{Buffer<Index>(numbers.size())};
  for (std::int64_t i = 0; i < numbers.size(); ++i) order.new_to_old[i] = static_cast<Index>(numbers[i]);
  return order;
}

// Sectors of 32 bytes of x (double) that a warp asks for at a step, over the entries of its rows: what the hardware's
// counters of hits and misses were asked for, counted. 1: every entry its own; 0.25: four share one.
double sectors_of_entry(const PatternView& A) {
  constexpr std::int64_t warp = 32, of_sector = 4;
  double sectors = 0;
  std::vector<Index> asked;
  for (std::int64_t first = 0; first < A.rows; first += warp) {
    const std::int64_t last = std::min(A.rows, first + warp);
    std::int64_t longest = 0;
    for (std::int64_t row = first; row < last; ++row) longest = std::max(longest, A.length(row));
    for (std::int64_t k = 0; k < longest; ++k) {
      asked.clear();
      for (std::int64_t row = first; row < last; ++row)
        if (k < A.length(row)) asked.push_back(static_cast<Index>(A.col[A.ptr[row] + k] / of_sector));
      std::sort(asked.begin(), asked.end());
      sectors += static_cast<double>(std::unique(asked.begin(), asked.end()) - asked.begin());
    }
  }
  return A.nnz() == 0 ? bench::unknown : sectors / static_cast<double>(A.nnz());
}

struct Seen {
  double zeros, gflops, sectors;
};
Seen seen_of(Lab& lab, const Matrix& matrix) {
  return {footprint(matrix.A.view(), Plan::parse(plan)).padding_percent, lab.gflops(matrix, plan, Precision::f64),
          sectors_of_entry(matrix.A.view())};
}

// By length inside windows, the longest last, as the format's groups want it.
Permutation sorted_in_windows(const PatternView& A) {
  constexpr std::int64_t window = 1024;
  Permutation order = Permutation::identity(A.rows);
  for (std::int64_t first = 0; first < A.rows; first += window)
    std::stable_sort(order.new_to_old.data() + first, order.new_to_old.data() + std::min(A.rows, first + window),
                     [&](Index a, Index b) { return A.length(a) < A.length(b); });
  return order;
}

const Matrix& reordered(Lab& lab, const Matrix& matrix, const std::string& name, const Permutation& rows,
                        const Permutation& cols) {
  return lab.changed(matrix, fmt::format("{} {}", matrix.facts.name, name),
                     [&] { return permute(matrix.A.view(), rows, cols); });
}

}  // namespace

void orders_of_rows(Record& record) {
  Table table{.title = "Tables 6 and 7: orders, double, groups of 128, then | here",
              .note =
                  "Sorted: what the paper calls descending, the longest rows in the last group; the matrix is sorted "
                  "before, so that y stays in that order, which is another product than that of the format that sorts. "
                  "AMD as P A P^T, with x in that order, and of the rows alone. RCM as P A P^T, and then with the rows "
                  "sorted inside windows of 1,024: the order that keeps columns near, which the paper wishes for. "
                  "Sectors: of 32 bytes of x, asked for by a warp at a step, "
                  "an entry; then: hits of all fetches by the texture cache.",
              .columns = {"matrix", "source", "order", "zeros %", "GFLOP/s", "sectors of x an entry", "hits then"}};
  Findings found = record.findings("R36");
  std::string now, wished;
  for (const Printed& one : printed) {
    const Matrix* matrix = record.try_matrix(one.name);
    if (matrix == nullptr || record.lab.stopped()) continue;
    const Permutation identity = Permutation::identity(matrix->facts.cols);
    const auto put = [&](const char* order, int then, const Seen& here) {
      const auto both_of = [&](double before, const std::string& after) {
        return then < 0 ? after : fmt::format("{} | {}", before, after);
      };
      const auto k = static_cast<std::size_t>(std::max(0, then));
      table.rows.push_back({one.name, name_of(matrix->facts.origin), order, both_of(one.zeros[k], fixed(here.zeros, 2)),
                            both_of(one.gflops[k], significant(here.gflops)), fixed(here.sectors, 2),
                            then < 0 ? "" : percent(100 * one.hits[k] / (one.hits[k] + one.misses[k]))});
    };
    const Seen plain = seen_of(record.lab, *matrix);
    put("as it comes", 0, plain);
    Permutation ascending = length_order(matrix->A.view());
    std::reverse(ascending.new_to_old.begin(), ascending.new_to_old.end());
    put("sorted", 1, seen_of(record.lab, reordered(record.lab, *matrix, "sorted", ascending, identity)));
    const Matrix& rcm = record.lab.in_rcm_order(*matrix);
    put("RCM, P A P^T", -1, seen_of(record.lab, rcm));
    const Seen windows =
        seen_of(record.lab, reordered(record.lab, rcm, "sorted in windows", sorted_in_windows(rcm.A.view()), identity));
    put("RCM, sorted in windows", -1, windows);
    wished +=
        fmt::format("{}{}: zeros {} % for {} %, sectors of x {} for {}", wished.empty() ? "" : "; ", one.name,
                    fixed(windows.zeros, 1), fixed(plain.zeros, 1), fixed(windows.sectors, 2), fixed(plain.sectors, 2));
    const auto amd = minimum_degree(record.lab, *matrix);
    if (!amd) {
      now = "this build has no AMD, and there is no file of its order";
      continue;
    }
    const Seen both_ways = seen_of(record.lab, reordered(record.lab, *matrix, "in AMD order", *amd, *amd));
    put("AMD, P A P^T", 2, both_ways);
    put("AMD, rows alone", -1, seen_of(record.lab, reordered(record.lab, *matrix, "rows by AMD", *amd, identity)));
    if (std::isfinite(both_ways.gflops / plain.gflops)) found.see(*matrix, both_ways.gflops < 1.05 * plain.gflops);
    now += fmt::format("{}{}: {} times the rate, {} times the sectors", now.empty() ? "" : "; ", one.name,
                       fixed(both_ways.gflops / plain.gflops, 2), fixed(both_ways.sectors / plain.sectors, 2));
  }
  record.add(std::move(table));
  record.also_measured(
      "RgCSR in RCM order with rows sorted inside windows of 1,024 (a good order is future work of paper 3), over the "
      "order as it comes: zeros in groups of 128, sectors of x an entry",
      wished, "counted; which rows are neighbours is a matter of the real matrices");
  record.judge(found, now);
}

}  // namespace heddle::reproduce
