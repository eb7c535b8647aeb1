#include "report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "report/page.hpp"

namespace heddle::report {

namespace {

// In the units of the viewBox. The drawing is narrow so that its letters have 11.5 pixels where it is 400 pixels wide.
constexpr double width = 520, plot_right = width - 18, plot_height = 220, letters = 15;
constexpr double letter_width = 8.4, line_height = 22;  // of these letters: about the mean, and enough
constexpr double plot_left = 66;

constexpr const char* roles[] = {"--ours", "--peer", "--chosen", "--other", "--soft", "--bad"};
const char* colour(std::size_t series) { return roles[series % std::size(roles)]; }
// Of lines: where colours come back, they are dashed.
const char* dashes(std::size_t series) { return series < std::size(roles) ? "" : " stroke-dasharray=\"6 3\""; }

double length_of(const std::string& text) { return letter_width * static_cast<double>(text.size()); }
// Names of bars that would touch each other, or the next ones.
bool is_slanted(const Figure& figure) {
  const double room = 440 / static_cast<double>(std::max<std::size_t>(1, figure.categories.size()));
  return figure.categories.size() > 6 || std::any_of(figure.categories.begin(), figure.categories.end(),
                                                     [&](const std::string& name) { return length_of(name) > room; });
}

// How names of bars stand, in degrees: so steep that one line of letters fits between two of them.
struct Slant {
  double degrees = 40, cos = 0.766, sin = 0.643;

  explicit Slant(const Figure& figure) {
    const double apart =
        (plot_right - plot_left) / static_cast<double>(std::max<std::size_t>(1, figure.categories.size()));
    if (apart * sin < letters + 1) degrees = 60, cos = 0.5, sin = 0.866;
  }
};

struct Place {
  double x, y;
};

// A place for each series, row by row.
std::vector<Place> legend_places(const Figure& figure) {
  constexpr double left = plot_left, swatch = 16, gap = 20;
  std::vector<Place> places;
  if (figure.series.size() < 2) return places;
  Place next{left, 14};
  for (const Figure::Series& series : figure.series) {
    const double wide = swatch + length_of(series.name);
    if (next.x > left && next.x + wide > plot_right) next = {left, next.y + line_height};
    places.push_back(next);
    next.x += wide + gap;
  }
  return places;
}

// Where axes lie: below the legend, and far enough right for the names of the first bars.
struct Frame {
  double left = plot_left, top = 14, bottom = 0;

  explicit Frame(const Figure& figure) {
    const std::vector<Place> legend = legend_places(figure);
    if (!legend.empty()) top = legend.back().y + 28;
    bottom = top + plot_height;
    if (!is_slanted(figure)) return;
    const Slant slant(figure);
    for (std::size_t c = 0; c < figure.categories.size(); ++c) {
      const double share = (static_cast<double>(c) + 0.5) / static_cast<double>(figure.categories.size());
      left = std::max(left, (slant.cos * length_of(figure.categories[c]) - share * plot_right) / (1 - share));
    }
  }
  double y(const Axis& axis, double value) const {
    return bottom - plot_height * std::clamp(axis.place(value), 0.0, 1.0);
  }
  double x(const Axis& axis, double value) const {
    return left + (plot_right - left) * std::clamp(axis.place(value), 0.0, 1.0);
  }
};

struct Range {
  double low = INFINITY, high = -INFINITY;
  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value), high = std::max(high, value);
  }
  bool empty() const { return !(low <= high); }
};

Axis y_axis(const Figure& figure) {
  Range range;
  for (const Figure::Series& series : figure.series)
    for (const double y : series.y)
      if (!figure.logarithmic_y || y > 0) range.include(y);
  range.include(figure.reference);
  if (!figure.logarithmic_y && figure.kind == Figure::Kind::bars) range.include(0);
  if (range.empty()) range = {0, 1};
  return make_axis(range.low, range.high, figure.logarithmic_y);
}

Axis x_axis(const Figure& figure) {
  Range range;
  for (const Figure::Series& series : figure.series)
    for (const double x : series.x)
      if (!figure.logarithmic_x || x > 0) range.include(x);
  if (range.empty()) range = {0, 1};
  return make_axis(range.low, range.high, figure.logarithmic_x);
}

std::string label(double x, double y, const char* anchor, const std::string& text, const std::string& more = {}) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(text));
}

std::string horizontal(const Frame& frame, double y, const char* look) {
  return fmt::format("<line {} x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", look, frame.left,
                     plot_right, y, y);
}

