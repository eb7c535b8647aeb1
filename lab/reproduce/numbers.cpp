#include "reproduce/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/stopwatch.hpp"

namespace heddle::reproduce {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Numbers those_present(const Numbers& values) {
  Numbers found;
  std::copy_if(values.begin(), values.end(), std::back_inserter(found), [](double v) { return std::isfinite(v); });
  return found;
}

Numbers ranks(const Numbers& values) {
  Numbers rank(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    double below = 0, same = 0;
    for (const double other : values) below += other < values[i], same += other == values[i];
    rank[i] = below + (same + 1) / 2;
  }
  return rank;
}

double correlation(const Numbers& a, const Numbers& b) {
  const double mean_a = mean(a), mean_b = mean(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : missing;
}

}  // namespace

double mean(const Numbers& values) {
  double sum = 0;
  const Numbers found = those_present(values);
  for (const double value : found) sum += value;
  return found.empty() ? missing : sum / static_cast<double>(found.size());
}

double geometric_mean(const Numbers& values) {
  Numbers logarithms;
  for (const double value : those_present(values))
    if (value > 0) logarithms.push_back(std::log(value));
  return logarithms.empty() ? missing : std::exp(mean(logarithms));
}

double median(const Numbers& values) {
  const Numbers found = those_present(values);
  return found.empty() ? missing : heddle::median(found);
}

double largest(const Numbers& values) {
  const Numbers found = those_present(values);
  return found.empty() ? missing : *std::max_element(found.begin(), found.end());
}

double smallest(const Numbers& values) {
  const Numbers found = those_present(values);
  return found.empty() ? missing : *std::min_element(found.begin(), found.end());
}

std::size_t present(const Numbers& values) { return those_present(values).size(); }

std::size_t count_above(const Numbers& values, double limit) {
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](double v) { return v > limit; }));
}

double rank_correlation(const Numbers& a, const Numbers& b) {
  Numbers whole_a, whole_b;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::isfinite(a[i]) && std::isfinite(b[i])) whole_a.push_back(a[i]), whole_b.push_back(b[i]);
  return whole_a.size() < 3 ? missing : correlation(ranks(whole_a), ranks(whole_b));
}

// The normal equations of three unknowns, by elimination.
Fit3 fit(const std::vector<Fit3>& rows, const Numbers& values) {
  double m[3][4] = {};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(values[i]) || values[i] <= 0) continue;
    const double weight = 1 / (values[i] * values[i]);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) m[a][b] += weight * rows[i].c[a] * rows[i].c[b];
      m[a][3] += weight * rows[i].c[a] * values[i];
    }
  }
  for (int pivot = 0; pivot < 3; ++pivot)
    for (int row = 0; row < 3; ++row) {
      if (row == pivot) continue;
      const double factor = m[row][pivot] / m[pivot][pivot];
      for (int column = 0; column < 4; ++column) m[row][column] -= factor * m[pivot][column];
    }
  return {{m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]}};
}

std::string fixed(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "-";
}
std::string percent(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f} %", value, decimals) : "-";
}
std::string micro(double seconds) { return fixed(seconds * 1e6, 1); }

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  const int before = value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(digits - before, 0, 12));
}

std::string grouped(long long count) {
  std::string text = fmt::format("{}", count);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > (count < 0 ? 1 : 0); at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

}  // namespace heddle::reproduce
