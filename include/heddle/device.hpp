// Where memory lives and work runs: the CPU, an NVIDIA GPU, or the emulator that runs GPU kernels on the CPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {

struct Device {
  enum class Kind { cpu, gpu, emulator };
  Kind kind = Kind::cpu;
  int ordinal = 0;  // which GPU; 0 for the others

  static Device cpu() { return {}; }
  static Device gpu(int ordinal = 0) { return {Kind::gpu, ordinal}; }
  static Device emulator() { return {Kind::emulator, 0}; }

  // "cpu", "gpu", "gpu:1", "emulator", or "auto": the one that the environment variable HEDDLE_DEVICE names,
  // else the first GPU if there is one, else the CPU.
  static Device parse(std::string_view text);

  bool host_memory() const { return kind != Kind::gpu; }
  friend bool operator==(const Device&, const Device&) = default;
};

std::string to_string(Device device);

struct DeviceInfo {
  Device device;
  std::string name;
  std::int64_t memory_bytes = 0;  // total
  std::int64_t free_bytes = 0;    // free now
  std::int64_t cache_bytes = 0;   // last-level cache: L3 of a CPU, L2 of a GPU; 0 if unknown
  int units = 0;                  // cores, or multiprocessors
  std::string capability;         // "9.0" for a GPU, the instruction set for a CPU
};

// All devices of this machine, the CPU first, the emulator last.
std::vector<DeviceInfo> devices();
DeviceInfo describe(Device device);
bool gpu_available() noexcept;
// Why there is no GPU: "built without CUDA", "no driver", ...; empty when there is one.
std::string gpu_absence();

// Number of threads the CPU kernels, readers and builders may use. 0 restores the default: the environment variable
// HEDDLE_THREADS, or every core this process may run on.
void set_threads(int count);
int threads() noexcept;

// A CUDA stream without the CUDA header: pass a cudaStream_t as `handle`. Ignored by the CPU and the emulator.
struct Stream {
  void* handle = nullptr;
};

}  // namespace heddle
