#include <cmath>

#include <heddle/choose.hpp>
#include <heddle/formats.hpp>

#include "commands/commands.hpp"
#include "session/load.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

struct Options {
  std::string matrix, explain;
};

std::string allowed_text(const SettingInfo& setting) {
  if (setting.allowed.empty()) return fmt::format("{} .. {}", setting.low, setting.high);
  return fmt::format("{}", fmt::join(setting.allowed, ", "));
}

// "lanes=auto block=128": the settings with their defaults, as a plan would name them.
std::string settings_text(const FormatInfo& format) {
  std::string text;
  for (const SettingInfo& setting : format.settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", setting.name, setting.fallback);
  return text;
}

Json format_json(const FormatInfo& format) {
  Json settings = Json::array();
  for (const SettingInfo& setting : format.settings) {
    Json entry{{"name", setting.name}, {"default", setting.fallback}, {"meaning", setting.meaning}};
    if (setting.allowed.empty()) {
      entry["low"] = setting.low;
      entry["high"] = setting.high;
    } else {
      entry["allowed"] = setting.allowed;
    }
    settings.push_back(std::move(entry));
  }
  return {
      {"name", format.name}, {"summary", format.summary}, {"origin", format.origin}, {"settings", std::move(settings)}};
}

void explain(Session& session, const FormatInfo& format) {
  Json entry = format_json(format);
  entry["drawing"] = format.drawing;
  session.json()["formats"] = Json::array({entry});
  const Terminal& terminal = session.terminal();
  session.print("{}: {}\nOrigin: {}\n\n{}\n", terminal.bold(format.name), format.summary, format.origin,
                format.drawing);
  if (format.settings.empty()) return;
  Table table({{"setting", Align::left}, {"default", Align::left}, {"values", Align::left}, {"meaning", Align::left}});
  for (const SettingInfo& setting : format.settings)
    table.add({setting.name, setting.fallback, allowed_text(setting), setting.meaning});
  session.print("\n{}", table.text(terminal));
}

void list(Session& session) {
  Json entries = Json::array();
  Table table({{"format", Align::left}, {"settings", Align::left}, {"origin", Align::left}, {"summary", Align::left}});
  for (const FormatInfo& format : formats()) {
    entries.push_back(format_json(format));
    table.add({session.terminal().bold(format.name), settings_text(format), format.origin, format.summary});
  }
  session.json()["formats"] = std::move(entries);
  session.print(
      "{}\n`heddle formats --explain NAME` draws one; `heddle formats M` says what each needs for a matrix.\n",
      table.text(session.terminal()));
}

template <class V>
void compare(Session& session, const std::string& source) {
  const Loaded<V> matrix = load<V>(session, source);
  const Structure facts = analyze(matrix.A, Detail::planning);
  const Machine& machine = this_machine(session.device());
  const auto nnz = static_cast<double>(matrix.A.nnz());
  const Terminal& terminal = session.terminal();
  Json entries = Json::array();
  Table table({{"format", Align::left}, {"size"}, {"bytes/entry"}, {"padding"}, {"predicted"}, {"fits", Align::left}});
  for (const FormatInfo& format : formats()) {
    const Footprint needs = footprint(matrix.A.view(), Plan{format.name, {}}, sizeof(V));
    Json entry = format_json(format);
    entry["bytes"] = needs.bytes;
    entry["padding_percent"] = needs.padding_percent;
    entry["fits"] = needs.fits;
    entry["reason"] = needs.reason;
    const double predicted =
        needs.fits ? predict(matrix.A, facts, machine, resolve(matrix.A.view(), Plan{format.name, {}}, sizeof(V)))
                   : NAN;
    entry["predicted_seconds"] = std::isfinite(predicted) ? Json(predicted) : Json();
    entries.push_back(std::move(entry));
    table.add({terminal.bold(format.name), as_bytes(static_cast<double>(needs.bytes)),
               nnz > 0 ? fmt::format("{:.2f}", static_cast<double>(needs.bytes) / nnz) : "-",
               fmt::format("{:.1f} %", needs.padding_percent), as_seconds(predicted),
               needs.fits ? terminal.good("yes") : terminal.bad("no: " + needs.reason)});
  }
  session.json()["matrix"] = matrix_json(matrix);
  session.json()["formats"] = std::move(entries);
  session.print("{}\n\n{}", terminal.bold(headline(matrix)), table.text(terminal));
}

void run(Session& session, const Options& options) {
  if (!options.explain.empty()) return explain(session, find_format(options.explain));
  if (options.matrix.empty()) return list(session);
  session.with_precision([&](auto zero) { compare<decltype(zero)>(session, options.matrix); });
}

}  // namespace

void add_formats(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(root, "formats", "The formats; with a matrix, what each would need for it",
                                        [=, &session] { run(session, *options); });
  command.option("M", options->matrix, matrix_help);
  command.option("--explain", options->explain, "Draw the layout of this format and list its settings");
}

}  // namespace heddle
