// A processor package that draws 50 W, in a folder like /sys/class/powercap.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "support/command.hpp"

namespace heddle::test {

class PlantedPackage {
 public:
  PlantedPackage() {
    std::filesystem::create_directories(folder_.path("intel-rapl:0"));
    folder_.write("intel-rapl:0/name", "package-0\n");
    folder_.write("intel-rapl:0/max_energy_range_uj", "262143328850\n");
    show();
    thread_ = std::thread([this] {
      for (; !stopped_; std::this_thread::sleep_for(std::chrono::milliseconds(2))) show();
    });
  }
  PlantedPackage(const PlantedPackage&) = delete;
  PlantedPackage& operator=(const PlantedPackage&) = delete;
  ~PlantedPackage() {
    stopped_ = true;
    thread_.join();
  }
  std::string folder() const { return folder_.path(""); }
  Surroundings around() const { return {.environment = {{"HEDDLE_POWERCAP", folder()}}}; }

 private:
  // As a whole or not at all.
  void show() {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun_;
    folder_.write("next", std::to_string(static_cast<long long>(5e7 * spent.count())) + "\n");
    std::filesystem::rename(folder_.path("next"), folder_.path("intel-rapl:0/energy_uj"));
  }
  ScratchFolder folder_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

}  // namespace heddle::test
