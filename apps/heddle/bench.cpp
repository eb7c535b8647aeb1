// heddle bench M...: every format and every peer on the same matrix and vector, in one run.
#include <algorithm>
#include <cmath>

#include <heddle/choose.hpp>
#include <heddle/formats.hpp>

#include "bench/results.hpp"
#include "bench_table.hpp"
#include "commands.hpp"
#include "load.hpp"
#include "text.hpp"
#include "whole_file.hpp"

namespace heddle {

namespace {

using bench::Result;

struct Options {
  std::vector<std::string> matrices, formats, peers{"all"};
  double seconds = 0.2;
  bool cold = false;
  std::string csv;
};

// "csr lanes=8;coo" and "csr,coo" are two plans each; so is the option given twice.
std::vector<std::string> split(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts)
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find_first_of(",;", at), text.size());
      if (end > at) words.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  return words;
}

// "auto" is no format: it stands for whatever is chosen for each matrix.
bool is_auto(const Plan& plan) { return plan.format == "auto"; }

std::vector<Plan> wanted_plans(const Options& options) {
  std::vector<Plan> plans;
  if (options.formats.empty())
    for (const FormatInfo& format : formats()) plans.push_back({.format = format.name, .settings = {}});
  for (const std::string& text : split(options.formats)) {
    plans.push_back(Plan::parse(text));
    if (!is_auto(plans.back()))
      find_format(plans.back().format);  // a word that is no format ends the run before it begins
  }
  return plans;
}

Json results_json(const std::vector<Result>& results) {
  Json list = Json::array();
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  for (const Result& r : results)
    list.push_back({{"plan", r.plan.empty() ? Json() : Json(r.plan)},
                    {"peer", r.peer.empty() ? Json() : Json(r.peer)},
                    {"precision", r.precision},
                    {"seconds", number(r.seconds)},
                    {"spread", number(r.spread)},
                    {"cold_seconds", number(r.cold_seconds)},
                    {"predicted_seconds", number(r.predicted_seconds)},
                    {"gflops", number(r.gflops)},
                    {"bytes", r.bytes > 0 ? Json(r.bytes) : Json()},
                    {"gbps", number(r.gbps)},
                    {"roofline", number(r.roofline)},
                    {"build_seconds", number(r.build_seconds)},
                    {"max_error", number(r.max_error)},
                    {"status", r.status}});
  return list;
}

class Run {
 public:
  Run(Session& given, const Options& asked)
      : session(given),
        options(asked),
        plans(wanted_plans(asked)),
        peers(bench::select_peers(split(asked.peers), given.device())) {
    const std::string absence = bench::peer_absence(session.device());
    if (split(asked.peers) == std::vector<std::string>{"all"} && !absence.empty()) session.note("{}", absence);
  }

  void everything() {
    const Machine& machine = this_machine(session.device());
    settings = {session.device(), options.seconds, options.cold, machine.read_gbps};
    session.json()["machine"] = {
        {"read_gbps", machine.read_gbps}, {"copy_gbps", machine.copy_gbps}, {"launch_us", machine.launch_us}};
    session.json()["matrices"] = Json::array();
    session.print("{}: reads {:.1f} GB/s, copies {:.1f} GB/s, starts work in {:.1f} us\n", session.device_info().name,
                  machine.read_gbps, machine.copy_gbps, machine.launch_us);
    for (const std::string& source : options.matrices)
      session.with_precision([&](auto zero) { one_matrix<decltype(zero)>(source); });
    if (!options.csv.empty()) write_whole_file(options.csv, bench_csv_header() + csv);
  }

 private:
  // What is wrong with one matrix must not cost the results of the others.
  template <class V>
  void one_matrix(const std::string& source) {
    try {
      measure(load<V>(session, source));
    } catch (const Error& error) {
      session.fail_at_end(error);
      const Json what{{"kind", name_of(error.kind())}, {"message", error.message()}, {"where", error.where()}};
      session.json()["matrices"].push_back({{"name", source},
                                            {"rows", nullptr},
                                            {"cols", nullptr},
                                            {"nnz", nullptr},
                                            {"chosen", nullptr},
                                            {"results", Json::array()},
                                            {"error", what}});
    }
  }

