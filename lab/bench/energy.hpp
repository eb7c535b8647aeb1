// Energy by the counters of the machine: NVML for a GPU, RAPL (powercap of Linux) for the processors and their memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <heddle/device.hpp>

namespace heddle::bench {

struct EnergyCounter {
  std::string source;              // "NVML", "RAPL: package-0, dram"
  std::string absence;             // why there is none; empty where there is one
  std::function<double()> joules;  // since some moment, of the whole device, with all its users; Error(unavailable)

  bool there() const { return absence.empty(); }
};

// The counter of the device a product runs on. HEDDLE_NVML names another library, HEDDLE_POWERCAP another folder.
EnergyCounter energy_counter(Device device);
// The parts of it. `gpu` is an address on the bus as CUDA and NVML write it, 0000:65:00.0.
EnergyCounter rapl_counter(const std::string& folder);
EnergyCounter nvml_counter(const std::string& gpu, const std::string& library);
// The library of NVML to open; and the version of NVIDIA's driver, as it says. Empty where it cannot be asked.
std::string nvml_file();
std::string driver_version(const std::string& nvml_library);

struct Energy {
  double joules = 0, seconds = 0;  // of one call; NaN: the counter never moved
  std::int64_t calls = 0;          // they were averaged over

  double watts() const { return joules / seconds; }
};

struct EnergyRun {
  double seconds = 1;      // for so long, and up to three times as long where the counter is slow; two batches at least
  std::int64_t batch = 1;  // calls between two looks at the counter
  std::function<double()> now = {};  // the clock; empty: the steady one
  std::function<bool()> stopped = {};
};

// Calls run(count), which makes so many calls and waits for them. Counters move in steps, those of GPUs every 20 to 100
// ms: energy, time and calls are taken between the first and the last step that were seen.
Energy measure_energy(const EnergyCounter& counter, const EnergyRun& how, const std::function<void(std::int64_t)>& run);

// Calls of about 10 ms.
std::int64_t energy_batch(double seconds_of_a_call);

}  // namespace heddle::bench
