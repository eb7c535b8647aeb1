// heddle reproduce [PAPER...]: the source papers' tables, figures and claims on this machine, then and now.
#include "reproduce/reproduce.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "collection/index.hpp"
#include "collection/places.hpp"
#include "commands/commands.hpp"
#include "core/check.hpp"
#include "records/reproduce_json.hpp"
#include "reproduce/page/html.hpp"
#include "reproduce/page/markdown.hpp"
#include "session/whole_file.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/table.hpp"

namespace heddle {

namespace {

using reproduce::Claim;
using reproduce::Outcome;
using reproduce::Paper;
using reproduce::Verdict;

struct Options {
  std::vector<std::string> papers;
  std::string folder, corpus, from, compared, markdown, html;
  double seconds = 0.02, within = 0;  // within: of the whole run; 0: as long as it takes
  int corpus_step = 0;                // 0: as the device is fast
  bool quick = false, judge = false;
};

// What to do for each of the two: to measure, and to judge again what was measured.
using Work = std::function<Outcome(const reproduce::Settings& settings, const reproduce::Reporter& reporter)>;

// Paper 3 has 1,598 stand-ins: one in this many is taken. With one in forty a CPU takes some minutes.
int step_on(Device device) { return device.kind == Device::Kind::cpu ? 40 : 10; }

Outcome done(Session& session, const Options& options, const char* doing, const Work& work) {
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  const auto over = [&] {
    return options.within > 0 && std::chrono::duration<double>(Clock::now() - begun).count() >= options.within;
  };
  const reproduce::Settings settings{
      .device = session.device(),
      .seconds = options.quick ? 0 : options.seconds,
      .quick = options.quick,
      .folder = options.folder,
      .stopped = [&] { return Interruptible::signal() != 0 || over(); },
      .corpus = options.corpus,
      .corpus_step = options.corpus_step > 0 ? options.corpus_step : step_on(session.device())};
  const Interruptible until_asked;
  const Progress bar = session.progress(doing);
  return work(settings, [&](const std::string& what, double share) {
    if (bar)
      bar(share);
    else
      session.note("{}", what);
  });
}

Outcome measured(Session& session, const Options& options) {
  std::vector<std::string> papers;
  for (const std::string& word : options.papers) papers.push_back(reproduce::parse_paper(word));
  if (papers.empty()) papers = reproduce::paper_names();
  return done(session, options, "reproducing",
              [&](const auto& settings, const auto& reporter) { return reproduce::run(settings, papers, reporter); });
}

// Which of the papers' matrices the folder does not have, and which of its files could not be read.
void tell_what_is_missing(Session& session, const std::string& folder, const Outcome& outcome) {
  std::vector<std::string> missing, described;  // described: made as it is, without its file
  for (const reproduce::Subject& subject : reproduce::subjects()) {
    const bool there = std::any_of(subject.files.begin(), subject.files.end(),
                                   [&](const std::string& name) { return !collection::file_in(folder, name).empty(); });
    if (!there) (subject.fixed && !outcome.quick ? described : missing).push_back(subject.name);
  }
  session.json()["missing"] = missing;
  if (!missing.empty())
    session.note(
        "not in {}, so stand-ins took their place: {}; `heddle fetch papers --into {}` brings what the "
        "collection has",
        folder, fmt::join(missing, ", "), folder);
  if (!described.empty())
    session.note("not in {}, but fixed by their description: {}", folder, fmt::join(described, ", "));
  for (const reproduce::Specimen& one : outcome.matrices)
    if (one.source.find("could not be read") != std::string::npos) session.note("{}: {}", one.name, one.source);
}

// Which of the corpus the folder does not have.
void tell_of_corpus(Session& session, const std::string& folder) {
  const std::vector<std::string> there = collection::names_in(folder);
  std::size_t missing = 0;
  for (const collection::Entry* entry : collection::corpus())
    missing += !std::binary_search(there.begin(), there.end(), std::string(entry->name));
  session.json()["corpus"] = {{"files", there.size()}, {"missing", missing}};
  session.note("{}: {} matrices; {} of the {} of `heddle fetch corpus` are missing", folder, there.size(), missing,
               collection::corpus().size());
}

Outcome stored(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(ErrorKind::input, At{path}, "cannot be read");
  const Json document = Json::parse(file, nullptr, false);
  if (document.is_discarded()) fail(ErrorKind::input, At{path}, "not JSON");
  return outcome_from(document, path);
}

// As it is stored, or judged by the rules of today.
Outcome shown_again(Session& session, const Options& options) {
  Outcome outcome = stored(options.from);
  if (!options.judge) return outcome;
  return done(session, options, "judging", [&](const auto& settings, const auto& reporter) {
    return reproduce::judge_again(outcome, settings, reporter);
  });
}

std::string coloured(Verdict verdict, const Terminal& terminal) {
  const std::string name = name_of(verdict);
  switch (verdict) {
    case Verdict::confirmed: return terminal.good(name);
    case Verdict::mixed: return terminal.accent(name);
    case Verdict::refuted: return terminal.bad(name);
    default: return terminal.faint(name);
  }
}

void print_paper(Session& session, const Paper& paper) {
  session.print("\n{}\n{}\n", session.terminal().bold(paper.title), paper.authors);
  for (const reproduce::Table& table : paper.tables) {
    std::vector<Table::Column> columns;
    for (const std::string& title : table.columns)
      columns.push_back({title, columns.empty() ? Align::left : Align::right});
    Table shown(columns);
    for (const auto& row : table.rows) shown.add(row);
    session.print("\n{}\n{}{}", session.terminal().accent(table.title), shown.text(session.terminal()),
                  table.note.empty() ? "" : table.note + "\n");
  }
  for (const std::string& failure : paper.failures) session.print("left out: {}\n", failure);
}

void print_verdicts(Session& session, const Outcome& outcome) {
  Table table({{"claim", Align::left}, {"verdict", Align::left}, {"then", Align::left}, {"here", Align::left}});
  for (const Claim& claim : claims_of(outcome))
    table.add({claim.id, coloured(claim.verdict, session.terminal()), claim.then, evidence(claim)});
  session.print("\n{}\n{}{}\n", session.terminal().bold("Verdicts"), table.text(session.terminal()), tally(outcome));
  for (const Paper& paper : outcome.papers)
    for (const reproduce::SelfCheck& check : paper.self_checks)
      if (!check.holds) session.print("self-check fails: {}: {}\n", check.what, check.now);
}

// The page and, in the same folder, its tables and pictures.
void write_page(const std::string& path, const Outcome& outcome, const Outcome* compared) {
  const std::filesystem::path page(path);
  const std::string stem = page.stem().string();
  write_whole_file(path, to_markdown(outcome, stem, compared));
  write_whole_file((page.parent_path() / (stem + "-tables.md")).string(), tables_in_markdown(outcome, stem, compared));
  for (const reproduce::Picture& picture : pictures_of(outcome, stem))
    write_whole_file((page.parent_path() / picture.name).string(), picture.svg);
}

void reproduce_papers(Session& session, const Options& options) {
  check(options.from.empty() || options.papers.empty(), ErrorKind::usage,
        "--from shows what was measured; papers cannot be picked from it");
  check(!options.judge || !options.from.empty(), ErrorKind::usage, "--judge wants the result that is judged: --from");
  check(options.compared.empty() || !options.markdown.empty(), ErrorKind::usage,
        "--compare-with needs the page it goes into: --markdown PAGE.md");
  const std::optional<Outcome> compared =
      options.compared.empty() ? std::nullopt : std::optional(stored(options.compared));
  for (const std::string& path : {options.markdown, options.html})
    if (!path.empty()) check_writable(path);
  const Outcome outcome = options.from.empty() ? measured(session, options) : shown_again(session, options);
  if (!options.corpus.empty() && options.from.empty()) tell_of_corpus(session, options.corpus);
  if (!options.folder.empty() && options.from.empty()) tell_what_is_missing(session, options.folder, outcome);
  put_outcome(session.json(), outcome);
  session.print("{}\n", headline(outcome));
  for (const Paper& paper : outcome.papers) print_paper(session, paper);
  print_verdicts(session, outcome);
  if (!options.markdown.empty()) write_page(options.markdown, outcome, compared ? &*compared : nullptr);
  if (!options.html.empty()) write_whole_file(options.html, to_html(outcome));
}

}  // namespace

void add_reproduce(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(root, "reproduce", "The source papers' tables and claims on this machine",
                                        [=, &session] { reproduce_papers(session, *options); });
  command.option("PAPER", options->papers, "ellpack_r, csr_ell, rgcsr, ellr_t, model; without it all five");
  command.option("--matrices", options->folder, "Folder with the papers' matrices, found by name (cant.mtx.gz, ...)")
      .check(existing_folder());
  command
      .option("--corpus", options->corpus,
              "Folder of square matrices for paper 3, those below 10,000 rows apart; without it stand-ins")
      .check(existing_folder());
  command.option("--seconds", options->seconds, "Time for each measurement")
      .check(number_from(0, 3600))
      .shows_default();
  command.option("--within", options->within, "End after so many seconds with what there is; 0: no limit")
      .check(number_from(0, 1e9))
      .shows_default();
  command.flag("--quick", options->quick, "Small matrices, one call each: to see that everything runs");
  command
      .option("--corpus-step", options->corpus_step,
              "Every so manieth of the 1,598 stand-ins of paper 3's corpus; 1: all; without it 10, on a CPU 40")
      .check(number_from(1, 1000));
  command.option("--from", options->from, "Show the result in this JSON file instead of measuring");
  command.flag("--judge", options->judge,
               "With --from: judge its times by the rules of today; its matrices are made or read again");
  command.option("--markdown", options->markdown,
                 "Write the verdicts to this file; next to it their tables and a picture for each paper");
  command.option("--compare-with", options->compared,
                 "With --markdown: the JSON of another device, whose verdicts get a column");
  command.option("--html", options->html, "Write a page with tables, figures and verdicts to this file");
  command.footer(
      "Real matrices are used where the folder has them; elsewhere stand-ins of the same class, which the tables "
      "name.\n"
      "Precisions are the papers'; --precision has no effect. Claims about a GPU's times are judged on a GPU only.\n"
      "Ctrl-C ends the run with what it has; a second one ends it at once. All five papers take minutes on a GPU.\n"
      "The page and the JSON have the time of each part, and what --within left out.");
}

}  // namespace heddle
