#include "bench_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "table.hpp"
#include "text.hpp"

namespace heddle {

namespace {

using bench::Result;

using Time = double Result::*;

double time_key(const Result& r, Time time = &Result::seconds) {
  return r.ok() && std::isfinite(r.*time) ? r.*time : INFINITY;
}

// The fastest peer or the fastest plan of ours; null when none has a time.
const Result* fastest(const std::vector<Result>& results, bool peer, Time time) {
  const Result* best = nullptr;
  for (const Result& r : results)
    if (r.peer.empty() != peer && std::isfinite(time_key(r, time)) &&
        (best == nullptr || time_key(r, time) < time_key(*best, time)))
      best = &r;
  return best;
}

std::string number_or_dash(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "-";
}

std::string ratio_cell(double ratio, const Terminal& terminal) {
  if (!std::isfinite(ratio)) return "-";
  const std::string text = fmt::format("{:.2f}x", ratio);
  return ratio >= 1 ? terminal.good(text) : terminal.bad(text);
}

// The way of RFC 4180: quoted where a comma, a quote or a line end makes it necessary, quotes doubled.
std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

}  // namespace

std::string bench_table(const std::vector<Result>& results, bool cold, const Terminal& terminal) {
  std::vector<Table::Column> columns{{"plan or peer", Align::left}, {"time"}, {"spread"}};
  if (cold) columns.push_back({"cold"});
  for (const char* title : {"GFLOP/s", "GB/s", "roofline", "build", "error", "ratio"}) columns.push_back({title});
  columns.push_back({"", Align::left});
  Table table(columns);

  std::vector<Result> sorted = results;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Result& a, const Result& b) { return time_key(a) < time_key(b); });
  const Result* best_peer = fastest(results, true, &Result::seconds);
  const double peer = best_peer ? best_peer->seconds : INFINITY;
  for (const Result& r : sorted) {
    const auto percent = [](double share) { return std::isfinite(share) ? fmt::format("{:.0f} %", 100 * share) : "-"; };
    std::vector<std::string> cells{r.peer.empty() ? r.plan : terminal.accent(r.peer), as_seconds(r.seconds),
                                   percent(r.spread)};
    if (cold) cells.push_back(as_seconds(r.cold_seconds));
    cells.insert(cells.end(),
                 {number_or_dash(r.gflops, 2), number_or_dash(r.gbps, 1), percent(r.roofline),
                  as_seconds(r.build_seconds), std::isfinite(r.max_error) ? fmt::format("{:.0e}", r.max_error) : "-",
                  ratio_cell(peer / time_key(r), terminal), r.ok() ? "" : terminal.bad(r.status)});
    table.add(std::move(cells));
  }
  return table.text(terminal);
}

std::string bench_verdict(const std::vector<Result>& results, bool cold) {
  std::string text;
  for (const Time time : {&Result::seconds, &Result::cold_seconds}) {
    const Result *peer = fastest(results, true, time), *plan = fastest(results, false, time);
    if (peer == nullptr || plan == nullptr || (time == &Result::cold_seconds && !cold)) continue;
    text += fmt::format("{}: best peer {} {}, best plan {} {}: {:.2f}x\n", time == &Result::seconds ? "warm" : "cold",
                        peer->peer, as_seconds(peer->*time), plan->plan, as_seconds(plan->*time),
                        peer->*time / plan->*time);
  }
  return text;
}

std::string bench_csv_header() {
  return "matrix,rows,cols,nnz,plan,peer,precision,seconds,spread,cold_seconds,gflops,bytes,gbps,roofline,"
         "build_seconds,max_error,status\n";
}

std::string bench_csv_rows(const BenchedMatrix& matrix, const std::vector<Result>& results) {
  std::string text;
  for (const Result& r : results)
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(matrix.name), matrix.rows,
                    matrix.cols, matrix.nnz, quoted(r.plan), quoted(r.peer), r.precision, csv_number(r.seconds),
                    csv_number(r.spread), csv_number(r.cold_seconds), csv_number(r.gflops), r.bytes, csv_number(r.gbps),
                    csv_number(r.roofline), csv_number(r.build_seconds), csv_number(r.max_error), quoted(r.status));
  return text;
}

}  // namespace heddle
