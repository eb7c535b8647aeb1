#include "core/watch.hpp"

#include "core/check.hpp"

namespace heddle {

thread_local constinit Watch* Watch::current = nullptr;
thread_local constinit Watch* Watch::trials = nullptr;

Watch::Watch(const KeepGoing& ask, Ends ends)
    : ask_(ask), outer_(current), outer_trials_(trials), asked_(std::chrono::steady_clock::now()) {
  if (ask) (ends == Ends::call ? current : trials) = this;
}
Watch::~Watch() {
  current = outer_;
  trials = outer_trials_;
}

void Watch::enter(std::string_view stage, double done) {
  if (current == nullptr) return;
  current->stage_ = stage;
  current->done_ = done;
  current->ask_now();
}

void Watch::step(double done) {
  if (current == nullptr) return;
  current->done_ = done;
  current->ask_in_time();
}

bool Watch::tries_on(double done) {
  enter("try", done);
  if (trials != nullptr && !trials->ended_) trials->ended_ = !trials->ask_("try", done);
  return !trials_ended();
}

bool Watch::trials_ended() { return trials != nullptr && trials->ended_; }

// The one who is asked may call the library.
void Watch::ask_now() {
  if (asking_) return;
  struct Asking {
    bool& now;
    ~Asking() { now = false; }
  } const asking{asking_ = true};
  const bool go_on = ask_(stage_, done_);
  asked_ = std::chrono::steady_clock::now();
  if (!go_on) fail(ErrorKind::stopped, "stopped by the caller while Heddle was to {}", stage_);
}

void Watch::ask_in_time() {
  constexpr std::chrono::milliseconds between{50};
  if (std::chrono::steady_clock::now() - asked_ >= between) ask_now();
}

}  // namespace heddle
