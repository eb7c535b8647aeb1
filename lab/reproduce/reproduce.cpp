#include "reproduce/reproduce.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include <heddle/machine.hpp>
#include <heddle/version.hpp>

#include "core/check.hpp"
#include "reproduce/claims/claims.hpp"
#include "reproduce/record.hpp"

namespace heddle::reproduce {

namespace {

std::vector<PaperPlan> all_papers() {
  return {ellpack_r_paper(), csr_ell_paper(), rgcsr_paper(), ellr_t_paper(), model_paper()};
}

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string name_of(const Experiment& experiment) {
  return experiment.claims.empty() ? experiment.name : fmt::format("{}", fmt::join(experiment.claims, " "));
}

void run_experiment(const Experiment& experiment, Record& record) {
  const auto leave_open = [&](const std::string& reason) {
    for (const std::string& id : experiment.claims) record.leave_open(id, reason);
  };
  if (record.lab.stopped()) {
    record.failed(name_of(experiment) + ": the run had ended");
    return leave_open("interrupted");
  }
  try {
    experiment.run(record);
  } catch (const std::bad_alloc&) {
    leave_open("out of memory");
  } catch (const std::exception& error) {
    leave_open(error.what());
    record.failed(fmt::format("{}: {}", name_of(experiment), error.what()));
  }
  if (record.lab.stopped()) record.failed(name_of(experiment) + ": the run ended within it");
}

Paper begin(const PaperPlan& plan) {
  Paper paper{.name = plan.name, .title = plan.title, .authors = plan.authors};
  for (const Experiment& experiment : plan.experiments)
    for (const std::string& id : experiment.claims) paper.claims.push_back(claim(id));
  return paper;
}

}  // namespace

const char* name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::confirmed: return "confirmed";
    case Verdict::mixed: return "mixed";
    case Verdict::refuted: return "refuted";
    default: return "not testable here";
  }
}

Verdict parse_verdict(const std::string& text) {
  for (const Verdict verdict : {Verdict::confirmed, Verdict::mixed, Verdict::refuted, Verdict::not_testable})
    if (text == name_of(verdict)) return verdict;
  fail(ErrorKind::input, At{text}, "no such verdict");
}

const char* name_of(Origin origin) noexcept {
  switch (origin) {
    case Origin::real: return "real file";
    case Origin::fixed: return "fixed construction";
    case Origin::artificial: return "artificial";
    default: return "stand-in";
  }
}

Origin parse_origin(const std::string& text) {
  for (const Origin origin : {Origin::real, Origin::fixed, Origin::artificial, Origin::stand_in})
    if (text == name_of(origin)) return origin;
  fail(ErrorKind::input, At{text}, "no such origin of a matrix");
}

std::vector<std::string> paper_names() {
  std::vector<std::string> names;
  for (const PaperPlan& plan : all_papers()) names.emplace_back(plan.name);
  return names;
}

std::string parse_paper(const std::string& word) {
  std::string name = word;
  std::replace(name.begin(), name.end(), '-', '_');
  const std::vector<std::string> known = paper_names();
  if (std::find(known.begin(), known.end(), name) == known.end())
    fail(ErrorKind::usage, At{word, fmt::format("papers: {}", fmt::join(known, ", "))}, "no such paper");
  return name;
}

Outcome run(const Settings& settings, const std::vector<std::string>& papers, const Reporter& reporter) {
  const double begun = now_seconds();
  Lab lab(settings);
  const DeviceInfo info = describe(settings.device);
  Outcome outcome{.version = version,
                  .device_kind = to_string(settings.device),
                  .device_name = info.name,
                  .threads = threads(),
                  .quick = settings.quick,
                  .seconds_each = settings.seconds};
  outcome.read_gbps = this_machine(settings.device).read_gbps;
  std::vector<PaperPlan> plans;
  for (PaperPlan& plan : all_papers())
    if (std::find(papers.begin(), papers.end(), plan.name) != papers.end()) plans.push_back(std::move(plan));
  double done = 0, parts = 0;
  for (const PaperPlan& plan : plans) parts += static_cast<double>(plan.experiments.size());
  for (const PaperPlan& plan : plans) {
    const double paper_begun = now_seconds();
    Paper& paper = outcome.papers.emplace_back(begin(plan));
    Record record(lab, paper);
    for (const Experiment& experiment : plan.experiments) {
      if (reporter) reporter(fmt::format("{} {}", plan.name, name_of(experiment)), done / parts);
      const double part_begun = now_seconds();
      run_experiment(experiment, record);
      paper.parts.push_back({name_of(experiment), now_seconds() - part_begun});
      ++done;
    }
    paper.seconds = now_seconds() - paper_begun;
  }
  outcome.interrupted = lab.stopped();
  outcome.matrices = lab.specimens();
  outcome.measurements = lab.measurements();
  outcome.seconds = now_seconds() - begun;
  return outcome;
}

Claim& Record::claim_of(const std::string& id) {
  const auto found =
      std::find_if(paper_.claims.begin(), paper_.claims.end(), [&](const Claim& claim) { return claim.id == id; });
  check(found != paper_.claims.end(), ErrorKind::internal, "{} is no claim of {}", id, paper_.name);
  return *found;
}

void Record::judge(const Findings& seen, const std::string& now) {
  Claim& claim = claim_of(seen.id());
  const Ruling ruling = seen.ruling();
  claim.now = now;
  claim.basis = seen.basis();
  const Device device = lab.settings().device;
  if (lab.stopped()) {
    claim.reason = "interrupted";
  } else if (!claim.exact && !lab.on_gpu() && !lab.planted()) {
    claim.reason = fmt::format("speaks of a GPU's times; this is the {}", to_string(device));
  } else if (!claim.exact && lab.quick() && !lab.planted()) {
    claim.reason = "a quick run: the matrices are too small for times to say anything";
  } else if (ruling.judged == 0) {
    claim.reason = "nothing to judge by";
  } else {
    claim.verdict = ruling.verdict;
    claim.held = ruling.held, claim.judged = ruling.judged;
    claim.unit = seen.unit();
    claim.against = ruling.against;
    claim.reason.clear();
  }
}

void Record::leave_open(const std::string& id, const std::string& reason, const std::string& now,
                        const std::string& basis) {
  Claim& claim = claim_of(id);
  claim.now = now;
  claim.basis = basis;
  claim.verdict = Verdict::not_testable;
  claim.reason = reason;
}

const Matrix* Record::try_to_get(const Matrix& (Lab::*get)(const std::string&), const std::string& name) {
  try {
    return &(lab.*get)(name);
  } catch (const std::exception& error) {
    const std::string what = fmt::format("{}: {}", name, error.what());
    const bool known = std::find(paper_.failures.begin(), paper_.failures.end(), what) != paper_.failures.end();
    if (!known) failed(what);
    return nullptr;
  }
}

std::vector<const Matrix*> Record::try_matrices(const std::vector<std::string>& names) {
  std::vector<const Matrix*> found;
  for (const std::string& name : names)
    if (const Matrix* matrix = try_matrix(name)) found.push_back(matrix);
  return found;
}

}  // namespace heddle::reproduce
