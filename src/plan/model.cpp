#include "plan/model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "formats/format.hpp"

namespace heddle {

namespace {

double norm(std::initializer_list<double> parts) {
  double squares = 0;
  for (const double part : parts) squares += part * part;
  return std::sqrt(squares);
}

// Cores that have something to do: a small matrix is the work of one.
double busy_units(const Workload& w, const Machine& machine) {
  const double units = std::max(1, machine.units);
  return machine.kind == Device::Kind::cpu ? std::clamp(w.tasks, 1.0, units) : units;
}

// What a part takes longer than on the units the costs were fitted on.
double unit_share(const Workload& w, const Machine& machine) {
  const double fitted = machine.kind == Device::Kind::cpu ? 2 : 132;
  return fitted / busy_units(w, machine);
}

// An array that the first cache holds is never gathered from further away.
double miss_seconds(const Workload& w, const Machine& machine) {
  constexpr double beyond_first_cache = 1 << 20;
  return w.misses / rate_at(machine.gather, std::max(w.x_bytes, beyond_first_cache)) * 1e-9;
}

}  // namespace

const char* Prediction::bound() const {
  const std::pair<double, const char*> parts[] = {{start, "starting the work"},
                                                  {stream, "reading the matrix"},
                                                  {misses, "reading x from far away"},
                                                  {sectors, "reads through the first cache"},
                                                  {walk, "instructions"},
                                                  {chain, "the longest row"}};
  return std::max_element(std::begin(parts), std::end(parts),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

Prediction predict(const Workload& w, const Cost& cost, const Machine& machine, int value_bytes) {
  const double share = unit_share(w, machine), footprint = w.stream_bytes;
  const double idle = std::max(1, machine.units) / busy_units(w, machine);
  const bool near = footprint <= 0.8 * static_cast<double>(machine.cache_bytes);
  Prediction t;
  t.start = (w.launches * machine.repeat_us + cost.start_us) * 1e-6;
  t.stream = w.stream_bytes / rate_at(machine.read, footprint) * 1e-9 / cost.stream * idle;
  t.misses = miss_seconds(w, machine) * cost.miss * idle;
  t.sectors = w.sectors / rate_at(machine.gather, 0) * 1e-9 * cost.sector;
  t.walk = (w.slots * cost.place_ps[value_bytes == 8] * 1e-12 + w.teams * cost.team_ns * 1e-9) * share;
  t.chain = w.chain * (near ? cost.step_ns : cost.far_step_ns) * 1e-9;
  if (machine.kind == Device::Kind::cpu) {  // surprises of rows: instructions like others
    t.walk += t.chain * share;
    t.chain = 0;
  }
  t.seconds = t.start + norm({t.stream, t.misses, t.sectors, t.walk, t.chain});
  return t;
}

namespace {

double cpu_build_seconds(const Subject& subject, const Plan& plan, const Workload& work, const Machine& machine) {
  struct Products {
    const char* format;
    double csr_products;
  };
  // One core with AVX-512, 2026-11, medians over 90 matrices of 50 thousand to four million entries.
  constexpr Products table[] = {{"csr", 9},    {"csr_split", 12}, {"csr_ell", 19}, {"csr_padded", 8}, {"coo", 13},
                                {"ell", 16},   {"ellr", 17},      {"ell16", 29},   {"hyb", 22},       {"sell", 24},
                                {"rgcsr", 15}, {"dia", 45},       {"bcsr", 45},    {"bell", 52},      {"runs", 100}};
  double products = 25;
  if (plan.format == "weave") products = 120;
  for (const Products& line : table)
    if (plan.format == line.format) products = line.csr_products;
  const Workload csr = workload(*find_family("csr"), subject, Plan{}, false);
  const double product = predict(csr, *cost_of(Plan{}, false), machine, subject.value_bytes).seconds;
  // What is stored beyond the entries has to be written too.
  return products * product * std::max(1.0, work.stored / std::max(1.0, subject.nnz()));
}

// What passes between host and device: the matrix, where kernels build from it; what was built, where the host does.
double bytes_on_the_way(const Subject& subject, const Plan& plan, const Workload& work) {
  const double matrix = subject.nnz() * (subject.value_bytes + 4) + 8 * (subject.rows() + 1);
  if (registered_format(plan.format).builds_there) return subject.on_device ? 0 : matrix;
  return work.bytes + (subject.on_device ? matrix : 0);
}

double gpu_build_seconds(const Subject& subject, const Plan& plan, const Workload& work, const Machine& machine) {
  const BuildCost& cost = gpu_build_cost(plan);
  // Arrays that were not copied a moment ago travel at about half of the rate that was measured.
  const double rate = 0.55 * machine.upload_gbps;
  const double way = rate > 0 ? bytes_on_the_way(subject, plan, work) / rate * 1e-9 : 0;
  const double gaps = std::max(0.0, work.stored - subject.nnz());
  return cost.fixed_us * 1e-6 + (cost.entry_ns * subject.nnz() + cost.gap_ns * gaps) * 1e-9 + way;
}

// Finding the order, in entries of the matrix.
double order_seconds(const Subject& subject, const Plan& plan) {
  const std::string* order = plan.find("reorder");
  constexpr double ns_per_entry = 60;
  return order && *order == "rcm" ? subject.nnz() * ns_per_entry * 1e-9 : 0;
}

}  // namespace

double predict_build_seconds(const Subject& subject, const Plan& plan, const Workload& work, const Machine& machine) {
  const bool on_cpu = machine.kind == Device::Kind::cpu;
  return (on_cpu ? cpu_build_seconds : gpu_build_seconds)(subject, plan, work, machine) + order_seconds(subject, plan);
}

}  // namespace heddle
