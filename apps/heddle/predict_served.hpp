// `heddle predict --serve`: the model's formula for programs that fit costs to measured times, so that they need no
// copy of it. A line of JSON asks, a line answers.
//
//   {"cases": [{"machine": {...}, "value_bytes": 8, "workload": {...}}, ...]}    {"group": 0}
//   {"group": 0, "costs": {"start_us": 0.6, ...}}                                {"seconds": [1.2e-05, ...]}
//
// Workloads and machines are those that selection_bench writes; what a line leaves out was not measured then, or is 0.
#pragma once

#include <istream>
#include <ostream>

namespace heddle {

// Until there is nothing more to read. Error(input) with the line for one that asks for nothing that is known.
void serve_predictions(std::istream& questions, std::ostream& answers);

}  // namespace heddle
