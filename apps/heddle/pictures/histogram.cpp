#include "pictures/histogram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "terminal/text.hpp"

namespace heddle {

namespace {

std::string bin_label(std::size_t bin) {
  if (bin < 2) return std::to_string(bin);
  const std::int64_t low = std::int64_t{1} << (bin - 1);
  return fmt::format("{} - {}", with_commas(low), with_commas(2 * low - 1));
}

// A row count above zero shows at least the thinnest bar.
std::string bar(double share, int width, bool unicode) {
  if (share <= 0) return {};
  if (!unicode) return std::string(std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(share * width))), '#');
  constexpr std::array eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int parts = std::max(1, static_cast<int>(std::lround(share * width * 8)));
  std::string text;
  for (int i = 0; i < parts / 8; ++i) text += "█";
  return text + eighths[static_cast<std::size_t>(parts % 8)];
}

}  // namespace

std::string histogram_text(const RowLengths& lengths, const Terminal& terminal) {
  const auto& bins = lengths.histogram;
  const auto used = [](std::int64_t rows) { return rows > 0; };
  const auto first = static_cast<std::size_t>(std::find_if(bins.begin(), bins.end(), used) - bins.begin());
  if (first == bins.size()) return "  (no rows)\n";
  const auto last =
      bins.size() - static_cast<std::size_t>(std::find_if(bins.rbegin(), bins.rend(), used) - bins.rbegin());
  const auto most = static_cast<double>(*std::max_element(bins.begin(), bins.end()));
  constexpr int label_width = 21, count_width = 14;
  const int room = std::clamp(terminal.width - label_width - count_width - 4, 8, 48);
  std::string text = terminal.faint(fmt::format("{:>{}}{:>{}}", "entries in a row", label_width, "rows", count_width));
  text += '\n';
  for (std::size_t bin = first; bin < last; ++bin) {
    const std::string drawn = bar(static_cast<double>(bins[bin]) / most, room, terminal.unicode);
    text += fmt::format("{:>{}}{:>{}}", bin_label(bin), label_width, with_commas(bins[bin]), count_width);
    text += drawn.empty() ? "\n" : "  " + terminal.accent(drawn) + '\n';
  }
  return text;
}

Json lengths_json(const RowLengths& lengths) {
  Json bins = Json::array();
  for (std::size_t bin = 0; bin < lengths.histogram.size(); ++bin) {
    const std::int64_t from = bin == 0 ? 0 : std::int64_t{1} << (bin - 1);
    bins.push_back({{"from", from}, {"to", bin == 0 ? 0 : 2 * from - 1}, {"rows", lengths.histogram[bin]}});
  }
  return {{"min", lengths.min}, {"mean", lengths.mean},   {"max", lengths.max},          {"stddev", lengths.stddev},
          {"cv", lengths.cv},   {"empty", lengths.empty}, {"histogram", std::move(bins)}};
}

}  // namespace heddle
