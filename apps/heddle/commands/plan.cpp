// heddle plan M: which format, why, and what the others would take.

#include <heddle/choose.hpp>

#include "commands/commands.hpp"
#include "core/watch.hpp"
#include "pictures/plan_picture.hpp"
#include "session/load.hpp"
#include "session/whole_file.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

struct Options {
  std::string matrix, effort = "model", selector = "model", save, svg;
  double expected_multiplies = 0;
  bool no_cache = false;
};

Json candidate_json(const Candidate& c) {
  return {{"plan", to_string(c.plan)},
          {"bytes", c.bytes},
          {"predicted_seconds", c.predicted_seconds},
          {"predicted_build_seconds", c.predicted_build_seconds},
          {"fits", c.fits}};
}

Json measured_json(const std::vector<Candidate>& candidates) {
  Json list = Json::array();
  for (const Candidate& c : candidates)
    if (c.measured_seconds > 0)
      list.push_back(
          {{"plan", to_string(c.plan)}, {"seconds", c.measured_seconds}, {"build_seconds", c.measured_build_seconds}});
  return list;
}

void put_choice(Json& document, const Choice& choice, const std::string& resolved) {
  document["plan"] = resolved;
  document["reason"] = choice.reason;
  document["predicted_seconds"] = choice.predicted_seconds;
  document["predicted_build_seconds"] = choice.predicted_build_seconds;
  document["candidates"] = Json::array();
  for (const Candidate& c : choice.candidates) document["candidates"].push_back(candidate_json(c));
  document["measured"] = measured_json(choice.candidates);
  document["from_cache"] = choice.from_cache;
}

std::string candidates_table(const Choice& choice, const Terminal& terminal) {
  const bool measured = choice.candidates.front().measured_seconds > 0;
  std::vector<Table::Column> columns{{"plan", Align::left}, {"size"}, {"predicted"}, {"build"}};
  if (measured) columns.insert(columns.end(), {{"measured"}, {"build measured"}});
  columns.push_back({"fits", Align::left});
  Table table(columns);
  const auto time_or_dash = [](double seconds) { return seconds > 0 ? as_seconds(seconds) : std::string("-"); };
  for (const Candidate& c : choice.candidates) {
    const std::string name = to_string(c.plan);
    std::vector<std::string> cells{c.plan == choice.plan ? terminal.bold(name) : name,
                                   as_bytes(static_cast<double>(c.bytes)), as_seconds(c.predicted_seconds),
                                   as_seconds(c.predicted_build_seconds)};
    if (measured) cells.insert(cells.end(), {time_or_dash(c.measured_seconds), time_or_dash(c.measured_build_seconds)});
    cells.push_back(c.fits ? terminal.good("yes") : terminal.bad("no"));
    table.add(std::move(cells));
  }
  return table.text(terminal);
}

// With a bar where plans are tried; Ctrl-C ends the trials, and those tried so far decide.
template <class F>
Choice watched(Session& session, Effort effort, F choosing) {
  if (effort == Effort::model) return choosing();
  const Interruptible until_asked;
  const Progress bar = session.progress("trying plans");
  const KeepGoing more = [&](std::string_view, double share) {
    if (bar) bar(share);
    return Interruptible::signal() == 0;
  };
  const Watch watch(more, Watch::Ends::trials);
  Choice choice = choosing();
  if (Watch::trials_ended()) session.note("stopped by a signal: the plans tried so far decide");
  return choice;
}

template <class V>
void run(Session& session, const Options& options) {
  const Effort effort = parse_effort(options.effort);
  const Loaded<V> matrix = load<V>(session, options.matrix);
  const Structure facts = analyze(matrix.A, Detail::planning);
  const Machine& machine = this_machine(session.device());
  const Choice choice = watched(session, effort, [&] {
    return choose(matrix.A, facts, machine,
                  {.effort = effort,
                   .expected_multiplies = options.expected_multiplies,
                   .device = session.device(),
                   .selector = options.selector,
                   .use_cache = !options.no_cache});
  });
  const std::string resolved = to_string(resolve(matrix.A.view(), choice.plan, sizeof(V)));
  session.json()["matrix"] = matrix_json(matrix);
  session.json()["effort"] = options.effort;
  session.json()["expected_multiplies"] = options.expected_multiplies > 0 ? Json(options.expected_multiplies) : Json();
  put_choice(session.json(), choice, resolved);
  session.json()["interrupted"] = Interruptible::signal() != 0;
  if (!options.save.empty()) write_whole_file(options.save, resolved + "\n");
  if (!options.svg.empty())
    write_whole_file(options.svg, candidates_svg("A product by each plan: " + matrix.facts.name, choice));
  const Terminal& terminal = session.terminal();
  session.print("{}\n\n  plan     {}\n  because  {}\n", terminal.bold(headline(matrix)), terminal.bold(resolved),
                choice.reason);
  session.print("  machine  {}{}\n\n{}", machine.name, machine.measured ? ", measured" : "",
                candidates_table(choice, terminal));
  for (const std::string& file : {options.save, options.svg})
    if (!file.empty()) session.print("\nwrote {}\n", file);
}

}  // namespace

void add_plan(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(
      root, "plan", "Choose a format: what, why, and what the others would take",
      [=, &session] { session.with_precision([&](auto zero) { run<decltype(zero)>(session, *options); }); });
  command.option("M", options->matrix, matrix_help).required();
  command
      .option("--expected-multiplies", options->expected_multiplies,
              "Minimise building plus so many products; 0: the product alone")
      .check(number_from(0))
      .shows_default();
  command
      .option("--effort", options->effort,
              "model: from the facts; measure: time the best few (with --expected-multiplies for at most 3 % of what "
              "they take); exhaustive: time all")
      .shows_default();
  command
      .option("--selector", options->selector,
              "model, or a paper's own: csr_ell_rules (paper 2), ellr_trials (paper 4)")
      .shows_default();
  command.flag("--no-cache", options->no_cache, "Neither use nor remember measured times");
  command.option("--svg", options->svg, "Draw the plans into this file: predicted, and with --effort measured times");
  command.option("--save", options->save, "Write the plan to this file; --plan FILE uses it");
}

}  // namespace heddle
