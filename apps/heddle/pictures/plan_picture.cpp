#include "pictures/plan_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/figure.hpp"
#include "report/page.hpp"
#include "terminal/text.hpp"

namespace heddle {

namespace {

// Light, or dark as the system is; viewers that know no such question take the light one. hollow: what is predicted.
constexpr const char* style =
    "<style>svg { background: #ffffff } text { font: 13px sans-serif; fill: #1c2733 } .title { font-size: 15px } "
    ".chosen { font-weight: bold } .grid { stroke: #dddddd } circle, .span { stroke-width: 1.5 } "
    ".ours { stroke: #1d3f66; fill: #1d3f66 } .others { stroke: #7a93ad; fill: #7a93ad } .hollow { fill: #ffffff }\n"
    "@media (prefers-color-scheme: dark) { svg { background: #13161a } text { fill: #e4e7eb } "
    ".grid { stroke: #333a43 } .ours { stroke: #7db4f0; fill: #7db4f0 } .others { stroke: #64788f; fill: #64788f } "
    ".hollow { fill: #13161a } }</style>\n";
constexpr const char* ours = "ours";
constexpr const char* others = "others";

//  title
//  o predicted  * measured
//  sell sigma=1024      |      o--*      |
//  csr                  |      |   o *   |
//                      1 us         10 us
struct Frame {
  double left, top = 64, wide = 440, line = 22;
  std::size_t lines;
  report::Axis axis;

  double x(double seconds) const { return left + wide * std::clamp(axis.place(seconds), 0.0, 1.0); }
  double y(std::size_t row) const { return top + line * (static_cast<double>(row) + 0.5); }
  double bottom() const { return top + line * static_cast<double>(lines); }
};

Frame frame_for(const std::vector<const Candidate*>& shown) {
  double low = shown.front()->predicted_seconds, high = low;
  std::size_t longest = 0;
  for (const Candidate* c : shown) {
    for (const double seconds : {c->predicted_seconds, c->measured_seconds})
      if (seconds > 0) low = std::min(low, seconds), high = std::max(high, seconds);
    longest = std::max(longest, to_string(c->plan).size());
  }
  constexpr double letter = 8, air = 1.15;  // of the chosen plan, which is bold
  return {.left = 24 + letter * static_cast<double>(longest),
          .lines = shown.size(),
          .axis = report::make_axis(low / air, high * air, true)};
}

std::string text(double x, double y, const char* anchor, const std::string& words, const char* more = "") {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'{}>{}</text>\n", x, y, anchor, more,
                     report::escaped(words));
}

std::string dot(double x, double y, const char* whose, bool filled) {
  return fmt::format("<circle class='{}{}' cx='{:.1f}' cy='{:.1f}' r='4.5'/>\n", whose, filled ? "" : " hollow", x, y);
}

std::string scale(const Frame& f) {
  std::string svg;
  for (const double tick : f.axis.ticks) {
    const double x = f.x(tick);
    svg += fmt::format("<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' class='grid'/>\n", x, f.top, f.bottom());
    svg += text(x, f.bottom() + 17, "middle", as_seconds(tick));
  }
  return svg + text(f.left + f.wide / 2, f.bottom() + 37, "middle", "time of a product");
}

std::string legend(const Frame& f, bool measured) {
  const double y = 46;
  std::string svg = dot(f.left, y - 4, ours, false) + text(f.left + 10, y, "start", "predicted");
  if (measured) svg += dot(f.left + 96, y - 4, ours, true) + text(f.left + 106, y, "start", "measured");
  return svg;
}

std::string line_of(const Frame& f, std::size_t row, const Candidate& c, bool chosen) {
  const char* whose = chosen ? ours : others;
  const double y = f.y(row), predicted = f.x(c.predicted_seconds);
  std::string svg = text(f.left - 12, y + 4, "end", to_string(c.plan), chosen ? " class='chosen'" : "");
  if (c.measured_seconds > 0) {
    const double measured = f.x(c.measured_seconds);
    svg += fmt::format("<line class='span {}' x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}'/>\n", whose, predicted,
                       measured, y, y);
    svg += dot(measured, y, whose, true);
  }
  return svg + dot(predicted, y, whose, false);
}

}  // namespace

std::string candidates_svg(const std::string& title, const Choice& choice) {
  std::vector<const Candidate*> shown;
  bool measured = false;
  for (const Candidate& c : choice.candidates) {
    if (c.fits && c.predicted_seconds > 0) shown.push_back(&c);
    measured |= c.measured_seconds > 0;
  }
  if (shown.empty()) shown.push_back(&choice.candidates.front());
  const Frame f = frame_for(shown);
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' height='{1:.0f}'>\n{2}",
      f.left + f.wide + 40, f.bottom() + 48, style);
  svg += text(16, 24, "start", title, " class='title'") + legend(f, measured) + scale(f);
  for (std::size_t row = 0; row < shown.size(); ++row)
    svg += line_of(f, row, *shown[row], shown[row]->plan == choice.plan);
  return svg + "</svg>\n";
}

}  // namespace heddle
