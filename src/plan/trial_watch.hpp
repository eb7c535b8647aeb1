// A caller may watch trials of plans (effort = measure, exhaustive), and end them: those tried so far decide
// then, and nothing is remembered.
#pragma once

#include <functional>

namespace heddle {

class TrialWatch {
 public:
  // For the trials of this thread, as long as this object lives. Asked before each one with the share done; false: no
  // more.
  explicit TrialWatch(std::function<bool(double share)> more);
  ~TrialWatch();
  TrialWatch(const TrialWatch&) = delete;
  TrialWatch& operator=(const TrialWatch&) = delete;

  static bool goes_on(double share);
  static bool stopped();

 private:
  std::function<bool(double)> more_;
  bool stopped_ = false;
  TrialWatch* before_;
};

}  // namespace heddle
