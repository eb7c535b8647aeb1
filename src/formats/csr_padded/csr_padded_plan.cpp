// What csr_padded costs.
#include <cmath>

#include "cost/row_counts.hpp"
#include "cost/workload_parts.hpp"

namespace heddle {

namespace {

Workload csr_padded_gpu(const Subject& s, const Plan&) {
  const double stored = rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, 16);
  Workload w = start(s, (s.rows() + 1) * offset_bytes + s.rows() * index_bytes + stored * (index_bytes + s.value_bytes),
                     stored, s.nnz());
  const double read = rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, 8);
  w.stream_bytes += (read - stored) * (index_bytes + s.value_bytes);
  w.slots = rounded_entries(s.facts.rows_len, s.facts.rows, s.facts.nnz, 32);
  w.sectors = read * (index_bytes + s.value_bytes) / sector_bytes + gathered(s, 16);
  w.teams = s.rows() / 2;
  w.chain = std::ceil(s.longest() / 32);
  return w;
}

}  // namespace

extern const Rules csr_padded_rules{
    .format = "csr_padded",
    .turn = 7,
    .plans = [](const Structure&, const Target&) { return parse_plans({"csr_padded"}); },
    .gpu = csr_padded_gpu,
    .cpu = on_cpu<csr_padded_gpu, Walk::entries, 1>,
    .suits = row_text};

}  // namespace heddle
