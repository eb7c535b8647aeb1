// Paper 2: CG that begins with HYB and changes over to the hybrid.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <heddle/solve.hpp>

#include "formats/csr_ell/csr_ell.hpp"
#include "reproduce/papers/csr_ell_sweeps.hpp"

namespace heddle::reproduce {

namespace {

// Symmetric positive definite, more than 100,000 rows and at most 21 million entries, in the collection by 2011: the
// paper does not list its set.
constexpr const char* definite_names[] = {"cfd2",     "af_shell3",     "bmw7st_1",      "bmwcra_1",      "hood",
                                          "ship_003", "shipsec1",      "shipsec5",      "shipsec8",      "x104",
                                          "pwtk",     "thermal2",      "G3_circuit",    "apache2",       "boneS01",
                                          "msdoor",   "Dubcova3",      "BenElechi1",    "parabolic_fem", "ecology2",
                                          "tmt_sym",  "2cubes_sphere", "thermomech_TC", "thermomech_dM", "offshore"};
constexpr const char* small_ones[] = {"stencil3d7,n=6", "stencil2d5,nx=200,ny=1"};  // the second one escapes

// CG with HYB throughout, with the hybrid throughout, and changed over to it once it is built: from a matrix in host
// memory, and from one in the device's.
struct Solved {
  Report hyb, hybrid, from_host, from_device;
};

Solved planted_solves(const PlantedTimes& times, const std::string& matrix) {
  Solved solved;
  const auto plant = [&](Report& report, const char* what) { report.seconds = times(matrix, what, Precision::f64); };
  plant(solved.hyb, "cg by hyb");
  plant(solved.from_host, "cg changed over, from host memory");
  plant(solved.from_device, "cg changed over, from the GPU's memory");
  return solved;
}

// To 1e-8, 2,000 iterations at most.
Solved solve_four_ways(const Csr<double>& A, Device device) {
  Buffer<double> b(A.rows);
  for (std::int64_t i = 0; i < A.rows; ++i) b[i] = 1 + static_cast<double>(i * 37 % 101) / 101;
  const auto built = [&](const char* plan) { return build(A, Plan::parse(plan), {.device = device}); };
  const Operator<double> hyb = built(cusp_hyb), hybrid = built("csr_ell");
  const Csr<double> there = A.to(device);
  const auto solved = [&](const Operator<double>& op, const Csr<double>* better_from) {
    Buffer<double> x(A.rows);
    std::fill(x.begin(), x.end(), 0.0);
    SolveOptions<double> options{.method = "cg", .tolerance = 1e-8, .max_iterations = 2000, .matrix = &A};
    if (better_from) options.better = [=] { return build(*better_from, Plan::parse("csr_ell"), {.device = device}); };
    return solve(op, b, x, options);
  };
  solved(hyb, nullptr);  // warms up
  return {solved(hyb, nullptr), solved(hybrid, nullptr), solved(hyb, &A), solved(hyb, &there)};
}

double seconds_each(const Report& report) {
  return report.seconds / static_cast<double>(std::max<std::int64_t>(1, report.iterations));
}

struct Gains {
  Numbers all, without_escape, slowed;

  // What changing over showed on one matrix, in the cells of its table.
  std::vector<std::string> add(const Solved& solved, const Report& changed, bool escapes) {
    const Changeover& change = changed.changeover;
    all.push_back(solved.hyb.seconds / changed.seconds);
    if (!escapes) without_escape.push_back(all.back());
    slowed.push_back(change.happened && change.iteration > 0 ? change.first_seconds / seconds_each(solved.hyb)
                                                             : bench::unknown);
    return {fixed(changed.seconds * 1e3, 2),
            change.happened ? fmt::format("{}", change.iteration) : "never",
            fixed(change.build_seconds * 1e3, 2),
            change.break_even >= 0 ? fmt::format("{}", change.break_even) : "never",
            fixed(slowed.back(), 2),
            fixed(all.back(), 2)};
  }
  std::string judge(Findings& seen, const std::string& from) const {
    seen.add_above(from + ", all", geometric_mean(all), 1);
    seen.add_above(from + ", those without the escape", geometric_mean(without_escape), 1);
    return fmt::format(
        "{}: {} over all {}, {} over the {} that do not escape, geometric means ({} to {}); an iteration while the "
        "hybrid is built takes {} times as long (median)",
        from, fixed(geometric_mean(all), 2), all.size(), fixed(geometric_mean(without_escape), 2),
        without_escape.size(), fixed(smallest(all), 2), fixed(largest(all), 2), fixed(median(slowed), 2));
  }
};

}  // namespace

void overlapped_cg(Record& record) {
  const auto table_from = [](const char* from) {
    return Table{
        .title = fmt::format("CG to 1e-8, double (ms): HYB, the hybrid, and HYB until the hybrid is built from "
                             "a matrix in {}",
                             from),
        .note =
            "HYB by Cusp's rule. Where the hybrid escapes to HYB both run the same kernel. Slowed: an iteration "
            "while the hybrid is built over one of HYB alone.",
        .columns = {"matrix", "source", "iterations", "HYB", "hybrid, without building", "changed over", "at iteration",
                    "building", "break-even iterations", "slowed", "HYB / changed over"}};
  };
  Table tables[] = {table_from("host memory"), table_from("the GPU's memory")};
  Gains gains[2];
  const bool device_apart = record.lab.planted() || record.lab.settings().device.kind != Device::Kind::cpu;
  const std::size_t sources = device_apart ? 2 : 1;
  const bool few = !record.lab.on_gpu() || record.lab.quick();
  const std::vector<std::string> names =
      few ? std::vector<std::string>(std::begin(small_ones), std::end(small_ones))
          : std::vector<std::string>(std::begin(definite_names), std::end(definite_names));
  std::size_t real = 0;
  for (const std::string& name : names) {
    if (record.lab.stopped()) break;
    const Matrix& matrix = few ? record.lab.generated(name) : record.lab.definite(name);
    real += matrix.facts.real();
    const bool escapes = csr_ell_by_rules(matrix.A.view()).escape == 1;
    const Solved solved = record.lab.planted() ? planted_solves(record.lab.settings().planted, name)
                                               : solve_four_ways(matrix.A, record.lab.settings().device);
    for (std::size_t from = 0; from < sources; ++from) {
      const Report& changed = from == 0 ? solved.from_host : solved.from_device;
      std::vector<std::string> cells{name + (escapes ? " (escapes)" : ""), name_of(matrix.facts.origin),
                                     fmt::format("{}", changed.iterations), fixed(solved.hyb.seconds * 1e3, 2),
                                     fixed(solved.hybrid.seconds * 1e3, 2)};
      for (std::string& cell : gains[from].add(solved, changed, escapes)) cells.push_back(std::move(cell));
      tables[from].rows.push_back(std::move(cells));
    }
    record.lab.forget(matrix);
  }
  for (std::size_t from = 0; from < sources; ++from) record.add(std::move(tables[from]));
  Findings seen = record.findings("R16", "means");
  seen.rest_on(fmt::format("{} real files, {} stand-ins for positive definite matrices; {} without the escape", real,
                           gains[0].all.size() - real, gains[0].without_escape.size()));
  std::string now = gains[0].judge(seen, "from host memory");
  if (device_apart) now += "; " + gains[1].judge(seen, "from the GPU's memory");
  record.judge(seen, now);
}

}  // namespace heddle::reproduce
