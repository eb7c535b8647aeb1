#include "terminal/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>

#include "terminal/text.hpp"

namespace heddle {

namespace {

using Clock = std::chrono::steady_clock;

std::string cells(double share, bool unicode) {
  constexpr int width = 24;
  const int full = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width));
  std::string text;
  for (int i = 0; i < width; ++i) text += i < full ? (unicode ? "█" : "#") : (unicode ? "░" : ".");
  return text;
}

constexpr auto patience = std::chrono::milliseconds(250), pause = std::chrono::milliseconds(80);

// The first `room` characters, eight at least.
std::string shortened(const std::string& text, int room) {
  std::string made;
  for (const char c : text) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (begins && shown_width(made) >= std::max(8, room)) break;
    made += c;
  }
  return made;
}

class Bar {
 public:
  Bar(std::string what, const Terminal& terminal) : what_(printable(what)), terminal_(terminal) {}
  ~Bar() { wipe(); }

  void show(double share) {
    const std::lock_guard lock(guard_);
    const auto now = Clock::now();
    if (share >= 1) return wipe();
    if (now - begun_ < patience || now - drawn_ < pause) return;
    drawn_ = now;
    const std::string bar =
        fmt::format("  {}  {:.0f} %", cells(share, terminal_.unicode), 100 * std::clamp(share, 0.0, 1.0));
    show_live_line(shortened(what_, terminal_.width - 1 - shown_width(bar)) + bar);
    visible_ = true;
  }

 private:
  void wipe() {
    if (visible_) wipe_live_line();
    visible_ = false;
  }

  std::string what_;
  const Terminal terminal_;
  bool visible_ = false;
  std::mutex guard_;
  Clock::time_point begun_ = Clock::now(), drawn_{};
};

}  // namespace

Progress progress_bar(const Terminal& terminal, std::string what) {
  if (!terminal.progress) return {};
  return [bar = std::make_shared<Bar>(std::move(what), terminal)](double share) { bar->show(share); };
}

void StepsBar::begin(std::string what) {
  what_ = printable(what);
  draw();
}

void StepsBar::done(double steps) {
  done_ += steps;
  draw();
}

void StepsBar::hide() {
  if (visible_) wipe_live_line();
  visible_ = false;
}

void StepsBar::draw() {
  const std::chrono::duration<double> spent = Clock::now() - begun_;
  if (!wanted_ || spent < patience || steps_ <= 0) return;
  const double share = std::clamp(done_ / steps_, 0.0, 1.0);
  const std::string left = done_ > 0 ? ", " + as_duration(spent.count() * (1 - share) / share) + " left" : "";
  const std::string bar = fmt::format("  {}  {:.0f} %{}", cells(share, terminal_.unicode), 100 * share, left);
  show_live_line(shortened(what_, terminal_.width - 1 - shown_width(bar)) + bar);
  visible_ = true;
}

}  // namespace heddle
