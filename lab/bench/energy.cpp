#include "bench/energy.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "built_with.hpp"

#ifdef HEDDLE_HAS_CUDA
#include "simt/cuda_table.hpp"
#endif

namespace heddle::bench {

namespace {

std::string from_environment(const char* name, const char* otherwise) {
  const char* given = std::getenv(name);
  return given != nullptr && *given != 0 ? given : otherwise;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What a counter showed when it had just moved.
struct Step {
  double joules = 0, seconds = 0;
  std::int64_t calls = 0;
};

#ifdef HEDDLE_HAS_CUDA
std::string bus_address(int ordinal) {
  cudaDeviceProp properties{};
  simt::check_cuda(simt::cuda_table().get_device_properties(&properties, ordinal), "cudaGetDeviceProperties");
  return fmt::format("{:04x}:{:02x}:{:02x}.0", properties.pciDomainID, properties.pciBusID, properties.pciDeviceID);
}
#endif

}  // namespace

std::string nvml_file() { return from_environment("HEDDLE_NVML", "libnvidia-ml.so.1"); }

EnergyCounter energy_counter(Device device) {
  if (device.kind == Device::Kind::gpu) {
#ifdef HEDDLE_HAS_CUDA
    return nvml_counter(bus_address(device.ordinal), nvml_file());
#else
    return {.source = "NVML", .absence = "built without CUDA", .joules = {}};
#endif
  }
  if (device.kind == Device::Kind::emulator)
    return {.source = "", .absence = "the energy of an emulated GPU says nothing", .joules = {}};
  return rapl_counter(from_environment("HEDDLE_POWERCAP", "/sys/class/powercap"));
}

Energy measure_energy(const EnergyCounter& counter, const EnergyRun& how,
                      const std::function<void(std::int64_t)>& run) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto now = how.now ? how.now : steady_seconds;
  const double begun = now();
  double shown = counter.joules();
  Step first, last;
  int steps = 0;
  for (std::int64_t calls = 0;;) {
    run(how.batch);
    calls += how.batch;
    const double time = now(), joules = counter.joules();
    if (joules != shown) {
      last = {joules, time, calls};
      if (steps++ == 0) first = last;
      shown = joules;
    }
    const double spent = time - begun, seen = last.seconds - first.seconds;
    const bool enough = spent >= how.seconds && steps > 1 && seen >= how.seconds / 2;
    const bool too_long = spent >= 3 * how.seconds && calls > how.batch;
    if (enough || too_long || (how.stopped && how.stopped())) break;
  }
  const auto calls = static_cast<double>(last.calls - first.calls);
  if (last.calls == first.calls) return {none, none, 0};
  return {(last.joules - first.joules) / calls, (last.seconds - first.seconds) / calls, last.calls - first.calls};
}

std::int64_t energy_batch(double seconds_of_a_call) {
  constexpr double batch_seconds = 0.01;
  if (!(seconds_of_a_call > 0)) return 1;
  return std::max<std::int64_t>(1, std::llround(std::min(1e6, batch_seconds / seconds_of_a_call)));
}

}  // namespace heddle::bench
