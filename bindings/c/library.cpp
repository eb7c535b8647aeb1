// The process: version, threads, what a status is called.
#include "guard.hpp"
#include "handles.hpp"

using namespace heddle::c;

const char* heddle_version(void) { return heddle::version; }
int32_t heddle_abi(void) { return HEDDLE_ABI; }

const char* heddle_status_name(heddle_status status) {
  switch (status) {
    case HEDDLE_OK: return "ok";
    case HEDDLE_INTERNAL: return "internal";
    case HEDDLE_USAGE: return "usage";
    case HEDDLE_INPUT: return "input";
    case HEDDLE_UNAVAILABLE: return "unavailable";
    case HEDDLE_NO_MEMORY: return "no_memory";
    case HEDDLE_STOPPED: return "stopped";
    default: return "unknown";
  }
}

heddle_status heddle_set_threads(int32_t count) {
  return guard([&] {
    if (count < 0) wrong_usage("a number from 0 on is needed", "heddle_set_threads");
    heddle::set_threads(count);
  });
}
int32_t heddle_threads(void) { return heddle::threads(); }

namespace heddle::c {

Device device_of(heddle_device device) {
  switch (device.kind) {
    case HEDDLE_CPU: return Device::cpu();
    case HEDDLE_GPU: return Device::gpu(device.ordinal);
    case HEDDLE_EMULATOR: return Device::emulator();
    case HEDDLE_AUTO: return Device::parse("auto");
    default: wrong_usage("device kind " + std::to_string(device.kind) + " does not exist");
  }
}

heddle_device device_of(Device device) {
  switch (device.kind) {
    case Device::Kind::gpu: return {HEDDLE_GPU, device.ordinal};
    case Device::Kind::emulator: return {HEDDLE_EMULATOR, 0};
    default: return {HEDDLE_CPU, 0};
  }
}

}  // namespace heddle::c