std::string tick_text(double tick) {
  const double size = std::fabs(tick);
  return size >= 1e6   ? fmt::format("{:g} M", tick / 1e6)
         : size >= 1e4 ? fmt::format("{:g} k", tick / 1e3)
                       : fmt::format("{:g}", tick);
}

std::string grid(const Figure& figure, const Frame& frame, const Axis& y) {
  std::string svg;
  for (const double tick : y.ticks) {
    svg += horizontal(frame, frame.y(y, tick), "class=\"grid\"");
    svg += label(frame.left - 6, frame.y(y, tick) + 5, "end", tick_text(tick));
  }
  svg += horizontal(frame, frame.bottom, "class=\"axis\"");
  if (std::isfinite(figure.reference))
    svg += horizontal(frame, frame.y(y, figure.reference), "stroke=\"var(--ink)\" stroke-dasharray=\"5 4\"");
  const double middle = (frame.top + frame.bottom) / 2;
  return svg + label(15, middle, "middle", figure.y_label, fmt::format(" transform=\"rotate(-90 15 {})\"", middle));
}

std::string legend(const Figure& figure) {
  std::string svg;
  const std::vector<Place> places = legend_places(figure);
  for (std::size_t s = 0; s < places.size(); ++s) {
    const auto [x, y] = places[s];
    svg += figure.kind == Figure::Kind::bars
               ? fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"11\" height=\"11\" fill=\"var({})\"/>\n", x, y,
                             colour(s))
               : fmt::format(
                     "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"var({})\" "
                     "stroke-width=\"3\"{}/>\n",
                     x - 4, x + 12, y + 6, y + 6, colour(s), dashes(s));
    svg += label(x + 16, y + 11, "start", figure.series[s].name);
  }
  return svg;
}

std::string bars(const Figure& figure, const Frame& frame, const Axis& y) {
  std::string svg;
  const double group =
      (plot_right - frame.left) / static_cast<double>(std::max<std::size_t>(1, figure.categories.size()));
  const double bar = 0.8 * group / static_cast<double>(std::max<std::size_t>(1, figure.series.size()));
  const double foot = frame.y(y, y.logarithmic ? y.low : 0);
  for (std::size_t s = 0; s < figure.series.size(); ++s)
    for (std::size_t c = 0; c < std::min(figure.categories.size(), figure.series[s].y.size()); ++c) {
      const double value = figure.series[s].y[c];
      if (!std::isfinite(value)) continue;
      const double x = frame.left + static_cast<double>(c) * group + 0.1 * group + static_cast<double>(s) * bar;
      const double end = frame.y(y, value);
      svg += fmt::format(
          "<rect class=\"mark\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "fill=\"var({})\"><title>{}, "
          "{}: {:.4g}</title></rect>\n",
          x, std::min(foot, end), std::max(1.0, 0.92 * bar), std::fabs(end - foot), colour(s),
          escaped(figure.categories[c]), escaped(figure.series[s].name), value);
    }
  const bool slanted = is_slanted(figure);
  const Slant slant(figure);
  for (std::size_t c = 0; c < figure.categories.size(); ++c) {
    const double x = frame.left + (static_cast<double>(c) + 0.5) * group, at = frame.bottom + 17;
    svg += label(x, at, slanted ? "end" : "middle", figure.categories[c],
                 slanted ? fmt::format(" transform=\"rotate({} {:.1f} {:.1f})\"", -slant.degrees, x, at) : "");
  }
  return svg;
}

std::string lines(const Figure& figure, const Frame& frame, const Axis& y) {
  std::string svg;
  const Axis x = x_axis(figure);
  for (const double tick : x.ticks) svg += label(frame.x(x, tick), frame.bottom + 19, "middle", tick_text(tick));
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Figure::Series& series = figure.series[s];
    std::string path, dots;
    for (std::size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
      if (!std::isfinite(series.x[k]) || !std::isfinite(series.y[k])) continue;
      const double px = frame.x(x, series.x[k]), py = frame.y(y, series.y[k]);
      path += fmt::format("{:.1f},{:.1f} ", px, py);
      dots += fmt::format(
          "<circle class=\"mark\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"var({})\"><title>{}: {:.4g}, "
          "{:.4g}</title></circle>\n",
          px, py, colour(s), escaped(series.name), series.x[k], series.y[k]);
    }
    svg += fmt::format("<polyline fill=\"none\" stroke=\"var({})\" stroke-width=\"1.5\"{} points=\"{}\"/>\n{}",
                       colour(s), dashes(s), path, dots);
  }
  return svg + label((frame.left + plot_right) / 2, frame.bottom + 42, "middle", figure.x_label);
}

