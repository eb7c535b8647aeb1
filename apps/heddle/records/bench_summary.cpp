#include <algorithm>
#include <cmath>
#include <set>

#include "records/bench_record.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

struct Named {
  double value = 0;
  std::string name;
  friend bool operator<(const Named& a, const Named& b) { return a.value < b.value; }
};

double seconds_of(const Json& result) {
  return result["status"] == "ok" && result["seconds"].is_number() ? result["seconds"].get<double>() : INFINITY;
}

// Time of the fastest peer over that of the chosen plan; NaN where one of them is missing.
double gain_of(const Json& record) {
  double peer = INFINITY, chosen = INFINITY;
  for (const Json& result : record["results"]) {
    if (result["peer"].is_string())
      peer = std::min(peer, seconds_of(result));
    else if (result["plan"] == record["chosen"])
      chosen = std::min(chosen, seconds_of(result));
  }
  return peer / chosen > 0 ? peer / chosen : NAN;
}

std::string gains_line(std::vector<Named> gains) {
  if (gains.empty()) return {};
  double logarithms = 0;
  int faster = 0;
  for (const Named& gain : gains) {
    logarithms += std::log(gain.value);
    faster += gain.value >= 1;
  }
  const Named worst = *std::min_element(gains.begin(), gains.end());
  return fmt::format("best peer / chosen plan: geometric mean {:.2f}x, faster on {} of {}, worst {:.2f}x ({})",
                     std::exp(logarithms / static_cast<double>(gains.size())), faster, gains.size(), worst.value,
                     worst.name);
}

// Of the lines with a time those whose measurements lie far apart; empty where they are few.
std::string noise_line(const std::vector<Json>& records, const std::string& precision) {
  constexpr double noisy = 0.3, worth_a_word = 0.1;
  int lines = 0, far_apart = 0;
  for (const Json& record : records) {
    if (record.value("precision", "") != precision) continue;
    for (const Json& result : record["results"]) {
      if (!std::isfinite(seconds_of(result)) || !result["spread"].is_number()) continue;
      ++lines;
      far_apart += result["spread"].get<double>() > noisy;
    }
  }
  if (far_apart <= worth_a_word * lines) return {};
  return fmt::format(
      "measurements spread by more than {:.0f} % on {} of {} lines: a busy machine, or too short (--seconds)",
      100 * noisy, far_apart, lines);
}

std::string regrets_line(std::vector<Named> regrets) {
  if (regrets.empty()) return {};
  std::sort(regrets.begin(), regrets.end());
  return fmt::format("chosen plan against the fastest: median {:.0f} % longer, worst {:.0f} % ({})",
                     100 * regrets[regrets.size() / 2].value, 100 * regrets.back().value, regrets.back().name);
}

}  // namespace

std::string bench_summary(const std::vector<Json>& records) {
  std::string text;
  std::set<std::string> precisions;
  for (const Json& record : records) precisions.insert(record.value("precision", ""));
  for (const std::string& precision : precisions) {
    std::vector<Named> gains, regrets;
    for (const Json& record : records) {
      if (record.value("precision", "") != precision || precision.empty()) continue;
      if (const double gain = gain_of(record); std::isfinite(gain))
        gains.push_back({gain, printable(record["name"].get<std::string>())});
      if (record["regret"].is_number())
        regrets.push_back({record["regret"], printable(record["name"].get<std::string>())});
    }
    for (const std::string& line : {gains_line(gains), regrets_line(regrets), noise_line(records, precision)})
      if (!line.empty()) text += fmt::format("{}: {}\n", precision, line);
  }
  return text;
}

}  // namespace heddle
