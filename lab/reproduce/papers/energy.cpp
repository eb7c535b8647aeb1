// What paper 5 names as future work: energy of products by format, and of solves by method and precision, where the
// machine counts it.
#include <cmath>

#include <heddle/choose.hpp>
#include <heddle/solve.hpp>

#include "bench/energy.hpp"
#include "reproduce/papers/paper5.hpp"

namespace heddle::reproduce::paper5 {

namespace {

constexpr const char* subject_of_all = "joules of products and solves (future work of the paper)";
// Half a second where a timing takes 20 ms.
double seconds_each(const Lab& lab) { return 25 * lab.settings().seconds; }

std::string joules(double value) {
  if (!std::isfinite(value)) return "-";
  return value >= 1      ? significant(value) + " J"
         : value >= 1e-3 ? significant(value * 1e3) + " mJ"
                         : significant(value * 1e6) + " uJ";
}
std::string watts(double value) { return std::isfinite(value) ? fixed(value, 0) + " W" : "-"; }

template <class V>
bench::Result energy_of_product(Lab& lab, const Matrix& matrix, const std::string& plan,
                                const bench::EnergyCounter& counter) {
  const Csr<V>& A = matrix.as<V>();
  const bench::Reference<V> reference(A.view());
  return bench::bench_plan(A, Plan::parse(plan), reference,
                           {.device = lab.settings().device,
                            .seconds = lab.settings().seconds,
                            .energy = &counter,
                            .energy_seconds = seconds_each(lab)});
}

void products(Record& record, const bench::EnergyCounter& counter) {
  Table table{.title = "Energy of a product by format",
              .note = fmt::format("{}; caches warm. Of the whole device, its idle power included.", counter.source),
              .columns = {"matrix", "source", "plan", "float", "power", "double", "power", "double over float"}};
  for (const char* name : {"cant", "cop20k_A", "mac_econ"}) {
    const Matrix* matrix = record.try_matrix(name);
    if (matrix == nullptr) continue;
    for (const char* plan : {"csr", "ell", "ellr", "ell16", "hyb", "rgcsr", "csr_ell", "sell", "weave"}) {
      if (record.lab.stopped()) break;
      const bench::Result f32 = energy_of_product<float>(record.lab, *matrix, plan, counter);
      const bench::Result f64 = energy_of_product<double>(record.lab, *matrix, plan, counter);
      table.rows.push_back({name, source_of(*matrix), plan, joules(f32.joules), watts(f32.watts), joules(f64.joules),
                            watts(f64.watts), fixed(f64.joules / f32.joules, 2)});
    }
  }
  record.add(std::move(table));
}

struct Solved {
  bench::Energy energy;
  Report report;
};

template <class V>
Solved energy_of_solve(Lab& lab, const Matrix& matrix, const char* method, const char* preconditioner,
                       const bench::EnergyCounter& counter) {
  const Csr<V>& A = matrix.as<V>();
  constexpr double products_expected = 500;
  const auto op = optimize(A, {.expected_multiplies = products_expected, .device = lab.settings().device});
  Buffer<V> ones(A.cols), b(A.rows), x(A.cols);
  std::fill(ones.begin(), ones.end(), V(1));
  op.multiply(ones, b);
  Solved solved;
  const bench::EnergyRun how{
      .seconds = seconds_each(lab), .batch = 1, .now = {}, .stopped = [&] { return lab.stopped(); }};
  solved.energy = bench::measure_energy(counter, how, [&](std::int64_t) {
    std::fill(x.begin(), x.end(), V(0));
    solved.report = solve<V>(op, b, x, {.method = method, .preconditioner = preconditioner, .matrix = &A});
  });
  return solved;
}

void solves(Record& record, const bench::EnergyCounter& counter) {
  const Matrix& matrix = record.lab.generated(record.lab.on_gpu() ? "stencil3d7,n=100" : "stencil3d7,n=40");
  Table table{.title = fmt::format("Energy of a solve by method and precision: {}", matrix.facts.name),
              .note =
                  "To a relative residual of 1e-8 in double and 1e-5 in float, from zero, set-up of the "
                  "preconditioner included.",
              .columns = {"method", "preconditioner", "float", "iterations", "power", "double", "iterations", "power"}};
  for (const auto& [method, preconditioner] :
       {std::pair("cg", "none"), {"cg", "jacobi"}, {"cg", "amg"}, {"minres", "none"}, {"bicgstab", "none"}}) {
    if (record.lab.stopped()) break;
    const Solved f32 = energy_of_solve<float>(record.lab, matrix, method, preconditioner, counter);
    const Solved f64 = energy_of_solve<double>(record.lab, matrix, method, preconditioner, counter);
    std::vector<std::string> cells{method, preconditioner};
    for (const Solved& one : {f32, f64})
      cells.insert(cells.end(), {one.report.converged() ? joules(one.energy.joules) : name_of(one.report.status),
                                 grouped(one.report.iterations), watts(one.energy.watts())});
    table.rows.push_back(std::move(cells));
  }
  record.add(std::move(table));
}

}  // namespace

void energy(Record& record) {
  if (record.lab.planted() || record.lab.quick())
    return record.also_measured(subject_of_all, "a quick run takes no time for it", "");
  const bench::EnergyCounter counter = bench::energy_counter(record.lab.settings().device);
  if (!counter.there())
    return record.also_measured(subject_of_all,
                                fmt::format("nothing counts them here: {}: {}", counter.source, counter.absence), "");
  products(record, counter);
  solves(record, counter);
  record.also_measured(subject_of_all, "in the tables of energy", counter.source);
}

}  // namespace heddle::reproduce::paper5
