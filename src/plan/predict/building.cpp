#include "plan/predict/building.hpp"

#include <algorithm>

#include "codec/value_codec.hpp"
#include "cost/row_counts.hpp"
#include "cost/units.hpp"
#include "cost/workload_parts.hpp"
#include "formats/format.hpp"
#include "plan/predict/model.hpp"

namespace heddle {

namespace {

// Cores that share building. Sixteen of them build 50,000 entries no sooner than two, and ten million eight times as
// soon: small arrays are new memory, which one thread has to ask for.
double builders(double entries, int cores) {
  constexpr double entries_each = 1 << 16;
  return std::clamp(entries / entries_each, 1.0, static_cast<double>(std::max(1, cores)));
}

bool orders_rows(const Plan& plan) {
  const std::string* sigma = plan.find("sigma");
  return sigma && *sigma != "1";
}

}  // namespace

// The system gives large arrays page by page while they are first written; small ones lie where others were before.
double new_memory_part(double built, double entries, int cores) {
  constexpr double small = 3 * (128 << 10);  // columns, values and what else there is
  return cores > 0 && built > small ? built * nano / builders(entries, cores) : 0;
}

double matrix_bytes(double rows, double entries, int value_bytes) {
  return entries * (value_bytes + index_bytes) + offset_bytes * (rows + 1);
}

double matrix_bytes(const Subject& subject) { return matrix_bytes(subject.rows(), subject.nnz(), subject.value_bytes); }

double seconds_to_read(double bytes, const Machine& machine) { return bytes / rate_at(machine.read, bytes) * nano; }

BuildParts build_parts(const Subject& subject, const Plan& plan, const Workload& work, const Machine& machine) {
  constexpr double us = micro, ns = nano;
  constexpr double wide_row = 6;  // entries on average
  const int cores = machine.kind == Device::Kind::cpu ? machine.units : 0;
  const double entries = subject.nnz(), shared_ns = ns / builders(entries, cores);
  const bool doubles = subject.value_bytes == sizeof(double) && !subject.facts.f32_exact;
  const bool all_one = !subject.facts.distinct_capped && subject.facts.distinct_values == 1;
  const bool table = work.looks_at_values && work.may_have_table && !all_one &&
                     subject.facts.distinct_guess <= (doubles ? dictionary16_pays<double> : dictionary_size);
  const double long_rows = long_row_count(subject.facts.rows_len, subject.facts.rows);
  return {.once = us,
          .wide = subject.facts.rows_len.mean >= wide_row ? us : 0,
          .table = table ? us : 0,
          .doubles = work.looks_at_values && !table && subject.value_bytes == sizeof(double) ? us : 0,
          .entries = entries * shared_ns,
          .table_entries = table ? entries * ns : 0,
          .rows = subject.rows() * shared_ns,
          .gaps = std::max(0.0, work.stored - entries) * shared_ns,
          .alone = work.alone * ns,
          .partials = work.partials * ns,
          .long_rows = long_rows * ns,
          .some_long = long_rows > 0 ? us : 0,
          .one_thread = cores > 0 ? entries * ns : 0,
          .sorted_rows = orders_rows(plan) ? subject.rows() * shared_ns : 0,
          .gathered = work.gathered * shared_ns,
          .listed = work.listed * ns,
          .looked_at = work.looks_at_values && !table ? us : 0,
          .new_bytes = new_memory_part(work.bytes, entries, cores),
          .memory = cores > 0 ? seconds_to_read(matrix_bytes(subject) + work.bytes, machine) : 0};
}

// Arrays that the caches of the host hold travel at the rate that was measured, larger ones at two thirds of it (host
// of an H200: 11 GB/s up to 40 MB, 7.1 from 60 MB on).
double way_seconds(const Way& way, const Machine& machine) {
  constexpr double cached = 40e6, far = 60e6, slower = 0.65;
  const double bytes = way.by_kernels ? (way.on_device ? 0 : way.matrix) : way.built + (way.on_device ? way.matrix : 0);
  if (machine.kind == Device::Kind::cpu || bytes <= 0 || machine.upload_gbps <= 0) return 0;
  const double share = std::clamp((bytes - cached) / (far - cached), 0.0, 1.0);
  return bytes / (machine.upload_gbps * (1 + share * (slower - 1))) * nano;
}

double slowness(const Machine& machine) {
  return machine.kind != Device::Kind::cpu || machine.entry_ns <= 0 ? 1 : machine.entry_ns / Cost::fitted_entry_ns;
}

namespace {

// Finding the order, in entries of the matrix.
double order_seconds(const Subject& subject, const Plan& plan) {
  const std::string* order = plan.find("reorder");
  constexpr double ns_per_entry = 60;
  return order && *order == "rcm" ? subject.nnz() * ns_per_entry * nano : 0;
}

}  // namespace

double predict_build_seconds(const Subject& subject, const Plan& plan, const Workload& work, const Machine& machine) {
  const BuildParts parts = build_parts(subject, plan, work, machine);
  const BuildCost& cost = build_cost(plan, machine.kind != Device::Kind::cpu);
  const Way way{matrix_bytes(subject), work.bytes, registered_format(plan.format).builds_there, subject.on_device};
  return cost.working_seconds(parts) * slowness(machine) + parts.memory * cost.memory + order_seconds(subject, plan) +
         way_seconds(way, machine);
}

}  // namespace heddle
