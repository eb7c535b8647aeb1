#include <heddle/choose.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "analyze/facts_for.hpp"
#include "core/check.hpp"
#include "core/gpu.hpp"
#include "core/memory_errors.hpp"
#include "core/watch.hpp"
#include "formats/format.hpp"
#include "plan/all_rules.hpp"
#include "plan/candidates.hpp"
#include "plan/choice_cache.hpp"
#include "plan/explain.hpp"
#include "plan/first_look.hpp"
#include "plan/predict/building.hpp"
#include "plan/prospects.hpp"
#include "plan/ranking.hpp"
#include "plan/subject_of.hpp"
#include "plan/tune.hpp"
#include "simt/csr/device_pattern.hpp"
#include "simt/where.hpp"

namespace heddle {

namespace {

Candidate predicted(const Subject& subject, const Machine& machine, Plan plan) {
  const Workload work = workload(*find_rules(plan.format), subject, plan);
  const double vectors = static_cast<double>(subject.facts.rows + subject.facts.cols) * subject.value_bytes;
  Candidate made{.bytes = std::llround(work.bytes)};
  made.fits =
      work.fits && (machine.memory_bytes == 0 || work.bytes + vectors < static_cast<double>(machine.memory_bytes));
  made.predicted_seconds = predict(work, *cost_of(plan, subject.target), machine, subject.value_bytes).seconds;
  made.predicted_build_seconds = predict_build_seconds(subject, plan, work, machine);
  made.plan = std::move(plan);
  return made;
}

// The format whose selector that is.
const Rules& selector_named(const std::string& name) {
  std::string known = "model";
  for (const Rules* rules : all_rules()) {
    if (rules->selector == nullptr) continue;
    if (rules->selector == name) return *rules;
    known += std::string(", ") + rules->selector;
  }
  fail(ErrorKind::usage, {name, "selectors: " + known}, "no such selector");
}

std::vector<Plan> plans_for(const Structure& facts, const Machine& machine, const ChooseOptions& options) {
  if (options.selector != "model") return selector_named(options.selector).selected();
  const bool tries = options.effort != Effort::model;
  return candidate_plans(facts, {.target = target_of(machine), .reorder = options.reorder && tries});
}

Choice ranked(const Subject& subject, const Machine& machine, const ChooseOptions& options) {
  Choice choice;
  std::vector<Plan> plans = plans_for(subject.facts, machine, options);
  choice.candidates.reserve(plans.size() + 1);  // settle may put one more before them
  for (Plan& plan : plans) choice.candidates.push_back(predicted(subject, machine, std::move(plan)));
  put_in_order(choice.candidates, subject, machine, options);
  return choice;
}

// The first candidate is the choice. Without entries every plan does the same nothing: csr.
void settle(Choice& choice, const Subject& subject, const Machine& machine, const ChooseOptions& options) {
  auto& all = choice.candidates;
  if (subject.facts.nnz == 0 || all.empty() || !all.front().fits)
    std::stable_partition(all.begin(), all.end(), [](const Candidate& c) { return c.plan.format == "csr"; });
  if (all.empty() || (!all.front().fits && all.front().plan.format != "csr"))
    all.insert(all.begin(), predicted(subject, machine, Plan{}));
  choice.plan = all.front().plan;
  choice.device = options.device;
  choice.predicted_seconds = all.front().predicted_seconds;
  choice.predicted_build_seconds = all.front().predicted_build_seconds;
  choice.reason = subject.facts.nnz == 0 ? "the matrix has no entries"
                                         : explain(choice, subject, machine, options.expected_multiplies);
}

// Most formats refuse a matrix for its padding alone: one that is refused in spite of this would have to store
// three times what was predicted.
bool surely_fits(const Subject& subject, const Plan& plan) {
  const Workload work = workload(*find_rules(plan.format), subject, plan);
  const double stored = work.stored;
  constexpr double times_off = 3;
  return !work.loose && stored < beyond_counting &&
         !too_much_padding(static_cast<std::int64_t>(times_off * stored), subject.facts.nnz);
}

// Facts predict bytes closely, formats know them, and to ask takes up to half as long as to build: a format that may
// refuse the matrix is asked, and passed over.
template <class V>
void check_fit(Choice& choice, const Csr<V>& A, const Subject& subject, const Machine& machine,
               const ChooseOptions& options) {
  while (!choice.candidates.empty() && choice.candidates.front().fits) {
    Candidate& first = choice.candidates.front();
    if (surely_fits(subject, first.plan)) return;
    const Format& format = registered_format(first.plan.format);
    first.fits = format.at_most(format.resolve(first.plan, A.view(), sizeof(V)), A.view(), sizeof(V)).fits;
    if (first.fits) return;
    put_in_order(choice.candidates, subject, machine, options);
  }
}

}  // namespace

Choice choose(const Structure& facts, const Machine& machine, const ChooseOptions& options, int value_bytes) {
  return with_memory_errors([&] {
    ChooseOptions from_facts = options;
    from_facts.effort = Effort::model;
    const Subject subject{facts, value_bytes, target_of(machine)};
    Choice choice = ranked(subject, machine, from_facts);
    settle(choice, subject, machine, options);
    return choice;
  });
}

namespace {

// A selector with several plans is a trial of them.
bool tries_selected(const ChooseOptions& options) {
  return options.selector != "model" && selector_named(options.selector).selected().size() > 1;
}

bool tries_plans(const ChooseOptions& options) { return options.effort != Effort::model || tries_selected(options); }

// By the hash of the pattern, which nothing else asks for.
bool asks_the_cache(const ChooseOptions& options) { return options.use_cache && tries_plans(options); }

// Predicted and, as far as the effort asks for it, measured.
template <class V>
Choice tried(const Csr<V>& A, const Subject& subject, const Machine& machine, const ChooseOptions& options,
             const BuildOptions& how) {
  const Score score{options.expected_multiplies};
  const Structure& facts = subject.facts;
  Choice choice = ranked(subject, machine, options);
  if (tries_plans(options) && facts.nnz > 0) {
    const ChoiceKey key{facts.pattern_hash, machine.name,   machine.units,
                        sizeof(V),          options.effort, options.selector + (how.updates ? " updates" : "")};
    choice.from_cache = options.use_cache && read_choice(key, choice.candidates);
    if (!choice.from_cache) {
      const bool all = options.effort == Effort::exhaustive || tries_selected(options);
      const bool briefly = !all && options.expected_multiplies > 0;
      std::size_t count = all ? choice.candidates.size() : few_best(choice.candidates, score);
      std::optional<double> allowance;
      if (briefly && count > 0) {
        allowance = share_of_trials * score(choice.candidates.front());
        count = keep_affordable(choice.candidates, count, *allowance, !options.device.host_memory());
      }
      measure_candidates(A, how, count, allowance, choice.candidates);
      const bool all_tried = !briefly && !Watch::trials_ended();  // others may ask for more products
      if (options.use_cache && all_tried) write_choice(key, choice.candidates);
    }
    put_in_order(choice.candidates, subject, machine, options);
  }
  return choice;
}

template <class V>
Choice chosen_by(const Csr<V>& A, const Structure& facts, const Machine& machine, const ChooseOptions& options) {
  const auto steps = steps_for(A, facts, machine);
  const Subject subject = subject_of(A, facts, machine, steps);
  Choice choice = tried(A, subject, machine, options, {.device = options.device});
  if (!on_device(A)) check_fit(choice, A, subject, machine, options);
  settle(choice, subject, machine, options);
  return choice;
}

}  // namespace

template <class V>
Choice choose(const Csr<V>& A, const Structure& facts, const Machine& machine, const ChooseOptions& options) {
  const Watch watch(options.keep_going);
  Watch::enter("analyze");
  return with_memory_errors([&] {
    check_facts(A, facts);
    return chosen_by(A, facts, machine, options);
  });
}

namespace {

template <class V>
std::int64_t longest_of(const Csr<V>& A) {
  std::int64_t longest = 0;
  if (on_device(A))
    on_gpu(A.ptr.device(), [&](auto where) { longest = longest_row(where, A.ptr, A.ptr.device()); });
  else
    for (std::int64_t row = 0; row < A.rows; ++row) longest = std::max(longest, A.ptr[row + 1] - A.ptr[row]);
  return longest;
}

// What csr takes here, or nothing where analysing the matrix may pay. The longest row is asked for only where it
// decides.
template <class V>
std::optional<Outline> too_few_products(const Csr<V>& A, const Machine& machine, const ChooseOptions& options) {
  const double products = options.expected_multiplies;
  if (products <= 0 || options.effort != Effort::model || options.selector != "model") return {};
  if (A.rows <= 0 || A.ptr.size() != A.rows + 1) return {};  // nothing to do, or to be refused by who checks
  Outline outline{A.rows, A.cols, A.nnz(), (A.nnz() + A.rows - 1) / A.rows, sizeof(V)};
  if (worth_analyzing(outline, machine, products)) return {};
  if (machine.kind != Device::Kind::cpu) {  // one long row makes csr slow there
    Outline worst = outline;
    worst.longest = std::min(A.nnz(), A.cols);
    if (worth_analyzing(worst, machine, products)) outline.longest = longest_of(A);
  }
  return worth_analyzing(outline, machine, products) ? std::nullopt : std::optional(outline);
}

Choice csr_at_once(const Outline& outline, const Machine& machine, const ChooseOptions& options, bool on_device) {
  const Structure facts = facts_of(outline);
  Choice choice;
  choice.device = options.device;
  choice.candidates = {predicted({facts, outline.value_bytes, target_of(machine), on_device}, machine, Plan{})};
  choice.predicted_seconds = choice.candidates.front().predicted_seconds;
  choice.predicted_build_seconds = choice.candidates.front().predicted_build_seconds;
  choice.reason =
      fmt::format("csr has done {:g} products before a better format is found and built", options.expected_multiplies);
  return choice;
}

}  // namespace

template <class V>
Choice choose(const Csr<V>& A, const ChooseOptions& options) {
  const Watch watch(options.keep_going);
  Watch::enter("analyze");
  const gpu::Current current(A.ptr.device());
  return with_memory_errors([&] {
    check_matrix(A);
    if (auto csr = csr_at_once(A, options)) return std::move(*csr);
    return chosen_by(A, facts_for(A, options.device, asks_the_cache(options)), this_machine(options.device), options);
  });
}

BuildOptions options_for(const Choice& choice, BuildOptions options) {
  if (options.device && *options.device != choice.device)
    fail(ErrorKind::usage, {"build", "choose for that device, or build Choice::plan"},
         "{} was chosen for {}, not for {}", to_string(choice.plan), to_string(choice.device),
         to_string(*options.device));
  options.device = choice.device;
  return options;
}

template <class V>
std::optional<Choice> csr_at_once(const Csr<V>& A, const ChooseOptions& options) {
  const Machine& machine = this_machine(options.device);
  const auto outline = too_few_products(A, machine, options);
  if (!outline) return {};
  return csr_at_once(*outline, machine, options, on_device(A));
}

template <class V>
Choice choose_canonical(const Csr<V>& A, const Machine& machine, const ChooseOptions& options) {
  return with_memory_errors([&] {
    if (const auto outline = too_few_products(A, machine, options))
      return csr_at_once(*outline, machine, options, false);
    return chosen_by(A, facts_for(A, options.device, asks_the_cache(options)), machine, options);
  });
}

namespace {

// Values that will change tell nothing of those to come.
Structure facts_of_pattern(Structure facts) {
  facts.distinct_values = distinct_cap;
  facts.distinct_capped = true;
  facts.distinct_guess = facts.nnz;
  facts.f32_exact = false;
  facts.diagonals.constant = 0;
  return facts;
}

}  // namespace

template <class V>
Prospects prospects_of(const Csr<V>& A, const ChooseOptions& options, const BuildOptions& how) {
  Prospects found;
  found.facts = facts_for(A, options.device, asks_the_cache(options));
  if (found.facts.nnz == 0) return found;
  if (how.updates) found.facts = facts_of_pattern(std::move(found.facts));
  const Machine& machine = this_machine(options.device);
  found.steps = steps_for(A, found.facts, machine);
  found.candidates = tried(A, subject_of(A, found.facts, machine, found.steps), machine, options, how).candidates;
  return found;
}

template <class V>
Reason reason_for(const Csr<V>& A, Prospects found, std::size_t taken, const ChooseOptions& options) {
  if (found.facts.nnz == 0) return {[] { return "the matrix has no entries"; }, nullptr};
  auto kept = std::make_shared<Prospects>(std::move(found));
  const std::shared_ptr<const std::vector<Candidate>> candidates(kept, &kept->candidates);
  if (taken == candidates->size()) return {[] { return "nothing else could be built"; }, candidates};
  const auto winner = kept->candidates.begin() + static_cast<std::ptrdiff_t>(taken);
  std::rotate(kept->candidates.begin(), winner, winner + 1);
  const Machine& machine = this_machine(options.device);
  const Subject subject = subject_of(A, kept->facts, machine, kept->steps);
  const auto text = [kept, subject, &machine, expected = options.expected_multiplies] {
    Choice choice;
    choice.candidates = kept->candidates;
    choice.plan = choice.candidates.front().plan;
    return explain(choice, subject, machine, expected);
  };
  return {text, candidates};
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
template Choice choose(const Csr<float>&, const ChooseOptions&);
template Choice choose(const Csr<double>&, const ChooseOptions&);
template Choice choose_canonical(const Csr<float>&, const Machine&, const ChooseOptions&);
template Choice choose_canonical(const Csr<double>&, const Machine&, const ChooseOptions&);
template std::optional<Choice> csr_at_once(const Csr<float>&, const ChooseOptions&);
template std::optional<Choice> csr_at_once(const Csr<double>&, const ChooseOptions&);
template Prospects prospects_of(const Csr<float>&, const ChooseOptions&, const BuildOptions&);
template Prospects prospects_of(const Csr<double>&, const ChooseOptions&, const BuildOptions&);
template Reason reason_for(const Csr<float>&, Prospects, std::size_t, const ChooseOptions&);
template Reason reason_for(const Csr<double>&, Prospects, std::size_t, const ChooseOptions&);

}  // namespace heddle
