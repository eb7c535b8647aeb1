// choose: which format, and why. optimize: analyze, choose and build in one call.
#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include <heddle/analyze.hpp>
#include <heddle/export.hpp>
#include <heddle/machine.hpp>
#include <heddle/operator.hpp>
#include <heddle/plan.hpp>

namespace HEDDLE_PUBLIC heddle {

enum class Effort {
  model,      // from the facts alone; the same facts and machine give the same plan every time
  measure,    // build and time the few that the model likes best
  exhaustive  // build and time every candidate
};

struct ChooseOptions {
  Effort effort = Effort::model;
  // How often the operator will multiply: build + n * multiply is minimised. 0: often, the multiplication alone counts.
  // Effort::measure then spends at most 3 % of that predicted time on trying; for few products it tries nothing.
  double expected_multiplies = 0;
  Device device = Device::parse("auto");
  // model: ours. csr_ell_rules: paper 2, csr_ell by its rules. ellr_trials: paper 4, the best of its twelve runs
  // (without a matrix to try: the T that the model likes).
  std::string selector = "model";
  bool reorder = true;    // plans that reorder the matrix inside may be proposed
  bool use_cache = true;  // measured choices are remembered in the cache folder
  KeepGoing keep_going = {};
};

struct Candidate {
  Plan plan;
  std::int64_t bytes = 0;
  bool fits = true;
  double predicted_seconds = 0, predicted_build_seconds = 0;
  double measured_seconds = 0, measured_build_seconds = 0;  // 0: not measured
};

struct Choice {
  Plan plan;
  Device device;       // it was chosen for: ChooseOptions::device
  std::string reason;  // in words
  double predicted_seconds = 0, predicted_build_seconds = 0;
  std::vector<Candidate> candidates;  // best first; what does not fit last
  bool from_cache = false;

  operator const Plan&() const { return plan; }
};

// From the facts alone: effort = model, whatever the options say. value_bytes: 4 or 8.
Choice choose(const Structure& facts, const Machine& machine, const ChooseOptions& options = {}, int value_bytes = 8);

// With the matrix at hand: candidates carry exact bytes, effort = measure and exhaustive try them. Of a matrix in the
// memory of a device the pattern is not fetched: bytes are those predicted, and no format is asked whether it takes it.
template <class V>
HEDDLE_PUBLIC Choice choose(const Csr<V>& A, const Structure& facts, const Machine& machine,
                            const ChooseOptions& options = {});

// The same for options.device, analysing the matrix only where that may pay: for few expected_multiplies csr is taken
// at once, from the numbers of rows and entries and the longest row.
template <class V>
HEDDLE_PUBLIC Choice choose(const Csr<V>& A, const ChooseOptions& options = {});

// What was chosen, on the device it was chosen for: BuildOptions that name another one are an Error(usage).
BuildOptions options_for(const Choice& choice, BuildOptions options);
template <class V, std::same_as<Choice> C>
Operator<V> build(const Csr<V>& A, const C& choice, const BuildOptions& options = {}) {
  return build(A, choice.plan, options_for(choice, options));
}
template <class V, std::same_as<Choice> C>
Operator<V> build(Csr<V>&& A, const C& choice, const BuildOptions& options = {}) {
  return build(std::move(A), choice.plan, options_for(choice, options));
}

// analyze, choose, build; on options.device, which is that of `how`, too. A matrix in host memory is checked, one in
// the memory of a device must be canonical. The best candidate that can be built is taken; where values are to change
// (BuildOptions::updates) those that live by what the values are now do not count.
template <class V>
HEDDLE_PUBLIC Operator<V> optimize(const Csr<V>& A, const ChooseOptions& options = {}, const BuildOptions& how = {});
template <class V>
HEDDLE_PUBLIC Operator<V> optimize(Csr<V>&& A, const ChooseOptions& options = {}, const BuildOptions& how = {});
// From arrays of your own, as `build` from them.
template <class V>
HEDDLE_PUBLIC Operator<V> optimize(const MatrixView<V>& A, const ChooseOptions& options = {},
                                   const BuildOptions& how = {});

// Predicted seconds of a plan; NaN when the model does not know the format. From the matrix itself also what facts do
// not tell (how the format runs would cut it), as `choose` predicts.
double predict(const Structure& facts, const Machine& machine, const Plan& plan, int value_bytes = 8);
template <class V>
HEDDLE_PUBLIC double predict(const Csr<V>& A, const Structure& facts, const Machine& machine, const Plan& plan);

Effort parse_effort(const std::string& text);  // Error(usage) with the words there are
std::string to_string(Effort effort);

}  // namespace heddle
