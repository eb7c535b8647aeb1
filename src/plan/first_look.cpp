#include "plan/first_look.hpp"

#include <algorithm>

#include "plan/building.hpp"
#include "plan/model.hpp"

namespace heddle {

Structure facts_of(const Outline& matrix) {
  Structure facts;
  facts.rows = matrix.rows;
  facts.cols = matrix.cols;
  facts.nnz = matrix.nnz;
  facts.rows_len.max = matrix.longest;
  facts.rows_len.mean = static_cast<double>(matrix.nnz) / static_cast<double>(std::max<std::int64_t>(1, matrix.rows));
  facts.gather_f32 = facts.gather_f64 = {1, 1, 1};
  return facts;
}

namespace {

double csr_product(const Subject& subject, const Machine& machine) {
  const bool on_gpu = machine.kind != Device::Kind::cpu;
  const Workload work = workload(*find_family("csr"), subject, Plan{}, on_gpu);
  return predict(work, *cost_of(Plan{}, on_gpu), machine, subject.value_bytes).seconds;
}

double seconds_to_read(double bytes, const Machine& machine) { return bytes / rate_at(machine.read, bytes) * 1e-9; }

// x and y, and one start.
double least_product(const Subject& subject, const Machine& machine) {
  const double bytes = static_cast<double>(subject.facts.rows + subject.facts.cols) * subject.value_bytes;
  return machine.repeat_us * 1e-6 + seconds_to_read(bytes, machine);
}

// What analyzing, choosing and building another format take beyond building csr. On a GPU: three launches and the way
// back, the model, the matrix read once; and what the quickest layout for any rows takes. On a CPU in products of csr.
double price_of_choice(const Subject& subject, const Machine& machine, double csr_product) {
  if (machine.kind == Device::Kind::cpu) return 60e-6 + 12 * csr_product;
  const double rows = build_cost(Plan::parse("weave layout=rows"), true).of_part[0],
               csr = build_cost(Plan{}, true).of_part[0];
  return 90e-6 + std::max(0.0, rows - csr) * 1e-6 +
         seconds_to_read(subject.nnz() * (4 + subject.value_bytes) + 8 * subject.rows(), machine);
}

}  // namespace

bool worth_analyzing(const Outline& matrix, const Machine& machine, double products) {
  if (products <= 0) return true;  // often: the product alone counts
  if (matrix.nnz == 0) return false;
  const Structure facts = facts_of(matrix);
  const Subject subject{facts, matrix.value_bytes};
  const double csr = csr_product(subject, machine);
  return products * (csr - least_product(subject, machine)) > price_of_choice(subject, machine, csr);
}

}  // namespace heddle
