// Energy of processors by the files of powercap:
//
//   intel-rapl:0/name                 package-0          one for every package; psys, which holds all, is left out
//   intel-rapl:0/energy_uj            1234567            microjoules, back to 0 at max_energy_range_uj
//   intel-rapl:0/intel-rapl:0:1/name  dram               memory is not in its package; cores and graphics are
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include <fmt/ranges.h>

#include "bench/energy.hpp"
#include "core/check.hpp"

namespace heddle::bench {

namespace {

std::string first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

double microjoules(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  double value = 0;
  if (!(file >> value))
    fail(ErrorKind::unavailable, At{path, errno == EACCES ? "only root may read it, unless its mode is changed" : ""},
         "cannot be read: {}", errno != 0 ? std::strerror(errno) : "no number");
  return value;
}

// One domain, which starts again from 0 now and then.
class Domain {
 public:
  explicit Domain(const std::string& folder)
      : name_(first_word(folder + "/name")), path_(folder + "/energy_uj"), last_(microjoules(path_)) {
    const std::string range = first_word(folder + "/max_energy_range_uj");
    range_ = range.empty() ? 0 : std::strtod(range.c_str(), nullptr);
  }
  const std::string& name() const { return name_; }
  double joules() {
    const double now = microjoules(path_);
    sum_ += now >= last_ ? now - last_ : now + std::max(0.0, range_ - last_);
    last_ = now;
    return sum_ * 1e-6;
  }

 private:
  std::string name_, path_;
  double last_, range_ = 0, sum_ = 0;
};

std::vector<std::string> folders_of(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  return names;
}

// intel-rapl:0 is a package, intel-rapl:0:1 a part of it. (AMD's processors have the same names.)
std::vector<std::string> domains_in(const std::string& folder) {
  std::vector<std::string> found;
  for (const std::string& path : folders_of(folder)) {
    const std::string file = std::filesystem::path(path).filename();
    const auto colons = std::count(file.begin(), file.end(), ':');
    const std::string name = first_word(path + "/name");
    if (file.starts_with("intel-rapl:") && colons == 1 && name.starts_with("package")) {
      found.push_back(path);
      for (const std::string& part : folders_of(path))
        if (first_word(part + "/name") == "dram") found.push_back(part);
    }
  }
  return found;
}

}  // namespace

EnergyCounter rapl_counter(const std::string& folder) {
  auto domains = std::make_shared<std::vector<Domain>>();
  std::vector<std::string> names;
  try {
    for (const std::string& path : domains_in(folder)) names.push_back(domains->emplace_back(path).name());
  } catch (const Error& error) {
    return {.source = "RAPL", .absence = error.what(), .joules = {}};
  }
  if (domains->empty())
    return {.source = "RAPL", .absence = fmt::format("{} has no package that counts its energy", folder), .joules = {}};
  return {.source = fmt::format("RAPL: {}", fmt::join(names, ", ")), .absence = {}, .joules = [domains] {
            double sum = 0;
            for (Domain& domain : *domains) sum += domain.joules();
            return sum;
          }};
}

}  // namespace heddle::bench
