// The physical bounds of a stored run of `heddle bench`, anew: after the bound was defined otherwise, without the
// machine of the run. Its figures are in the document; tables that an older document lacks are the built-in ones.
//
//   bounds_bench RUN.json [--matrices=FOLDER]      FOLDER has the files of the run; a matrix that is not there keeps
//                                                  its bound
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include <heddle/heddle.hpp>

#include "bench/bound.hpp"
#include "program.hpp"

namespace {

using namespace heddle;
using Json = nlohmann::ordered_json;

std::vector<Machine::Rate> table_of(const Json& machine, const char* name, std::vector<Machine::Rate> otherwise) {
  if (!machine.contains(name)) return otherwise;
  std::vector<Machine::Rate> table;
  for (const Json& line : machine[name]) table.push_back({line["bytes"], line["giga"]});
  return table;
}

Machine machine_of(const Json& run) {
  const Json& said = run["machine"];
  Machine machine = built_in_machine(Device::parse(run["device"]["kind"].get<std::string>()).kind);
  machine.read_gbps = said["read_gbps"];
  machine.launch_us = said["launch_us"];
  machine.repeat_us = said.value("repeat_us", machine.repeat_us);
  machine.read = table_of(said, "read", machine.read);
  machine.gather = table_of(said, "gather", machine.gather);
  return machine;
}

Csr<double> matrix_of(const std::string& source, const std::string& folder) {
  if (source.starts_with("gen:")) return generate<double>(source.substr(4));
  return read_matrix<double>((std::filesystem::path(folder) / std::filesystem::path(source).filename()).string());
}

template <class V>
void put_bound(Json& record, const Csr<V>& A, const Machine& machine) {
  const bench::Bound bound = bench::physical_bound(A.view(), analyze(A, Detail::planning), machine);
  record["bound"] = {{"bytes", bound.bytes},
                     {"gathers", bound.gathers},
                     {"seconds", bound.seconds},
                     {"cold_seconds", bound.cold_seconds}};
}

void run(const Words& words) {
  const std::string folder = words.has("--matrices=") ? words.all("--matrices=").back() : ".";
  for (const std::string& path : words.matrices) {
    Json document = Json::parse(std::ifstream(path));
    const Machine machine = machine_of(document);
    std::string source;
    Csr<double> A;
    for (Json& record : document["matrices"]) {
      try {
        if (record["source"] != source) A = matrix_of(record["source"], folder);
        source = record["source"];
        record["precision"] == "f64" ? put_bound(record, A, machine)
                                     : put_bound(record, convert<float>(A.view()), machine);
      } catch (const Error& error) {
        fmt::print(stderr, "{}: {}\n", record["source"].get<std::string>(), error.what());
      }
    }
    std::ofstream(path) << document.dump(2) << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) { return run_program("bounds_bench", argc, argv, {"--matrices="}, run); }
