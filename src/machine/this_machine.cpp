#include <heddle/machine.hpp>

#include <cmath>
#include <list>
#include <map>
#include <mutex>

#include "core/check.hpp"
#include "core/known_device.hpp"
#include "machine/machine_file.hpp"
#include "machine/machine_measure.hpp"
#include "simt/large_gpu.hpp"

namespace heddle {

namespace {

constexpr std::int64_t kib = 1 << 10, mib = 1 << 20;

// H200, 2026-11, CUDA 13.0.
Machine h200() {
  Machine m;
  m.kind = Device::Kind::gpu;
  m.name = "built-in: H200";
  m.units = large_gpu_units;
  m.cache_bytes = 60 * mib;
  m.memory_bytes = std::int64_t{140} << 30;
  m.read_gbps = 4360;
  m.copy_gbps = 4190;
  m.launch_us = 3.6;
  m.repeat_us = 1.2;
  m.upload_gbps = 12;
  m.read = {{mib, 2694},      {2 * mib, 3602},  {4 * mib, 4021},   {8 * mib, 5299},  {16 * mib, 6531},
            {32 * mib, 6530}, {64 * mib, 4068}, {128 * mib, 4229}, {256 * mib, 4357}};
  m.gather = {{64 * kib, 744}, {256 * kib, 326}, {mib, 172},        {4 * mib, 161},
              {16 * mib, 158}, {64 * mib, 75},   {256 * mib, 45.6}, {1024 * mib, 39.9}};
  return m;
}

// Two cores of a Xeon with AVX-512 and a share of a large last cache, 2026-11.
Machine two_cores() {
  Machine m;
  m.kind = Device::Kind::cpu;
  m.name = "built-in: two cores";
  m.units = 2;
  m.cache_bytes = 32 * mib;
  m.memory_bytes = std::int64_t{16} << 30;
  m.read_gbps = 18;
  m.copy_gbps = 16;
  m.launch_us = 0.4;
  m.repeat_us = 0.4;
  m.read = {{256 * kib, 230}, {mib, 230}, {4 * mib, 56}, {16 * mib, 50}, {64 * mib, 30}, {512 * mib, 18}};
  m.gather = {{32 * kib, 2.77}, {256 * kib, 2.46}, {mib, 1.78},      {2 * mib, 1.37},
              {4 * mib, 0.95},  {8 * mib, 0.83},   {16 * mib, 0.53}, {64 * mib, 0.32}};
  m.core_read = {{32 * kib, 139}, {mib, 136}, {4 * mib, 28.5}, {16 * mib, 27.4}, {64 * mib, 25.7}, {512 * mib, 16.8}};
  m.wake_us = m.wake_all_us = 0.5;
  m.entry_ns = m.entry_all_ns = 0.5;
  m.isa = Isa::avx512;
  m.gathers = {true, true, true};
  return m;
}

// References to figures are handed out: they stay where they are, unchanged, and newer ones are put behind them.
struct Known {
  std::mutex guard;
  std::map<std::pair<std::string, int>, std::list<Machine>> figures;

  // CPU figures depend on the number of threads.
  std::list<Machine>& of(Device device) {
    return figures[{to_string(device), device.kind == Device::Kind::cpu ? threads() : 0}];
  }
};

Known& known() {
  static Known all;
  return all;
}

using Say = std::function<void(MachineNote, const std::string&)>;
Say& said() {
  static Say to;
  return to;
}
void say(MachineNote kind, const std::string& text) {
  if (said()) said()(kind, text);
}

// A cache that cannot be written costs time, nothing else. One note is enough.
void write_if_possible(const Machine& machine, bool noted) {
  try {
    write_machine(machine);
  } catch (const Error& error) {
    if (!noted) say(MachineNote::trouble, fmt::format("{}: every run measures this machine anew", error.what()));
  }
}

void note_measuring(Device device, const std::string& trouble) {
  if (!trouble.empty()) return say(MachineNote::trouble, trouble + "; this machine is measured anew");
  const std::string folder = cache_folder();
  say(MachineNote::measuring,
      fmt::format("measuring {} for a second or two{}", to_string(device),
                  folder.empty() ? std::string() : ", once: the figures are kept in " + folder));
}

Machine kept_or_measured(Device device) {
  const DeviceInfo info = describe(device);  // takes longer than to choose, or even to build: once
  try {
    std::string trouble;
    if (const auto kept = read_machine(device.kind, info.name, info.units, &trouble)) return *kept;
    note_measuring(device, trouble);
    Machine machine = measure_machine(device);
    write_if_possible(machine, !trouble.empty());
    return machine;
  } catch (const std::exception&) {  // no memory for the arrays: the built-in figures serve as well
    Machine machine = built_in_machine(device.kind);
    name_instructions(machine);
    return machine;
  }
}

}  // namespace

void on_machine_note(std::function<void(MachineNote, const std::string&)> to) { said() = std::move(to); }

double rate_at(const std::vector<Machine::Rate>& table, double bytes) {
  if (table.empty()) return 1;
  if (bytes <= static_cast<double>(table.front().bytes)) return table.front().giga;
  for (std::size_t i = 1; i < table.size(); ++i) {
    const auto from = static_cast<double>(table[i - 1].bytes), to = static_cast<double>(table[i].bytes);
    if (bytes > to) continue;
    const double share = std::log(bytes / from) / std::log(to / from);
    return std::exp(std::log(table[i - 1].giga) * (1 - share) + std::log(table[i].giga) * share);
  }
  return table.back().giga;
}

const Machine& built_in_machine(Device::Kind kind) {
  static const Machine gpu = h200(), cpu = two_cores();
  return kind == Device::Kind::cpu ? cpu : gpu;
}

const Machine& this_machine(Device device) {
  if (device.kind == Device::Kind::emulator) return built_in_machine(device.kind);
  const std::lock_guard lock(known().guard);
  std::list<Machine>& figures = known().of(device);
  if (figures.empty()) figures.push_back(kept_or_measured(device));
  return figures.back();
}

const Machine& measure_this_machine(Device device) {
  if (device.kind == Device::Kind::emulator) return built_in_machine(device.kind);
  require_device(device);
  const std::lock_guard lock(known().guard);
  const Machine& machine = known().of(device).emplace_back(measure_machine(device));
  write_machine(machine);
  return machine;
}

}  // namespace heddle
