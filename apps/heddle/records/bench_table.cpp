#include "records/bench_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/compare.hpp"
#include "terminal/table.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

using bench::Result;

using bench::Side;
using bench::Time;
using bench::time_of;

std::string number_or_dash(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "-";
}

std::string ratio_cell(double ratio, const Terminal& terminal) {
  if (!std::isfinite(ratio) || ratio <= 0) return "-";  // 0: this line has no time
  const std::string text = fmt::format("{:.2f}x", ratio);
  return ratio >= 1 ? terminal.good(text) : terminal.bad(text);
}

std::string count_cell(double count) {
  if (std::isnan(count)) return "-";
  return std::isinf(count) ? "never" : with_commas(static_cast<std::int64_t>(count));
}

}  // namespace

std::string bench_table(const std::vector<Result>& results, const std::string& chosen, bool cold,
                        const Terminal& terminal) {
  std::vector<Table::Column> columns{{"plan or peer", Align::left}, {"time"}, {"spread"}};
  const auto any = [&](double Result::*number) {
    return std::any_of(results.begin(), results.end(), [&](const Result& r) { return std::isfinite(r.*number); });
  };
  const bool calls = any(&Result::call_seconds), energy = any(&Result::joules);
  if (cold) columns.push_back({"cold"});
  if (calls) columns.push_back({"call"});
  if (energy) columns.insert(columns.end(), {{"energy"}, {"power"}});
  for (const char* title : {"predicted", "GFLOP/s", "GB/s", "roofline", "build", "pays after", "error", "ratio"})
    columns.push_back({title});
  columns.push_back({"", Align::left});
  Table table(columns);

  std::vector<Result> sorted = results;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Result& a, const Result& b) { return time_of(a) < time_of(b); });
  const Result* best_peer = bench::fastest(results, Side::peers, &Result::seconds);
  const double peer = best_peer ? best_peer->seconds : INFINITY;
  const auto note = [&](const Result& r) {
    if (!r.ok()) return terminal.bad(r.status);
    return std::string(r.peer.empty() && r.plan == chosen ? "chosen" : "");
  };
  for (const Result& r : sorted) {
    const auto percent = [](double share) { return std::isfinite(share) ? fmt::format("{:.0f} %", 100 * share) : "-"; };
    std::vector<std::string> cells{r.peer.empty() ? r.plan : terminal.accent(r.peer), as_seconds(r.seconds),
                                   percent(r.spread)};
    if (cold) cells.push_back(as_seconds(r.cold_seconds));
    if (calls) cells.push_back(as_seconds(r.call_seconds));
    if (energy) cells.insert(cells.end(), {as_joules(r.joules), number_or_dash(r.watts, 0) + " W"});
    cells.insert(cells.end(), {as_seconds(r.predicted_seconds), number_or_dash(r.gflops, 2), number_or_dash(r.gbps, 1),
                               percent(r.roofline), as_seconds(r.build_seconds), count_cell(r.break_even_csr),
                               std::isfinite(r.max_error) ? fmt::format("{:.0e}", r.max_error) : "-",
                               ratio_cell(peer / time_of(r), terminal), note(r)});
    table.add(std::move(cells));
  }
  return table.text(terminal);
}

std::string bench_verdict(const std::vector<Result>& results, bool cold) {
  std::string text;
  const std::pair<const char*, Time> lines[] = {
      {"warm", &Result::seconds}, {"cold", &Result::cold_seconds}, {"with the call", &Result::call_seconds}};
  for (const auto& [name, time] : lines) {
    const Result *peer = bench::fastest(results, Side::peers, time), *plan = bench::fastest(results, Side::plans, time);
    if (peer == nullptr || plan == nullptr || (time == &Result::cold_seconds && !cold)) continue;
    text += fmt::format("{}: best peer {} {}, best plan {} {}: {:.2f}x\n", name, peer->peer, as_seconds(peer->*time),
                        plan->plan, as_seconds(plan->*time), peer->*time / plan->*time);
  }
  return text;
}

std::string bench_bound(const bench::Bound& bound, const std::vector<Result>& results, const std::string& chosen,
                        bool cold) {
  const auto plan =
      std::find_if(results.begin(), results.end(), [&](const Result& r) { return r.ok() && r.plan == chosen; });
  if (plan == results.end()) return {};
  std::string text = fmt::format("physical bound: warm {}, chosen plan at {:.0f} %", as_seconds(bound.seconds),
                                 100 * bound.seconds / plan->seconds);
  if (cold)
    text += fmt::format("; cold {}, chosen plan at {:.0f} %", as_seconds(bound.cold_seconds),
                        100 * bound.cold_seconds / plan->cold_seconds);
  return text + '\n';
}

}  // namespace heddle
