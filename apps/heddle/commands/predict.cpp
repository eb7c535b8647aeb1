// heddle predict M [PLAN...]: what products and building would take, by which counts and at which costs.
#include <iostream>

#include <heddle/choose.hpp>

#include "commands/commands.hpp"
#include "commands/predict_served.hpp"
#include "core/check.hpp"
#include "plan/predict/predicted_parts.hpp"
#include "session/load.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

struct Options {
  std::string matrix;
  std::vector<std::string> plans;
  bool serve = false;
};

Json json_of(const Named& numbers) {
  Json document = Json::object();
  for (const auto& [name, number] : numbers) document[std::string(name)] = number;
  return document;
}

Json json_of(const PredictedParts& made) {
  return {{"plan", to_string(made.plan)},
          {"fits", made.work.fits},
          {"seconds", made.product.seconds},
          {"bound", made.product.bound()},
          {"parts", json_of(named(made.product))},
          {"fitted", made.cost.fitted()},
          {"workload", json_of(named(made.work))},
          {"costs", json_of(named(made.cost))},
          {"build_seconds", made.build_seconds},
          {"build_fitted", made.build_cost.fitted()},
          {"build_parts", json_of(named(made.building))},
          {"build_costs", json_of(named(made.build_cost))}};
}

std::vector<Plan> plans_of(const Options& options, const Structure& facts, const Machine& machine, int value_bytes) {
  std::vector<Plan> plans;
  for (const std::string& text : options.plans) plans.push_back(read_plan(text));
  if (!plans.empty()) return plans;
  for (const Candidate& c : choose(facts, machine, {}, value_bytes).candidates) plans.push_back(c.plan);
  return plans;
}

template <class V>
void run(Session& session, const Options& options) {
  if (options.serve) return serve_predictions(std::cin, std::cout);
  check(!options.matrix.empty(), ErrorKind::usage, "no matrix: heddle predict M [PLAN...]");
  const Loaded<V> matrix = load<V>(session, options.matrix);
  const Structure facts = analyze(matrix.A, Detail::planning);
  const Machine& machine = this_machine(session.device());
  session.json()["matrix"] = matrix_json(matrix);
  session.json()["machine"] = machine.name;
  session.json()["plans"] = Json::array();
  Table table(
      {{"plan", Align::left}, {"size"}, {"product"}, {"build"}, {"bound by", Align::left}, {"costs", Align::left}});
  for (const Plan& plan : plans_of(options, facts, machine, sizeof(V))) {
    const PredictedParts made = predicted_parts(matrix.A, facts, machine, plan);
    session.json()["plans"].push_back(json_of(made));
    table.add({to_string(made.plan), as_bytes(made.work.bytes), as_seconds(made.product.seconds),
               as_seconds(made.build_seconds), made.work.fits ? made.product.bound() : "does not fit",
               made.cost.fitted() ? "fitted" : "unfitted, a guess"});
  }
  session.print("{}\n\n  machine  {}{}\n\n{}", session.terminal().bold(headline(matrix)), machine.name,
                machine.measured ? ", measured" : "", table.text(session.terminal()));
}

}  // namespace

void add_predict(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(
      root, "predict", "What plans would take, part by part: nothing is built (--json: counts and costs by name)",
      [=, &session] { session.with_precision([&](auto zero) { run<decltype(zero)>(session, *options); }); });
  command.option("M", options->matrix, matrix_help);
  command.flag("--serve", options->serve,
               "Predict recorded workloads: lines of JSON from standard input (bench/fit_model.py)");
  command.option("PLAN", options->plans, "Plans, or files that hold one; none: all that `plan` compares");
}

}  // namespace heddle
