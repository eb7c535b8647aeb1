#include "plan/step_counts.hpp"

#include "formats/runs/runs_cut.hpp"

namespace heddle {

StepCounts count_steps(const PatternView& A, int value_bytes) {
  constexpr std::int64_t most_slices = 192, most_entries = 1 << 15;
  const std::int64_t slices = (A.rows + rows_of_run - 1) / rows_of_run;
  const std::int64_t wanted =
      std::min({slices, most_slices, most_entries * slices / std::max<std::int64_t>(1, A.nnz())});
  const std::int64_t sampled = std::max<std::int64_t>(std::min<std::int64_t>(slices, 1), wanted);
  const int gather = gather_cost(A, value_bytes);
  double entries = 0, runs = 0, gathered = 0, in_runs = 0, aside = 0;
  for (std::int64_t i = 0; i < sampled; ++i) {
    const std::int64_t first = i * slices / sampled * rows_of_run, last = std::min(first + rows_of_run, A.rows);
    const StepCut cut = cut_steps(A, first, gather);
    entries += static_cast<double>(A.ptr[last] - A.ptr[first]);
    runs += cut.runs;
    gathered += cut.gathered();
    in_runs += cut.entries_in_runs;
    aside += static_cast<double>(cut.entries_aside);
  }
  if (entries == 0) return {};
  return {runs * rows_of_run / entries, gathered * rows_of_run / entries, 1 - in_runs / entries, aside / entries};
}

}  // namespace heddle
