// Paper 5's pass model (plan/predict/pass_model.hpp) fitted on this device, as the paper does it: artificial matrices
// with n a multiple of the resident threads and m entries in every row, multiplied without x.
#pragma once

#include "plan/predict/pass_model.hpp"
#include "reproduce/lab.hpp"
#include "reproduce/numbers.hpp"

namespace heddle::reproduce {

// Rows that are worked on at once: a GPU's threads, a lane each. A CPU has no such limit; 1,024 rows for each of its
// threads count as a pass.
std::int64_t resident_rows(const Lab& lab);

struct PassFit {
  PassModel model;  // seconds
  // On sizes that were not fitted.
  struct Trial {
    double passes;
    std::int64_t m;
    double measured, predicted;
  };
  std::vector<Trial> trials;
  Numbers errors() const;  // of the trials, in percent
};

// The fit alone, or with its trials.
enum class Trials { no, yes };
template <class V, class Codec>
PassFit fit_pass_model(Lab& lab, Trials trials);

// For rows of m entries on average; m need not be whole.
double predict_mean(const PassModel& model, std::int64_t n, double m);

}  // namespace heddle::reproduce
