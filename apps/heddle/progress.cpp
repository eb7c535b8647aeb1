#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>

namespace heddle {

namespace {

using Clock = std::chrono::steady_clock;

class Bar {
 public:
  Bar(std::string what, bool unicode) : what_(std::move(what)), unicode_(unicode) {}
  ~Bar() { wipe(); }

  void show(double share) {
    const std::lock_guard lock(guard_);
    const auto now = Clock::now();
    if (share >= 1) return wipe();
    if (now - begun_ < patience || now - drawn_ < pause) return;
    drawn_ = now;
    constexpr int width = 24;
    const int full = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width));
    std::string cells;
    for (int i = 0; i < width; ++i) cells += i < full ? (unicode_ ? "█" : "#") : (unicode_ ? "░" : ".");
    fmt::print(stderr, "\r{}  {}  {:.0f} %\033[K", what_, cells, 100 * std::clamp(share, 0.0, 1.0));
    std::fflush(stderr);
    visible_ = true;
  }

 private:
  static constexpr auto patience = std::chrono::milliseconds(250), pause = std::chrono::milliseconds(80);

  void wipe() {
    if (visible_) std::fputs("\r\033[K", stderr);
    visible_ = false;
  }

  std::string what_;
  bool unicode_, visible_ = false;
  std::mutex guard_;
  Clock::time_point begun_ = Clock::now(), drawn_{};
};

}  // namespace

Progress progress_bar(const Terminal& terminal, std::string what) {
  if (!terminal.progress) return {};
  return [bar = std::make_shared<Bar>(std::move(what), terminal.unicode)](double share) { bar->show(share); };
}

}  // namespace heddle
