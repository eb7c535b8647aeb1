// What csr_ell costs: short rows packed by length, long ones in pieces.

#include "cost/row_counts.hpp"
#include "cost/workload_parts.hpp"

namespace heddle {

namespace {

Workload csr_ell_gpu(const Subject& s, const Plan&) {
  const CsrEllShape shape = csr_ell_shape(s.facts);
  const double entry = index_bytes + s.value_bytes;
  const double described =
      shape.escapes ? shape.long_entries * index_bytes : shape.warps * 24 + shape.packed_rows * 2 * index_bytes;
  const double bytes = described + shape.packed_places * entry + shape.pieces * 24 + shape.long_rows * index_bytes +
                       shape.long_entries * entry + shape.crossings * (12 + s.value_bytes) +
                       shape.pieces * s.value_bytes;
  Workload w =
      start(s, bytes, shape.packed_places + shape.long_entries, shape.packed_places + up(shape.long_entries, 32));
  // Sorting takes neighbours apart unless rows are all alike.
  const double apart = s.facts.rows_len.cv > 0.05 ? 1 : 0;
  const double share = s.nnz() > 0 ? shape.packed_entries / s.nnz() : 0;
  w.sectors += s.nnz() * (share * s.gather().rows + (1 - share) * s.gather().entries);
  w.sectors += apart * s.rows();  // of y
  w.misses *= 1 + 0.5 * apart * share;
  w.teams = shape.warps + shape.pieces;
  w.chain = shape.steps + (shape.crossings > 0 ? s.longest() / 1024 / 32 : 0);
  w.launches = shape.crossings > 0 ? 2 : 1;
  return w;
}

Workload csr_ell_cpu(const Subject& s, const Plan& plan) {
  Workload w = as_on_cpu(s, csr_ell_gpu(s, plan), Walk::sorted, 2, 0);
  w.false_sharing = s.rows();
  return w;
}

}  // namespace

extern const Rules csr_ell_rules{.format = "csr_ell",
                                 .turn = 2,
                                 .plans = [](const Structure&, const Target&) { return plans({"csr_ell"}); },
                                 .gpu = csr_ell_gpu,
                                 .cpu = csr_ell_cpu,
                                 .suits =
                                     [](const Structure& facts, const Plan& plan) {
                                       return row_text(facts, plan) +
                                              ": short ones are packed by length, long ones shared by warps";
                                     },
                                 .selector = "csr_ell_rules",
                                 .selected = [] { return plans({"csr_ell"}); }};

}  // namespace heddle
