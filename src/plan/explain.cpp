#include "plan/explain.hpp"

#include <fmt/format.h>

#include "cost/units.hpp"
#include "plan/all_rules.hpp"

namespace heddle {

namespace {

std::string time_text(double seconds) {
  return seconds < milli ? fmt::format("{:.3g} us", seconds / micro) : fmt::format("{:.3g} ms", seconds / milli);
}

double megabytes(const Candidate& c) {
  constexpr double megabyte = 1e6;
  return static_cast<double>(c.bytes) / megabyte;
}

double best_time(const Candidate& c) { return c.measured_seconds > 0 ? c.measured_seconds : c.predicted_seconds; }

}  // namespace

std::string explain(const Choice& choice, const Subject& subject, const Machine& machine, double expected_multiplies) {
  const bool on_gpu = machine.kind != Device::Kind::cpu;
  const Candidate& winner = choice.candidates.front();
  const Rules* rules = find_rules(choice.plan.format);
  const Cost* cost = cost_of(choice.plan, subject.target);
  std::string text = rules->suits(subject.facts, choice.plan);
  {
    const Workload work = workload(*rules, subject, choice.plan);
    text += fmt::format("; {} {} ({})", winner.measured_seconds > 0 ? "measured" : "predicted",
                        time_text(best_time(winner)), predict(work, *cost, machine, subject.value_bytes).bound());
  }
  if (!cost->fitted()) text += ", a guess: the costs of this format are not fitted";
  const auto comparable = [&](const Candidate& other) {
    return other.plan != choice.plan && other.fits && (other.measured_seconds > 0) == (winner.measured_seconds > 0);
  };
  bool first = true;
  for (const Candidate& other : choice.candidates) {
    if (!comparable(other) || !(first || other.plan.format == "csr")) continue;
    text += fmt::format(", {}{} {}", first ? "next " : "", to_string(other.plan), time_text(best_time(other)));
    if (first && expected_multiplies <= 0 && best_time(other) < best_time(winner))  // why it is not taken
      text += on_gpu || winner.bytes < read_by_one_core
                  ? fmt::format(" with {:.3g} instead of {:.3g} MB", megabytes(other), megabytes(winner))
                  : " if nothing else uses the machine";
    first = false;
  }
  if (expected_multiplies > 0)
    text += fmt::format(
        "; building takes {}, counted over {:g} products",
        time_text(winner.measured_build_seconds > 0 ? winner.measured_build_seconds : winner.predicted_build_seconds),
        expected_multiplies);
  return text;
}

}  // namespace heddle
