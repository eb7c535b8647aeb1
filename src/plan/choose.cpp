#include <heddle/choose.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "formats/format.hpp"
#include "plan/candidates.hpp"
#include "plan/choice_cache.hpp"
#include "plan/explain.hpp"
#include "plan/tune.hpp"

namespace heddle {

namespace {

bool uses_gpu(const Machine& machine) { return machine.kind != Device::Kind::cpu; }

Candidate predicted(const Subject& subject, const Machine& machine, const Plan& plan) {
  const Workload work = workload(*find_family(plan.format), subject, plan, uses_gpu(machine));
  const double vectors = static_cast<double>(subject.facts.rows + subject.facts.cols) * subject.value_bytes;
  Candidate made{.plan = plan, .bytes = std::llround(work.bytes)};
  made.fits =
      work.fits && (machine.memory_bytes == 0 || work.bytes + vectors < static_cast<double>(machine.memory_bytes));
  made.predicted_seconds = predict(work, *cost_of(plan, uses_gpu(machine)), machine, subject.value_bytes).seconds;
  made.predicted_build_seconds = predict_build_seconds(subject, plan, work, machine);
  return made;
}

// Weave's own rules were compared with measured times (docs/performance.md), its cost lines are set by hand and the
// model is off by tens of percent: on a GPU a prediction for another format counts for less.
constexpr double doubt = 2;

// What is minimised: the product, or building and all products together.
struct Score {
  double products;
  bool on_gpu;
  double operator()(const Candidate& c) const {
    const double trust = on_gpu && c.plan.format != "weave" ? doubt : 1;
    const double product = c.measured_seconds > 0 ? c.measured_seconds : trust * c.predicted_seconds;
    const double build = c.measured_build_seconds > 0 ? c.measured_build_seconds : c.predicted_build_seconds;
    return products > 0 ? build + products * product : product;
  }
};

// Best first: those that fit before those that do not, measured ones before guesses.
void rank(std::vector<Candidate>& candidates, const Score& score) {
  std::stable_sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    if (a.fits != b.fits) return a.fits;
    if ((a.measured_seconds > 0) != (b.measured_seconds > 0)) return a.measured_seconds > 0;
    return score(a) < score(b);
  });
}

std::vector<Plan> plans_for(const Structure& facts, const Machine& machine, const ChooseOptions& options) {
  if (options.selector == "csr_ell_rules") return {Plan::parse("csr_ell")};
  if (options.selector == "ellr_trials") return ellr_trials();
  if (options.selector != "model")
    fail(ErrorKind::usage, {options.selector, "selectors: model, csr_ell_rules, ellr_trials"}, "no such selector");
  const bool tries = options.effort != Effort::model;
  return candidate_plans(facts, {.on_gpu = uses_gpu(machine), .reorder = options.reorder && tries});
}

Choice ranked(const Structure& facts, const Machine& machine, const ChooseOptions& options, int value_bytes) {
  const Subject subject{facts, value_bytes};
  Choice choice;
  for (const Plan& plan : plans_for(facts, machine, options))
    choice.candidates.push_back(predicted(subject, machine, plan));
  rank(choice.candidates, Score{options.expected_multiplies, uses_gpu(machine)});
  return choice;
}

// The first candidate is the choice. Without entries every plan does the same nothing: csr.
void settle(Choice& choice, const Structure& facts, const Machine& machine, const ChooseOptions& options,
            int value_bytes) {
  auto& all = choice.candidates;
  if (facts.nnz == 0 || all.empty() || !all.front().fits)
    std::stable_partition(all.begin(), all.end(), [](const Candidate& c) { return c.plan.format == "csr"; });
  if (all.empty() || (!all.front().fits && all.front().plan.format != "csr"))
    all.insert(all.begin(), predicted({facts, value_bytes}, machine, Plan{}));
  choice.plan = all.front().plan;
  choice.predicted_seconds = all.front().predicted_seconds;
  choice.predicted_build_seconds = all.front().predicted_build_seconds;
  choice.reason = facts.nnz == 0 ? "the matrix has no entries"
                                 : explain(choice, {facts, value_bytes}, machine, options.expected_multiplies);
}

// Which of its layouts weave takes on a GPU is for the format to say: it has looked at the whole pattern.
template <class V>
void ask_weave(Choice& choice, const Csr<V>& A, const Subject& subject, const Machine& machine, const Score& score) {
  if (!uses_gpu(machine)) return;
  for (Candidate& candidate : choice.candidates)
    if (candidate.plan.format == "weave") {
      const Plan resolved = resolve(A.view(), Plan::parse("weave"));
      candidate = predicted(subject, machine, {"weave", {{"layout", *resolved.find("layout")}}});
    }
  rank(choice.candidates, score);
}

