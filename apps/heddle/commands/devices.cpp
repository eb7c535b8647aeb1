#include <heddle/device.hpp>
#include <heddle/machine.hpp>

#include "commands/commands.hpp"
#include "machine/machine_file.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

const char* unit_name(Device device) { return device.kind == Device::Kind::gpu ? "multiprocessors" : "cores"; }

std::string size_or_unknown(std::int64_t bytes) { return bytes > 0 ? as_bytes(static_cast<double>(bytes)) : "unknown"; }

Json rates_json(const std::vector<Machine::Rate>& rates) {
  Json list = Json::array();
  for (const auto& rate : rates) list.push_back({{"bytes", rate.bytes}, {"giga_per_second", rate.giga}});
  return list;
}

Json device_json(const DeviceInfo& info, const Machine& machine) {
  return {{"kind", to_string(info.device)},
          {"name", info.name},
          {"memory_bytes", info.memory_bytes},
          {"free_bytes", info.free_bytes},
          {"cache_bytes", info.cache_bytes > 0 ? Json(info.cache_bytes) : Json()},
          {"units", info.units},
          {"capability", info.capability},
          {"measured", machine.measured},
          {"read_gbps", machine.read_gbps},
          {"copy_gbps", machine.copy_gbps},
          {"launch_us", machine.launch_us},
          {"read", rates_json(machine.read)},
          {"gather", rates_json(machine.gather)}};
}

// "reads 2.61 GB/s -> 18.0 GB/s, ..."
std::string change(const Machine& before, const Machine& after) {
  const auto from_to = [&](auto text) { return fmt::format("{} -> {}", text(before), text(after)); };
  return fmt::format("reads {}, copies {}, random reads {}",
                     from_to([](const Machine& m) { return as_rate(m.read_gbps * 1e9); }),
                     from_to([](const Machine& m) { return as_rate(m.copy_gbps * 1e9); }),
                     from_to([](const Machine& m) { return fmt::format("{:.3g} G/s", m.gather.back().giga); }));
}

void measure_anew(Session& session) {
  for (const DeviceInfo& info : devices()) {
    if (info.device.kind == Device::Kind::emulator) continue;  // has built-in figures
    const auto before = read_machine(info.device.kind, info.name, info.units);
    const Machine& after = measure_this_machine(info.device);
    session.note("{}: {}", to_string(info.device), before ? change(*before, after) : "no figures were kept before");
  }
  const std::string folder = cache_folder();
  session.note("{}", folder.empty() ? "Nothing is kept: HEDDLE_CACHE, XDG_CACHE_HOME and HOME are not set."
                                    : fmt::format("Kept in {}.", folder));
}

void show(Session& session) {
  const Terminal& terminal = session.terminal();
  const std::string absence = gpu_absence();
  Json entries = Json::array();
  Table table({{"device", Align::left},
               {"memory"},
               {"free"},
               {"last cache"},
               {"units"},
               {"", Align::left},
               {"reads"},
               {"copies"},
               {"capability", Align::left},
               {"name", Align::left}});
  for (const DeviceInfo& info : devices()) {
    const Machine& machine = this_machine(info.device);
    entries.push_back(device_json(info, machine));
    const bool emulated = info.device.kind == Device::Kind::emulator;  // plans as for a GPU, by figures of an H200
    const auto rate = [&](double gbps) { return emulated ? std::string("-") : as_rate(gbps * 1e9); };
    table.add({terminal.bold(to_string(info.device)), size_or_unknown(info.memory_bytes),
               size_or_unknown(info.free_bytes), size_or_unknown(info.cache_bytes), std::to_string(info.units),
               unit_name(info.device), rate(machine.read_gbps), rate(machine.copy_gbps), info.capability, info.name});
  }
  session.json()["devices"] = std::move(entries);
  session.json()["threads"] = threads();
  session.json()["gpu_absence"] = absence.empty() ? Json() : Json(absence);
  session.print("{}\n", table.text(terminal));
  if (!absence.empty()) session.print("No GPU: {}.\n", absence);
  session.print("CPU work uses {} thread{}.\n", threads(), threads() == 1 ? "" : "s");
}

}  // namespace

void add_devices(Command root, Session& session) {
  auto measure = std::make_shared<bool>(false);
  Command command = session.add_command(
      root, "devices", "What it can run on: name, memory, caches, cores, measured bandwidths", [&session, measure] {
        if (*measure) measure_anew(session);
        show(session);
      });
  command.flag("--measure", *measure,
               "Measure CPU and GPUs anew, best while nothing else runs: the planner chooses by these figures");
}

}  // namespace heddle
