// `heddle predict --serve`: the model's formula for programs that fit costs to measured times, so that they need no
// copy of it. A line of JSON asks, a line answers.
//
//   {"cases": [{"machine": {...}, "value_bytes": 8, "workload": {...}}, ...]}    {"group": 0}
//   {"group": 0, "costs": {"start_us": 0.6, ...}}                                {"seconds": [1.2e-05, ...]}
//
//
//   {"building": {"machine": {...}, "value_bytes": 8, "rows": 900, "nnz": 4380, "plans": [{"bytes": 51234,
//    "by_kernels": true}, ...]}}
//                                        {"slowness": 1.2, "plans": [{"way": 1e-05, "way_there": 0, "new_bytes": 0}, ...]}
//
// The second kind of question is what building takes in addition to the parts whose costs are fitted: the way of a matrix in host
// memory, or on the device already, and the part of new memory, both in seconds.
// Workloads and machines are those that selection_bench writes; what a line leaves out was not measured then, or is 0.
#pragma once

#include <istream>
#include <ostream>

namespace heddle {

// Until there is nothing more to read. Error(input) with the line for one that asks for nothing that is known.
void serve_predictions(std::istream& questions, std::ostream& answers);

}  // namespace heddle
