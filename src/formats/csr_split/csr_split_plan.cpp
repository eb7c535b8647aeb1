// What csr_split costs: equal shares of entries.
#include <cmath>

#include "cost/workload_parts.hpp"
#include "formats/csr_split/csr_split_rules.hpp"

namespace heddle {

namespace {

Workload csr_split_gpu(const Subject& s, const Plan& plan) {
  const double share = number(plan, "share", csr_split_share(s.facts.nnz)), shares = std::ceil(s.nnz() / share);
  const double listed = s.facts.rows_len.empty > 0 ? s.rows() : 0;
  const double bytes = s.nnz() * (index_bytes + s.value_bytes) + s.nnz() / 8 +
                       shares * (index_bytes + 2 * s.value_bytes + 12) + listed * index_bytes;
  Workload w = start(s, bytes, s.nnz(), up(s.nnz(), 32));
  w.sectors += s.nnz() * s.gather().entries;
  w.teams = shares;
  w.chain = share / 32 + s.longest() / share / 32;
  w.launches = 2;
  return w;
}

}  // namespace

extern const Rules csr_split_rules{
    .format = "csr_split",
    .turn = 1,
    .plans = [](const Structure&, const Target&) { return parse_plans({"csr_split"}); },
    .gpu = csr_split_gpu,
    .cpu = on_cpu<csr_split_gpu, Walk::entries, 2, 0>,
    .suits = [](const Structure& facts,
                const Plan& plan) { return row_text(facts, plan) + ": equal shares of entries do not care"; }};

}  // namespace heddle
