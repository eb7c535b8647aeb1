// A bar on stderr for work that takes long enough to wonder: "reading cant.mtx  ████████░░░░  63 %".
#pragma once

#include <chrono>
#include <string>

#include <heddle/io.hpp>

#include "terminal/terminal.hpp"

namespace heddle {

// For library calls that report their share done. Empty (so the library stays silent) where no bar is wanted. The line
// is wiped when the share reaches 1 or the last copy of the function is gone.
Progress progress_bar(const Terminal& terminal, std::string what);

// A bar over many steps that take about as long as each other: "wave f32  ████░░░░  37 %, 2 min 10 s left".
class StepsBar {
 public:
  StepsBar(const Terminal& terminal, bool wanted, double steps)
      : terminal_(terminal), wanted_(wanted && terminal.progress), steps_(steps) {}
  ~StepsBar() { hide(); }
  StepsBar(const StepsBar&) = delete;
  StepsBar& operator=(const StepsBar&) = delete;

  void begin(std::string what);
  void done(double steps = 1);
  void left_out(double steps) { steps_ -= steps; }
  void hide();  // before anything else is written to the terminal
  bool complete() const { return done_ == steps_; }

 private:
  void draw();

  const Terminal& terminal_;
  bool wanted_, visible_ = false;
  double steps_, done_ = 0;
  std::string what_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace heddle
