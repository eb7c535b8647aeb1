#include <heddle/device.hpp>

#include "commands.hpp"
#include "table.hpp"
#include "text.hpp"

namespace heddle {

namespace {

const char* unit_name(Device device) { return device.kind == Device::Kind::gpu ? "multiprocessors" : "cores"; }

std::string size_or_unknown(std::int64_t bytes) { return bytes > 0 ? as_bytes(static_cast<double>(bytes)) : "unknown"; }

Json device_json(const DeviceInfo& info) {
  return {{"kind", to_string(info.device)},
          {"name", info.name},
          {"memory_bytes", info.memory_bytes},
          {"free_bytes", info.free_bytes},
          {"cache_bytes", info.cache_bytes > 0 ? Json(info.cache_bytes) : Json()},
          {"units", info.units},
          {"capability", info.capability}};
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
               {"capability", Align::left},
               {"name", Align::left}});
  for (const DeviceInfo& info : devices()) {
    entries.push_back(device_json(info));
    table.add({terminal.bold(to_string(info.device)), size_or_unknown(info.memory_bytes),
               size_or_unknown(info.free_bytes), size_or_unknown(info.cache_bytes), std::to_string(info.units),
               unit_name(info.device), info.capability, info.name});
  }
  session.json()["devices"] = std::move(entries);
  session.json()["threads"] = threads();
  session.json()["gpu_absence"] = absence.empty() ? Json() : Json(absence);
  session.print("{}\n", table.text(terminal));
  if (!absence.empty()) session.print("No GPU: {}.\n", absence);
  session.print("CPU work uses {} thread{}.\n", threads(), threads() == 1 ? "" : "s");
}

}  // namespace

void add_devices(CLI::App& app, Session& session) {
  session.add_command(app, "devices", "What it can run on: name, memory, caches, cores", [&session] { show(session); });
}

}  // namespace heddle
