// What coo costs: coordinates, and the kernel that joins pieces.
#include "cost/workload_parts.hpp"

namespace heddle {

namespace {

Workload coo_gpu(const Subject& s, const Plan&) {
  Workload w = start(s, 0, 0, 0);
  add_coordinates(w, s, s.nnz());
  w.stream_bytes += s.rows() * s.value_bytes;
  w.launches = 3;
  return w;
}

}  // namespace

extern const Rules coo_rules{.format = "coo",
                             .turn = 9,
                             .plans = [](const Structure&, const Target&) { return parse_plans({"coo"}); },
                             .gpu = coo_gpu,
                             .cpu = on_cpu<coo_gpu, Walk::entries, 3, 0>,
                             .suits = row_text};

}  // namespace heddle
