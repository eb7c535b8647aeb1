#include "pictures/history_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include "report/figure.hpp"
#include "report/page.hpp"
#include "solve/course.hpp"

namespace heddle {

namespace {

// Light, or dark as the system is; viewers that know no such question take the light one.
constexpr const char* style =
    "<style>svg { background: #ffffff } text { font: 13px sans-serif; fill: #1c2733 } .title { font-size: 14px } "
    ".grid { stroke: #dddddd } .curve { fill: none; stroke: #1f5fa8; stroke-width: 1.5 } "
    ".asked { stroke: #2a8a3e; stroke-dasharray: 6 4 } .change { stroke: #b5651d; stroke-dasharray: 2 3 }\n"
    "@media (prefers-color-scheme: dark) { svg { background: #13161a } text { fill: #e4e7eb } "
    ".grid { stroke: #333a43 } .curve { stroke: #7db4f0 } .asked { stroke: #5cc98f } .change { stroke: #f0a04b } }"
    "</style>\n";

double decades(double residual) { return std::log10(std::max(residual, 1e-300)); }

//  (left, top) +-----------+
//              |           |  decades from `high` down to `low`
//              +-----------+ (left + wide, top + tall)
struct Frame {
  double left = 72, top = 40, wide = 600, tall = 320, high = 0, low = -8;
  std::int64_t iterations = 1;

  double x(double k) const { return left + wide * k / static_cast<double>(iterations); }
  double y(double residual) const {
    return top + tall * std::clamp((high - decades(residual)) / (high - low), 0.0, 1.0);
  }
};

Frame frame_for(const Report& report, double tolerance) {
  Frame frame;
  double largest = 1, smallest = tolerance > 0 ? tolerance : 1;
  for (const double r : report.history) {
    largest = std::max(largest, r);
    if (r > 0) smallest = std::min(smallest, r);
  }
  frame.high = std::ceil(decades(largest));
  frame.low = std::min(std::floor(decades(smallest)), frame.high - 1);
  frame.iterations = std::max<std::int64_t>(1, static_cast<std::int64_t>(report.history.size()) - 1);
  return frame;
}

std::string grid(const Frame& f) {
  std::string svg;
  const int high = static_cast<int>(f.high), low = static_cast<int>(f.low), step = std::max(1, (high - low + 9) / 10);
  for (int d = high; d >= low; d -= step) {
    const double y = f.top + f.tall * (f.high - d) / (f.high - f.low);
    svg += fmt::format("<line x1='{}' y1='{:.1f}' x2='{}' y2='{:.1f}' class='grid'/>\n", f.left, y, f.left + f.wide, y);
    svg += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>1e{}</text>\n", f.left - 6, y + 4, d);
  }
  for (const double k : report::make_axis(0, static_cast<double>(f.iterations), false).ticks)
    if (k <= static_cast<double>(f.iterations) && k == std::floor(k))
      svg +=
          fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{:.0f}</text>\n", f.x(k), f.top + f.tall + 18, k);
  svg += fmt::format("<text x='{}' y='{}' text-anchor='middle'>iteration</text>\n", f.left + f.wide / 2,
                     f.top + f.tall + 37);
  const double middle = f.top + f.tall / 2;
  return svg + fmt::format(
                   "<text x='16' y='{0}' text-anchor='middle' transform='rotate(-90 16 {0})'>|b - A x| / |b|</text>\n",
                   middle);
}

// A point per iteration, thinned to what a picture can show.
std::string curve(const Frame& f, const std::vector<double>& history) {
  const std::size_t stride = std::max<std::size_t>(1, history.size() / 2000);
  std::string points;
  for (std::size_t k = 0; k < history.size(); ++k)
    if (k % stride == 0 || k + 1 == history.size())
      points += fmt::format("{:.1f},{:.1f} ", f.x(static_cast<double>(k)), f.y(history[k]));
  return fmt::format("<polyline class='curve' points='{}'/>\n", points);
}

}  // namespace

std::string residual_line(std::span<const double> history, double floor, int width, bool unicode) {
  static constexpr const char* fine[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr const char* coarse[] = {"_", "_", ".", "-", "-", "=", "=", "#"};
  if (history.empty() || width < 1) return "";
  const double high = decades(*std::max_element(history.begin(), history.end()));
  const double low = std::min(decades(floor), high - 1e-9);
  std::string line;
  const auto cells = std::min<std::size_t>(static_cast<std::size_t>(width), history.size());
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const double share = (decades(history[cell * history.size() / cells]) - low) / (high - low);
    const int level = std::clamp(static_cast<int>(share * 8), 0, 7);
    line += (unicode ? fine : coarse)[level];
  }
  return line;
}

std::string history_svg(const std::string& title, const Report& report, double tolerance) {
  const Frame f = frame_for(report, tolerance);
  std::string svg =
      fmt::format("<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}'>\n{2}",
                  f.left + f.wide + 24, f.top + f.tall + 48, style);
  svg += fmt::format("<text x='16' y='22' class='title'>{}: {}, {}, preconditioner {}</text>\n", report::escaped(title),
                     name_of(report.status), course_of(report), report::escaped(report.preconditioner));
  svg += grid(f);
  if (tolerance > 0) {
    const double y = f.y(tolerance);
    svg +=
        fmt::format("<line class='asked' x1='{}' y1='{:.1f}' x2='{}' y2='{:.1f}'/>\n", f.left, y, f.left + f.wide, y);
    svg += fmt::format("<text x='{}' y='{:.1f}'>asked for {:g}</text>\n", f.left + 6, y - 5, tolerance);
  }
  if (report.changeover.happened) {
    const double x = f.x(static_cast<double>(report.changeover.iteration));
    svg +=
        fmt::format("<line x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}' class='change'/>\n", x, f.top, f.top + f.tall);
    svg +=
        fmt::format("<text x='{:.1f}' y='{}'>{}</text>\n", x + 4, f.top + 12, report::escaped(report.changeover.plan));
  }
  return svg + curve(f, report.history) + "</svg>\n";
}

namespace {

class LiveLine {
 public:
  LiveLine(std::string what, const Terminal& terminal) : what_(std::move(what)), terminal_(terminal) {}
  ~LiveLine() {
    if (visible_) wipe_live_line();
  }
  void show(const SolveProgress& now) {
    if (now.iteration <= last_) history_.clear();  // the next system
    last_ = now.iteration;
    history_.push_back(now.residual);
    const auto time = Clock::now();
    if (time - begun_ < std::chrono::milliseconds(150) || time - drawn_ < std::chrono::milliseconds(80)) return;
    drawn_ = time;
    visible_ = true;
    const std::string numbers =
        fmt::format("iteration {}, residual {:.2e} of {:.0e}", now.iteration, now.residual, now.target);
    const int room = terminal_.width - 1 - shown_width(what_) - shown_width(numbers) - 4;
    show_live_line(room < 8 ? numbers.substr(0, static_cast<std::size_t>(terminal_.width - 1))
                            : fmt::format("{}  {}  {}", what_,
                                          residual_line(history_, now.target, std::min(room, 32), terminal_.unicode),
                                          numbers));
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  Terminal terminal_;
  std::vector<double> history_;
  std::int64_t last_ = 0;
  bool visible_ = false;
  Clock::time_point begun_ = Clock::now(), drawn_{};
};

}  // namespace

std::function<void(const SolveProgress&)> solve_progress(const Terminal& terminal, bool quiet,
                                                         const std::string& what) {
  if (quiet || !terminal.progress) return {};
  return [line = std::make_shared<LiveLine>(what, terminal)](const SolveProgress& now) { line->show(now); };
}

}  // namespace heddle
