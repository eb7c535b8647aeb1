#include "report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page.hpp"

namespace heddle::report {

namespace {

// Of the drawing, in the units of the viewBox.
constexpr double width = 720, plot_left = 62, plot_right = width - 12, plot_top = 40, plot_height = 240;
constexpr double plot_bottom = plot_top + plot_height;

const char* colour(std::size_t series) {
  constexpr const char* roles[] = {"--ours", "--peer", "--chosen", "--other", "--soft", "--bad"};
  return roles[series % std::size(roles)];
}

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

double to_y(const Axis& axis, double value) {
  return plot_bottom - plot_height * std::clamp(axis.place(value), 0.0, 1.0);
}
double to_x(const Axis& axis, double value) {
  return plot_left + (plot_right - plot_left) * std::clamp(axis.place(value), 0.0, 1.0);
}

std::string label(double x, double y, const char* anchor, const std::string& text, const std::string& more = {}) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escaped(text));
}

std::string horizontal(double y, const char* look) {
  return fmt::format("<line {} x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", look, plot_left,
                     plot_right, y, y);
}

std::string grid(const Figure& figure, const Axis& y) {
  std::string svg;
  for (const double tick : y.ticks) {
    svg += horizontal(to_y(y, tick), "class=\"grid\"");
    svg += label(plot_left - 6, to_y(y, tick) + 4, "end", fmt::format("{:g}", tick));
  }
  svg += horizontal(plot_bottom, "class=\"axis\"");
  if (std::isfinite(figure.reference))
    svg += horizontal(to_y(y, figure.reference), "stroke=\"var(--ink)\" stroke-dasharray=\"5 4\"");
  return svg + label(14, plot_top + plot_height / 2, "middle", figure.y_label,
                     fmt::format(" transform=\"rotate(-90 14 {})\"", plot_top + plot_height / 2));
}

std::string legend(const Figure& figure) {
  if (figure.series.size() < 2) return {};
  std::string svg;
  double x = plot_left;
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const std::string& name = figure.series[s].name;
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"14\" width=\"11\" height=\"11\" fill=\"var({})\"/>\n", x, colour(s));
    svg += label(x + 16, 24, "start", name);
    x += 34 + 6.6 * static_cast<double>(name.size());
  }
  return svg;
}

std::string bars(const Figure& figure, const Axis& y) {
  std::string svg;
  const double group =
      (plot_right - plot_left) / static_cast<double>(std::max<std::size_t>(1, figure.categories.size()));
  const double bar = 0.8 * group / static_cast<double>(std::max<std::size_t>(1, figure.series.size()));
  const double foot = to_y(y, y.logarithmic ? y.low : 0);
  for (std::size_t s = 0; s < figure.series.size(); ++s)
    for (std::size_t c = 0; c < std::min(figure.categories.size(), figure.series[s].y.size()); ++c) {
      const double value = figure.series[s].y[c];
      if (!std::isfinite(value)) continue;
      const double x = plot_left + static_cast<double>(c) * group + 0.1 * group + static_cast<double>(s) * bar;
      const double end = to_y(y, value);
      svg += fmt::format(
          "<rect class=\"mark\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "fill=\"var({})\"><title>{}, "
          "{}: {:.4g}</title></rect>\n",
          x, std::min(foot, end), std::max(1.0, 0.92 * bar), std::fabs(end - foot), colour(s),
          escaped(figure.categories[c]), escaped(figure.series[s].name), value);
    }
  for (std::size_t c = 0; c < figure.categories.size(); ++c) {
    const double x = plot_left + (static_cast<double>(c) + 0.5) * group, at = plot_bottom + 14;
    const bool slanted = figure.categories.size() > 6;
    svg += label(x, at, slanted ? "end" : "middle", figure.categories[c],
                 slanted ? fmt::format(" transform=\"rotate(-40 {:.1f} {:.1f})\"", x, at) : "");
  }
  return svg;
}

std::string lines(const Figure& figure, const Axis& y) {
  std::string svg;
  const Axis x = x_axis(figure);
  for (const double tick : x.ticks) svg += label(to_x(x, tick), plot_bottom + 16, "middle", fmt::format("{:g}", tick));
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Figure::Series& series = figure.series[s];
    std::string path, dots;
    for (std::size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
      if (!std::isfinite(series.x[k]) || !std::isfinite(series.y[k])) continue;
      const double px = to_x(x, series.x[k]), py = to_y(y, series.y[k]);
      path += fmt::format("{:.1f},{:.1f} ", px, py);
      dots += fmt::format(
          "<circle class=\"mark\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"var({})\"><title>{}: {:.4g}, "
          "{:.4g}</title></circle>\n",
          px, py, colour(s), escaped(series.name), series.x[k], series.y[k]);
    }
    svg += fmt::format("<polyline fill=\"none\" stroke=\"var({})\" stroke-width=\"1.5\" points=\"{}\"/>\n{}", colour(s),
                       path, dots);
  }
  return svg + label((plot_left + plot_right) / 2, plot_bottom + 36, "middle", figure.x_label);
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

double height_of(const Figure& figure) {
  std::size_t longest = 0;
  for (const std::string& name : figure.categories) longest = std::max(longest, name.size());
  const bool slanted = figure.categories.size() > 6;
  return plot_bottom + (slanted ? 26 + 4.6 * static_cast<double>(longest) : 46);
}

std::string drawing(const Figure& figure) {
  const Axis y = y_axis(figure);
  return legend(figure) + grid(figure, y) + (figure.kind == Figure::Kind::bars ? bars(figure, y) : lines(figure, y));
}

}  // namespace

std::string to_svg(const Figure& figure) {
  return fmt::format("<svg viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n", width,
                     height_of(figure), escaped(figure.title), drawing(figure));
}

std::string to_svg_file(const Figure& figure) {
  constexpr double for_title = 24;
  constexpr const char* light =
      "svg { --ink: #1c2128; --soft: #5b6470; --line: #dfe3e8; --grid: #e9ecf0; --bad: #b3372b; --ours: #2f72b8; "
      "--chosen: #0a9a72; --peer: #d9822b; --other: #8a6bb1; background: #ffffff; } text { font: 12px sans-serif; "
      "fill: "
      "#5b6470; } .axis { stroke: #dfe3e8; } .grid { stroke: #e9ecf0; }";
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {} {} {:.0f}\">\n<style>{}</style>\n{}{}</svg>\n",
      -for_title, width, height_of(figure) + for_title, light, label(plot_left, -8, "start", figure.title),
      drawing(figure));
}

}  // namespace heddle::report
