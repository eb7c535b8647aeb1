// Charts as static SVG, like a paper's figures: grouped bars and lines. No script; colours are the page's (page.css).
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace heddle::report {

// Bars: a group for every category. Lines: points (x, y), drawn in the order given. NaN: there is no such bar or point;
// a line goes on with the next one.
struct Figure {
  enum class Kind { bars, lines };
  struct Series {
    std::string name;
    std::vector<double> x, y;  // x: empty for bars
  };
  std::string title, x_label, y_label;
  Kind kind = Kind::bars;
  std::vector<std::string> categories;  // of bars
  std::vector<Series> series;
  bool logarithmic_x = false, logarithmic_y = false;            // x: of lines
  double reference = std::numeric_limits<double>::quiet_NaN();  // a dashed line: where both are equally good
};

std::string to_svg(const Figure& figure);
// The same as a file of its own, with its title, light or dark as the system is: the page's colours by name are defined
// in it.
std::string to_svg_file(const Figure& figure);

// An axis: its ends and the numbers that are written on it. Linear ticks are 1, 2 or 5 times a power of ten apart,
// logarithmic ones are 1, 2 and 5 times powers of ten or, over three decades and more, powers of ten.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<double> ticks;
  double place(double value) const;  // 0 at `low`, 1 at `high`
};
Axis make_axis(double low, double high, bool logarithmic);

}  // namespace heddle::report
