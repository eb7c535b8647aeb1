#include "plan/building.hpp"

#include <algorithm>
#include <numeric>

#include "formats/format.hpp"
#include "plan/model.hpp"
#include "plan/row_counts.hpp"

namespace heddle {

BuildParts build_parts(const Subject& subject, const Plan& plan, const Workload& work) {
  constexpr double us = 1e-6, ns = 1e-9;
  const double entries = subject.nnz();
  const bool looked_at = plan.format == "weave" && weave_looks_at_values(subject, plan);
  const bool table = looked_at && !subject.facts.distinct_capped;
  const bool doubles = looked_at && !table && subject.value_bytes == 8;
  return {us,
          subject.facts.rows_len.mean >= 6 ? us : 0,
          table ? us : 0,
          doubles ? us : 0,
          entries * ns,
          table ? entries * ns : 0,
          subject.rows() * ns,
          std::max(0.0, work.stored - entries) * ns,
          work.alone * ns,
          work.partials * ns,
          long_row_count(subject.facts.rows_len, subject.facts.rows) * ns};
}

double bytes_on_the_way(const Subject& subject, const Plan& plan, const Workload& work) {
  const double matrix = subject.nnz() * (subject.value_bytes + 4) + 8 * (subject.rows() + 1);
  if (registered_format(plan.format).builds_there) return subject.on_device ? 0 : matrix;
  return work.bytes + (subject.on_device ? matrix : 0);
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
                                {"rgcsr", 15}, {"dia", 45},       {"bcsr", 45},    {"bell", 52}};
  double products = 25;
  if (plan.format == "weave") products = 120;
  for (const Products& line : table)
    if (plan.format == line.format) products = line.csr_products;
  const Workload csr = workload(*find_family("csr"), subject, Plan{}, false);
  const double product = predict(csr, *cost_of(Plan{}, false), machine, subject.value_bytes).seconds;
  // What is stored beyond the entries has to be written too.
  return products * product * std::max(1.0, work.stored / std::max(1.0, subject.nnz()));
}

double gpu_build_seconds(const Subject& subject, const Plan& plan, const Workload& work, const Machine& machine) {
  const BuildParts parts = build_parts(subject, plan, work), &cost = gpu_build_cost(plan).of_part;
  // Arrays that were not copied a moment ago travel at about half of the rate that was measured.
  const double rate = 0.55 * machine.upload_gbps;
  const double way = rate > 0 ? bytes_on_the_way(subject, plan, work) / rate * 1e-9 : 0;
  return std::inner_product(parts.begin(), parts.end(), cost.begin(), way);
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
