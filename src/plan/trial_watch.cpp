#include "plan/trial_watch.hpp"

#include <utility>

namespace heddle {

namespace {
thread_local TrialWatch* watch = nullptr;
}

TrialWatch::TrialWatch(std::function<bool(double share)> more)
    : more_(std::move(more)), before_(std::exchange(watch, this)) {}

TrialWatch::~TrialWatch() { watch = before_; }

bool TrialWatch::goes_on(double share) {
  if (watch == nullptr) return true;
  if (!watch->stopped_ && !watch->more_(share)) watch->stopped_ = true;
  return !watch->stopped_;
}

bool TrialWatch::stopped() { return watch != nullptr && watch->stopped_; }

}  // namespace heddle
