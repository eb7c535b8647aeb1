// Places that rows on common diagonals would take, counted from the pattern: no fact of Structure tells it. The rules
// that read it count it (Rules::count).
#pragma once

namespace heddle {

// Places per entry: in runs, and in gathered steps. `gathered_entries`: share of the entries that are gathered, those
// of rows aside included; `aside`: share of these; `dense`: of those among them that have no columns.
struct StepCounts {
  double runs = 0, gathered = 0, gathered_entries = 0, aside = 0, dense = 0;
};

}  // namespace heddle
