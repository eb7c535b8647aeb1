#include "commands/predict_served.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "plan/predict/building.hpp"
#include "plan/predict/model.hpp"
#include "plan/predict/predicted_parts.hpp"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;

std::vector<Machine::Rate> rates_in(const Json& machine, const char* name) {
  std::vector<Machine::Rate> rates;
  if (!machine.contains(name)) return rates;
  for (const Json& point : machine[name]) rates.push_back({point.at(0).get<std::int64_t>(), point.at(1).get<double>()});
  return rates;
}

// Files of before calling threads was measured have the time of an empty job.
Machine machine_in(const Json& given) {
  Machine machine;
  machine.kind = given.at("kind") == "cpu" ? Device::Kind::cpu : Device::Kind::gpu;
  machine.units = given.at("units");
  machine.cache_bytes = given.at("cache_bytes");
  machine.repeat_us = given.at("repeat_us");
  machine.upload_gbps = given.value("upload_gbps", 0.0);
  machine.read = rates_in(given, "read");
  machine.gather = rates_in(given, "gather");
  machine.core_read = rates_in(given, "core_read");
  machine.wake_us = given.value("wake_us", machine.repeat_us);
  machine.wake_all_us = given.value("wake_all_us", machine.wake_us);
  machine.entry_ns = given.value("entry_ns", 0.0);
  machine.entry_all_ns = given.value("entry_all_ns", machine.entry_ns);
  return machine;
}

template <class T>
T with_fields(const Json& given) {
  T made;
  each_field(made, [&]<class Number>(const char* name, Number& number) {
    if (given.contains(name)) number = static_cast<Number>(given[name].template get<double>());
  });
  return made;
}

struct Case {
  Machine machine;
  Workload work;
  int value_bytes;
};

std::vector<Case> cases_in(const Json& given) {
  std::vector<Case> cases;
  for (const Json& one : given)
    cases.push_back({machine_in(one.at("machine")), with_fields<Workload>(one.at("workload")), one.at("value_bytes")});
  return cases;
}

// What building takes in addition to the parts whose costs are fitted.
Json building_of(const Json& given) {
  const Machine machine = machine_in(given.at("machine"));
  const double rows = given.at("rows"), entries = given.at("nnz");
  const double matrix = matrix_bytes(rows, entries, given.at("value_bytes"));
  Json plans = Json::array();
  for (const Json& plan : given.at("plans")) {
    const double built = plan.at("bytes");
    const auto way = [&](bool on_device) {
      return way_seconds({matrix, built, plan.at("by_kernels"), on_device}, machine);
    };
    const int cores = machine.kind == Device::Kind::cpu ? machine.units : 0;
    plans.push_back(
        {{"way", way(false)}, {"way_there", way(true)}, {"new_bytes", new_memory_part(built, entries, cores)}});
  }
  return {{"slowness", slowness(machine)}, {"plans", std::move(plans)}};
}

class Server {
 public:
  Json answer(const Json& question) {
    if (question.contains("building")) return building_of(question["building"]);
    if (question.contains("cases")) {
      groups_.push_back(cases_in(question["cases"]));
      return {{"group", groups_.size() - 1}};
    }
    const Cost cost = with_fields<Cost>(question.at("costs"));
    check(cost.check() == cost.check(), ErrorKind::input, "a field of the costs is missing");
    Json seconds = Json::array();
    for (const Case& one : groups_.at(question.at("group")))
      seconds.push_back(predict(one.work, cost, one.machine, one.value_bytes).seconds);
    return {{"seconds", std::move(seconds)}};
  }

 private:
  std::vector<std::vector<Case>> groups_;
};

}  // namespace

void serve_predictions(std::istream& questions, std::ostream& answers) {
  Server server;
  std::string line;
  for (int number = 1; std::getline(questions, line); ++number) try {
      answers << server.answer(Json::parse(line)).dump() << std::endl;
    } catch (const std::exception& wrong) {
      fail(ErrorKind::input,
           At{fmt::format("line {}", number), "apps/heddle/commands/predict_served.hpp has the questions"}, "{}",
           wrong.what());
    }
}

}  // namespace heddle