void add_linear_ticks(Axis& axis) {
  const double rough = (axis.high - axis.low) / 5, power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power >= rough) step = factor * power;
  axis.low = std::floor(axis.low / step + 1e-9) * step;
  axis.high = std::ceil(axis.high / step - 1e-9) * step;
  for (double tick = axis.low; tick <= axis.high + step / 2; tick += step)
    axis.ticks.push_back(std::fabs(tick) < step / 2 ? 0 : tick);
}

void add_logarithmic_ticks(Axis& axis) {
  axis.low = std::pow(10, std::floor(std::log10(axis.low) + 1e-9));
  axis.high = std::pow(10, std::ceil(std::log10(axis.high) - 1e-9));
  if (axis.high <= axis.low) axis.high = 10 * axis.low;
  const bool few = axis.high / axis.low < 1000;
  for (double power = axis.low; power <= axis.high * 1.001; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0})
      if ((few || factor == 1) && factor * power <= axis.high * 1.001) axis.ticks.push_back(factor * power);
}

}  // namespace

double Axis::place(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  return value > 0 ? std::log(value / low) / std::log(high / low) : 0;
}

Axis make_axis(double low, double high, bool logarithmic) {
  if (logarithmic && !(low > 0)) low = high > 0 ? high / 10 : 1;
  Axis axis{.low = low, .high = high > low ? high : low + (low == 0 ? 1 : std::fabs(low)), .logarithmic = logarithmic};
  logarithmic ? add_logarithmic_ticks(axis) : add_linear_ticks(axis);
  return axis;
}

namespace {

double height_of(const Figure& figure, const Frame& frame) {
  double names = 0;
  for (const std::string& name : figure.categories) names = std::max(names, length_of(name));
  return frame.bottom + (is_slanted(figure) ? 30 + Slant(figure).sin * names : 52);
}

std::string drawing(const Figure& figure, const Frame& frame) {
  const Axis y = y_axis(figure);
  return legend(figure) + grid(figure, frame, y) +
         (figure.kind == Figure::Kind::bars ? bars(figure, frame, y) : lines(figure, frame, y));
}

// Words in lines as long as the drawing is wide.
std::vector<std::string> wrapped(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> lines;
  for (std::string word; words >> word;)
    if (lines.empty() || length_of(lines.back() + ' ' + word) > plot_right - 12)
      lines.push_back(word);
    else
      lines.back() += ' ' + word;
  return lines;
}

// The colours of page.css, and its dark ones.
constexpr const char* colours =
    "svg { --ink: #1c2128; --soft: #5b6470; --line: #dfe3e8; --grid: #e9ecf0; --bad: #b3372b; --ours: #2f72b8; "
    "--chosen: #0a9a72; --peer: #d9822b; --other: #8a6bb1; background: #ffffff; } "
    "@media (prefers-color-scheme: dark) { svg { --ink: #e4e7eb; --soft: #98a2ae; --line: #333a43; --grid: #272d35; "
    "--bad: #f08a7c; --ours: #5a9de0; --chosen: #35c79c; --peer: #f0a04b; --other: #b394dc; background: #13161a; } } "
    "text { fill: var(--soft); } .title { fill: var(--ink); } .axis { stroke: var(--line); } "
    ".grid { stroke: var(--grid); }";

}  // namespace

std::string to_svg(const Figure& figure) {
  const Frame frame(figure);
  return fmt::format("<svg class=\"figure\" viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
                     width, height_of(figure, frame), escaped(figure.title), drawing(figure, frame));
}

std::string to_svg_file(const Figure& figure) {
  const Frame frame(figure);
  const std::vector<std::string> title = wrapped(figure.title);
  const double for_title = 10 + line_height * static_cast<double>(title.size());
  std::string head;
  for (std::size_t k = 0; k < title.size(); ++k)
    head += label(12, 18 - for_title + line_height * static_cast<double>(k), "start", title[k], " class=\"title\"");
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {} {} {:.0f}\">\n<style>{} text {{ font: {}px "
      "sans-serif; }}</style>\n{}{}</svg>\n",
      -for_title, width, height_of(figure, frame) + for_title, colours, letters, head, drawing(figure, frame));
}

}  // namespace heddle::report
