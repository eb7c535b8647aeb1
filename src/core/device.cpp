#include <heddle/device.hpp>

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <utility>

#include "built_with.hpp"
#include "core/check.hpp"
#include "core/gpu.hpp"
#include "core/isa.hpp"
#include "core/known_device.hpp"

namespace heddle {

namespace {

// where: what an error names.
Device named_device(std::string_view text, std::string where) {
  if (text == "cpu") return Device::cpu();
  if (text == "emulator") return Device::emulator();
  if (text == "gpu") return Device::gpu();
  if (text.size() == 5 && text.starts_with("gpu:") && text[4] >= '0' && text[4] <= '9')
    return Device::gpu(text[4] - '0');
  fail(ErrorKind::usage, {std::move(where), "known devices: auto, cpu, gpu, gpu:N, emulator"}, "no such device");
}

Device device_by_default() {
  const char* named = std::getenv("HEDDLE_DEVICE");
  if (named && *named != 0 && std::string_view(named) != "auto")
    return named_device(named, fmt::format("HEDDLE_DEVICE={}", named));
  return gpu_available() ? Device::gpu() : Device::cpu();
}

}  // namespace

Device Device::parse(std::string_view text) {
  return text == "auto" ? device_by_default() : named_device(text, std::string(text));
}

std::string to_string(Device device) {
  switch (device.kind) {
    case Device::Kind::cpu: return "cpu";
    case Device::Kind::emulator: return "emulator";
    case Device::Kind::gpu: return device.ordinal == 0 ? "gpu" : fmt::format("gpu:{}", device.ordinal);
  }
  return "cpu";
}

namespace {

std::string first_line_with(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) return line.substr(line.find(':') + 2);
  return {};
}

std::string cpu_name() {
  const std::string model = first_line_with("/proc/cpuinfo", "model name");
  if (!model.empty()) return model;
#if defined(__aarch64__)
  return "ARM 64-bit processor";
#else
  return "processor";
#endif
}

std::string instruction_set() {
#if defined(__x86_64__)
  return isa() == Isa::avx512 ? "AVX-512" : isa() == Isa::avx2 ? "AVX2" : "x86-64";
#elif defined(__aarch64__)
  return isa() == Isa::sve ? "SVE" : "NEON";
#else
  return "generic";
#endif
}

DeviceInfo describe_cpu() {
  DeviceInfo info;
  info.name = cpu_name();
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  info.memory_bytes = page * sysconf(_SC_PHYS_PAGES);
  info.free_bytes = page * sysconf(_SC_AVPHYS_PAGES);
#ifdef _SC_LEVEL3_CACHE_SIZE
  info.cache_bytes = std::max<std::int64_t>(0, sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
  info.units = threads();
  info.capability = instruction_set();
  return info;
}

[[maybe_unused]] DeviceInfo describe_emulator() {
  DeviceInfo info = describe_cpu();
  info.device = Device::emulator();
  info.name = "GPU emulator (fibres on one core, for tests)";
  info.units = 1;
  info.capability = "warps of 32";
  return info;
}

}  // namespace

bool gpu_available() noexcept {
  try {
    return gpu::absence().empty();
  } catch (...) {
    return false;
  }
}

std::string gpu_absence() { return gpu::absence(); }

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all{describe_cpu()};
  if (gpu_available())
    for (DeviceInfo& info : gpu::list()) all.push_back(std::move(info));
#ifdef HEDDLE_HAS_EMULATOR
  all.push_back(describe_emulator());
#endif
  return all;
}

DeviceInfo describe(Device device) {
  for (const DeviceInfo& info : devices())
    if (info.device == device) return info;
  const std::string why =
      device.kind == Device::Kind::emulator ? "this build of Heddle has no emulator" : gpu_absence();
  fail(ErrorKind::unavailable, {to_string(device), "run `heddle devices` to see what there is"},
       "no such device here{}{}", why.empty() ? "" : ": ", why);
}

void require_device(Device device) {
  static std::mutex guard;
  static std::set<std::pair<Device::Kind, int>> found;
  const std::lock_guard lock(guard);
  if (found.contains({device.kind, device.ordinal})) return;
  describe(device);
  found.insert({device.kind, device.ordinal});
}

}  // namespace heddle
