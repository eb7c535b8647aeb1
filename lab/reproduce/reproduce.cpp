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

namespace {

void run_papers(Lab& lab, Outcome& outcome, const std::vector<std::string>& papers, const Reporter& reporter) {
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
      if (lab.settings().stored && !experiment.kept.empty())
        record.keep_as_stored(experiment);
      else
        run_experiment(experiment, record);
      paper.parts.push_back({name_of(experiment), now_seconds() - part_begun});
      ++done;
    }
    paper.seconds = now_seconds() - paper_begun;
  }
}

Device device_of(const std::string& kind) {
  return kind.starts_with("gpu") ? Device::gpu() : kind.starts_with("emulator") ? Device::emulator() : Device::cpu();
}

std::string what_is_kept(const std::vector<std::string>& papers) {
  std::vector<std::string> kept;
  for (const PaperPlan& plan : all_papers())
    for (const Experiment& experiment : plan.experiments)
      if (!experiment.kept.empty() && std::find(papers.begin(), papers.end(), plan.name) != papers.end())
        kept.push_back(name_of(experiment));
  return kept.empty() ? std::string()
                      : fmt::format(" {} stay as they were judged when they were measured: their times are not stored.",
                                    fmt::join(kept, ", "));
}

}  // namespace

Outcome run(const Settings& settings, const std::vector<std::string>& papers, const Reporter& reporter) {
  const double begun = now_seconds();
  Lab lab(settings);
  Outcome outcome{.version = version,
                  .device_kind = to_string(settings.device),
                  .device_name = describe(settings.device).name,
                  .threads = threads(),
                  .quick = settings.quick,
                  .seconds_each = settings.seconds};
  outcome.read_gbps = this_machine(settings.device).read_gbps;
  run_papers(lab, outcome, papers, reporter);
  outcome.interrupted = lab.stopped();
  outcome.matrices = lab.specimens();
  outcome.measurements = lab.measurements();
  outcome.notes = lab.notes();
  outcome.seconds = now_seconds() - begun;
  return outcome;
}

Outcome judge_again(const Outcome& stored, Settings settings, const Reporter& reporter) {
  settings.stored = &stored;
  settings.device = device_of(stored.device_kind);
  settings.quick = stored.quick;
  settings.seconds = stored.seconds_each;
  Lab lab(settings);
  const std::vector<std::string> files = lab.missing_files(stored);
  check(files.empty(), ErrorKind::input, "the result has times of files that are not here: {}; --matrices FOLDER",
        fmt::join(files, ", "));
  std::vector<std::string> papers;
  for (const Paper& paper : stored.papers) papers.push_back(paper.name);
  Outcome today;
  run_papers(lab, today, papers, reporter);
  check(!lab.stopped(), ErrorKind::unavailable, "interrupted");
  Outcome again = stored;
  for (std::size_t i = 0; i < again.papers.size(); ++i) {
    Paper& paper = again.papers[i];
    today.papers[i].seconds = paper.seconds, today.papers[i].parts = std::move(paper.parts);
    paper = std::move(today.papers[i]);
  }
  again.notes = lab.notes();
  again.notes.insert(again.notes.begin(),
                     fmt::format("The times are judged by the rules of heddle {}, which may be later than they are.{}",
                                 version, what_is_kept(papers)));
  return again;
}

const Paper* Record::stored_paper() const {
  if (lab.settings().stored == nullptr) return nullptr;
  const std::vector<Paper>& all = lab.settings().stored->papers;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Paper& one) { return one.name == paper_.name; });
  return found == all.end() ? nullptr : &*found;
}

const Figure* Record::stored_figure(const std::string& title) const {
  const Paper* stored = stored_paper();
  if (stored == nullptr) return nullptr;
  const auto found = std::find_if(stored->figures.begin(), stored->figures.end(),
                                  [&](const Figure& one) { return one.title == title; });
  return found == stored->figures.end() ? nullptr : &*found;
}

void Record::keep_as_stored(const Experiment& experiment) {
  const Paper* stored = stored_paper();
  if (stored == nullptr) return;
  const auto is_kept = [&](const std::string& title) {
    return std::any_of(experiment.kept.begin(), experiment.kept.end(),
                       [&](const char* beginning) { return title.starts_with(beginning); });
  };
  for (const Claim& one : stored->claims)
    if (std::find(experiment.claims.begin(), experiment.claims.end(), one.id) != experiment.claims.end())
      claim_of(one.id) = one;
  for (const Table& one : stored->tables)
    if (is_kept(one.title)) add(one);
  for (const Extra& one : stored->also_measured)
    if (is_kept(one.what)) paper_.also_measured.push_back(one);
}

Claim& Record::claim_of(const std::string& id) {
  const auto found =
      std::find_if(paper_.claims.begin(), paper_.claims.end(), [&](const Claim& claim) { return claim.id == id; });
  check(found != paper_.claims.end(), ErrorKind::internal, "{} is no claim of {}", id, paper_.name);
  return *found;
}

void Record::judge(const Findings& seen, const std::string& now, const std::string& number) {
  Claim& claim = claim_of(seen.id());
  const Kind kind = claim_text(seen.id()).kind;
  const Ruling ruling = seen.ruling();
  claim.now = now;
  claim.number = number;
  claim.basis = seen.basis();
  const Device device = lab.settings().device;
  if (lab.stopped()) {
    claim.reason = "interrupted";
  } else if (kind == Kind::timed && !lab.on_gpu() && !lab.planted()) {
    claim.reason = fmt::format("{}times; this is the {}", of_a_gpu, to_string(device));
  } else if (kind != Kind::exact && lab.quick() && !lab.planted()) {
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
