// heddle model M: where the time of a product goes by paper 5's pass model and its kernel without x, and what
// reordering, short columns and cache hints would change.
#include <cmath>

#include "commands/commands.hpp"
#include "reproduce/papers/matrix_model.hpp"
#include "session/load.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

using reproduce::MatrixModel;
using reproduce::SplitTimes;
using reproduce::TimeSplit;
using reproduce::Variant;

struct Options {
  std::string matrix;
  double seconds = 0.05;
};

Json split_json(const TimeSplit& times) {
  return {{"t_all", times.all}, {"t_pseudo", times.without_x}, {"x_share", times.x_share()}};
}

Json variant_json(const Variant& variant, const SplitTimes& base) {
  Json json{{"what", variant.what}, {"applies", variant.inapplicable.empty()}};
  if (!variant.inapplicable.empty()) {
    json["reason"] = variant.inapplicable;
    return json;
  }
  json["warm"] = split_json(variant.times.warm);
  json["cold"] = split_json(variant.times.cold);
  json["gain_warm"] = base.warm.all / variant.times.warm.all;
  json["gain_cold"] = base.cold.all / variant.times.cold.all;
  return json;
}

void put_json(Session& session, const MatrixModel& model) {
  Json& document = session.json();
  document["precision"] = session.precision();
  document["width"] = model.width;
  document["longest"] = model.longest;
  document["entries_share"] = model.entries;
  document["model"] = {{"D0", model.passes.D0},
                       {"D1", model.passes.D1},
                       {"D2", model.passes.D2},
                       {"resident", model.passes.resident},
                       {"passes", model.number_of_passes()}};
  document["t_pseudo"] = {{"predicted", model.predicted},
                          {"predicted_ellpack", model.predicted_ellpack},
                          {"measured_cold", model.times().cold.without_x},
                          {"measured_warm", model.times().warm.without_x}};
  document["bandwidth"] = {{"as_it_is", model.bandwidth}, {"rcm", model.rcm_bandwidth}};
  for (const Variant& variant : model.variants) document["variants"].push_back(variant_json(variant, model.times()));
  document["hints"] = {{"gain_warm", model.hints_warm}, {"gain_cold", model.hints_cold}};
}

std::string share(double value) { return std::isfinite(value) ? fmt::format("{:.0f} %", 100 * value) : "-"; }
std::string factor(double value) { return std::isfinite(value) ? fmt::format("{:.2f}x", value) : "-"; }

void print_model(Session& session, const MatrixModel& model) {
  const double measured = model.times().cold.without_x;
  session.print("\n  model     {} + {} for each further pass + {} for each column of a pass of {} rows\n",
                as_seconds(model.passes.D0), as_seconds(model.passes.D1), as_seconds(model.passes.D2),
                with_commas(model.passes.resident));
  session.print("  rows      {:.2f} passes, {:.1f} entries a row of those worked on at once; the longest row has {}\n",
                model.number_of_passes(), model.width, with_commas(model.longest));
  if (model.entries < 1)
    session.print("  entries   {} of them: rows are cut where padding would exceed threefold\n", share(model.entries));
  session.print("  t_pseudo  predicted {}, measured {} ({:+.0f} %); as ELLPACK, every row like the longest, {}\n",
                as_seconds(model.predicted), as_seconds(measured), 100 * (model.predicted / measured - 1),
                as_seconds(model.predicted_ellpack));
}

// Caches evicted before every product, and warm.
void print_variants(Session& session, const MatrixModel& model) {
  Table table({{"", Align::left},
               {"t_pseudo"},
               {"t_all"},
               {"x"},
               {"gain"},
               {"t_all, warm"},
               {"x"},
               {"gain"},
               {"", Align::left}});
  for (const Variant& variant : model.variants) {
    if (!variant.inapplicable.empty()) {
      table.add({variant.what, "-", "-", "-", "-", "-", "-", "-", variant.inapplicable});
      continue;
    }
    const auto& [warm, cold] = variant.times;
    table.add({variant.what, as_seconds(cold.without_x), as_seconds(cold.all), share(cold.x_share()),
               factor(model.times().cold.all / cold.all), as_seconds(warm.all), share(warm.x_share()),
               factor(model.times().warm.all / warm.all), ""});
  }
  session.print("\n{}", table.text(session.terminal()));
  session.print("\n  RCM       bandwidth {}, {} after it\n", with_commas(model.bandwidth),
                with_commas(model.rcm_bandwidth));
  if (std::isfinite(model.hints_warm))
    session.print("  hints     loads of the matrix past the L1, which all times above have, give {} warm, {} cold\n",
                  factor(model.hints_warm), factor(model.hints_cold));
  else
    session.print("  hints     none on this device\n");
}

void run(Session& session, const Options& options) {
  Loaded<double> loaded = load<double>(session, options.matrix);
  session.json()["matrix"] = matrix_json(loaded);
  session.print("{}, {}\n", session.terminal().bold(headline(loaded)), session.precision());
  reproduce::Lab lab(
      {.device = session.device(), .seconds = options.seconds, .stopped = [] { return Interruptible::signal() != 0; }});
  const Interruptible until_asked;
  const reproduce::Matrix& matrix = lab.made(loaded.facts.name, options.matrix, [&] { return std::move(loaded.A); });
  const auto precision = session.single_precision() ? reproduce::Precision::f32 : reproduce::Precision::f64;
  const MatrixModel model = reproduce::model_of(lab, matrix, precision);
  put_json(session, model);
  session.json()["interrupted"] = Interruptible::signal() != 0;
  if (Interruptible::signal() != 0) session.note("stopped by a signal: what was not measured is left out");
  print_model(session, model);
  print_variants(session, model);
}

}  // namespace

void add_model(Command root, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = session.add_command(
      root, "model", "Where a product's time goes: matrix or x; what RCM, 16-bit columns and cache hints would give",
      [=, &session] { run(session, *options); });
  command.option("M", options->matrix, matrix_help).required();
  command.option("--seconds", options->seconds, "Time for each measurement")
      .check(number_from(0, 3600))
      .shows_default();
  command.footer(
      "t_pseudo is the time of a product that reads a constant in the place of x; what is left of t_all is x.\n"
      "The pass model is fitted on this device first, with artificial matrices. A lane of a GPU takes a row; a CPU "
      "takes\n"
      "one row after another. Not the fastest kernels: those of paper 5, to see where time goes.");
}

}  // namespace heddle
