// The cache folder of one test, for this process and for the commands it runs.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "support/command.hpp"

namespace heddle::test {

class OwnCache {
 public:
  OwnCache() {
    const char* before = std::getenv("HEDDLE_CACHE");
    before_ = before ? before : "";
    setenv("HEDDLE_CACHE", folder_.path("cache").c_str(), 1);
  }
  ~OwnCache() { before_.empty() ? unsetenv("HEDDLE_CACHE") : setenv("HEDDLE_CACHE", before_.c_str(), 1); }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;

  std::string path(const std::string& name) const { return folder_.path("cache/" + name); }
  std::vector<std::string> files() const {
    std::vector<std::string> found;
    if (exists(folder_.path("cache")))
      for (const auto& entry : std::filesystem::directory_iterator(folder_.path("cache")))
        found.push_back(entry.path());
    return found;
  }

 private:
  ScratchFolder folder_;
  std::string before_;
};

// Puts a file of this CPU there that is as it should be, but reads memory a thousand times too fast.
inline Machine plant_wrong_figures() {
  const DeviceInfo info = describe(Device::cpu());
  Machine wrong = built_in_machine(Device::Kind::cpu);
  wrong.name = info.name;
  wrong.units = info.units;
  wrong.read_gbps *= 1000;
  wrong.measured = true;
  write_machine(wrong);
  return wrong;
}

inline std::optional<Machine> kept_figures() {
  const DeviceInfo info = describe(Device::cpu());
  return read_machine(info.device.kind, info.name, info.units);
}

}  // namespace heddle::test