  template <class V>
  void measure(const Loaded<V>& matrix) {
    const Csr<V>& A = matrix.A;
    session.print("\n{}\n", session.terminal().bold(headline(matrix)));
    const bench::Reference<V> reference(A.view());
    const Progress progress = session.progress("measuring " + matrix.facts.name);
    std::vector<Result> results;
    const auto put = [&](Result result) {
      results.push_back(std::move(result));
      if (progress)
        progress(static_cast<double>(results.size()) / static_cast<double>(plans.size() + peers.size() + 1));
    };
    const Structure facts = analyze(A, Detail::planning);
    const Machine& machine = this_machine(session.device());
    const Choice choice = choose(A, facts, machine, {.device = session.device()});
    const Plan plan_chosen = resolve(A.view(), choice.plan);
    std::string chosen = to_string(plan_chosen);  // and, once it is built, with what its values made of it
    const auto put_plan = [&](const Plan& plan) {
      put(bench::bench_plan(A, plan, reference, settings));
      results.back().predicted_seconds = predict(facts, machine, Plan::parse(results.back().plan), sizeof(V));
    };
    const auto put_chosen = [&] {
      put_plan(plan_chosen);
      chosen = results.back().plan;
    };
    for (const Plan& plan : plans) is_auto(plan) ? put_chosen() : put_plan(plan);
    const bool measured =
        std::any_of(results.begin(), results.end(), [&](const Result& result) { return result.plan == chosen; });
    if (options.formats.empty() && !measured) put_chosen();
    for (const std::string& name : peers) put(bench::bench_peer(A, name, reference, settings));
    session.json()["matrices"].push_back({{"name", matrix.facts.name},
                                          {"rows", A.rows},
                                          {"cols", A.cols},
                                          {"nnz", A.nnz()},
                                          {"chosen", chosen},
                                          {"chosen_predicted_seconds", choice.predicted_seconds},
                                          {"results", results_json(results)}});
    csv += bench_csv_rows({matrix.facts.name, A.rows, A.cols, A.nnz()}, results);
    session.print("{}{}", bench_table(results, options.cold, session.terminal()), bench_verdict(results, options.cold));
    session.print("chosen: {}, predicted {}\n", chosen, as_seconds(choice.predicted_seconds));
  }

  Session& session;
  const Options& options;
  std::vector<Plan> plans;
  std::vector<std::string> peers;
  bench::Settings settings;
  std::string csv;
};

}  // namespace

void add_bench(CLI::App& app, Session& session) {
  auto options = std::make_shared<Options>();
  CLI::App& command = session.add_command(app, "bench", "Time every format and every peer, with error and roofline",
                                          [=, &session] { Run(session, *options).everything(); });
  command.add_option("M", options->matrices, "Matrix files, or gen:KIND,key=value,...")->required();
  command
      .add_option(
          "--formats", options->formats,
          "Formats or plans, e.g. \"auto;csr lanes=8;coo\"; may be repeated; without it every format and the plan "
          "chosen")
      ->allow_extra_args(false);
  command
      .add_option("--peers", options->peers,
                  "all, none, or names of libraries, e.g. eigen, cusparse or cusparse:csr_alg1")
      ->allow_extra_args(false)
      ->capture_default_str();
  command.add_option("--seconds", options->seconds, "Time for each measurement")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  command.add_flag("--cold", options->cold, "Time with evicted caches too");
  command.add_option("--csv", options->csv, "Write the results to this file");
  command.footer(
      "Ratio: time of the fastest peer / time; above 1 is faster than every peer.\n"
      "Peers: eigen on the CPU; every algorithm of cuSPARSE on the GPU, where that library is found.\n"
      "A matrix that cannot be read does not end the run; the exit code is then that of the first such failure.");
}

}  // namespace heddle