// The facts foretell bytes closely, the formats know them: whoever refuses the matrix is passed over.
template <class V>
void check_fit(Choice& choice, const Csr<V>& A, const Score& score) {
  while (!choice.candidates.empty() && choice.candidates.front().fits) {
    Candidate& first = choice.candidates.front();
    const Format& format = registered_format(first.plan.format);
    const Footprint need = format.at_most(format.resolve(first.plan, A.view()), A.view(), sizeof(V));
    first.fits = need.fits;
    if (need.fits) {
      first.bytes = need.bytes;
      return;
    }
    rank(choice.candidates, score);
  }
}

}  // namespace

Choice choose(const Structure& facts, const Machine& machine, const ChooseOptions& options, int value_bytes) {
  ChooseOptions from_facts = options;
  from_facts.effort = Effort::model;
  Choice choice = ranked(facts, machine, from_facts, value_bytes);
  settle(choice, facts, machine, options, value_bytes);
  return choice;
}

template <class V>
Choice choose(const Csr<V>& A, const Structure& facts, const Machine& machine, const ChooseOptions& options) {
  const Score score{options.expected_multiplies, uses_gpu(machine)};
  Choice choice = ranked(facts, machine, options, sizeof(V));
  ask_weave(choice, A, {facts, sizeof(V)}, machine, score);
  const bool trials = options.effort != Effort::model || options.selector == "ellr_trials";
  if (trials && facts.nnz > 0) {
    const ChoiceKey key{facts.pattern_hash, machine.name, machine.units, sizeof(V), options.effort, options.selector};
    choice.from_cache = options.use_cache && read_choice(key, choice.candidates);
    if (!choice.from_cache) {
      const bool all = options.effort == Effort::exhaustive || options.selector == "ellr_trials";
      const std::size_t count = all ? choice.candidates.size() : few_best(choice.candidates, score);
      measure_candidates(A, options.device, count, choice.candidates);
      if (options.use_cache) write_choice(key, choice.candidates);
    }
    rank(choice.candidates, score);
  }
  check_fit(choice, A, score);
  settle(choice, facts, machine, options, sizeof(V));
  return choice;
}

namespace {

template <class V>
Plan plan_for(const Csr<V>& A, const ChooseOptions& options) {
  return choose(A, analyze(A, Detail::planning), this_machine(options.device), options).plan;
}

}  // namespace

template <class V>
Operator<V> optimize(const Csr<V>& A, const ChooseOptions& options) {
  validate(A.view(), Require::canonical);
  return build(A, plan_for(A, options), {.device = options.device});
}

template <class V>
Operator<V> optimize(Csr<V>&& A, const ChooseOptions& options) {
  validate(A.view(), Require::canonical);
  const Plan plan = plan_for(A, options);
  return build(std::move(A), plan, {.device = options.device});
}

double predict(const Structure& facts, const Machine& machine, const Plan& plan, int value_bytes) {
  const Family* family = find_family(plan.format);
  const Cost* cost = cost_of(plan, uses_gpu(machine));
  if (!family || !cost) return std::numeric_limits<double>::quiet_NaN();
  const Subject subject{facts, value_bytes};
  return predict(workload(*family, subject, plan, uses_gpu(machine)), *cost, machine, value_bytes).seconds;
}

Effort parse_effort(const std::string& text) {
  for (const Effort effort : {Effort::model, Effort::measure, Effort::exhaustive})
    if (text == to_string(effort)) return effort;
  fail(ErrorKind::usage, {text, "efforts: model, measure, exhaustive"}, "no such effort");
}

std::string to_string(Effort effort) {
  return effort == Effort::model ? "model" : effort == Effort::measure ? "measure" : "exhaustive";
}

template Choice choose(const Csr<float>&, const Structure&, const Machine&, const ChooseOptions&);
template Choice choose(const Csr<double>&, const Structure&, const Machine&, const ChooseOptions&);
template Operator<float> optimize(const Csr<float>&, const ChooseOptions&);
template Operator<double> optimize(const Csr<double>&, const ChooseOptions&);
template Operator<float> optimize(Csr<float>&&, const ChooseOptions&);
template Operator<double> optimize(Csr<double>&&, const ChooseOptions&);

}  // namespace heddle
