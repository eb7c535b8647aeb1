#include "terminal/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "io/temporary_name.hpp"
#include "terminal/terminal.hpp"

namespace heddle {

namespace {

std::atomic<int> received{0}, interruptible{0};
static_assert(std::atomic<int>::is_always_lock_free);

[[noreturn]] void end_at_once(int number) {
  io::remove_temporary_files();
  wipe_live_line();
  ::_exit(128 + number);
}

void on_signal(int number) {
  int none = 0;
  if (interruptible == 0 || !received.compare_exchange_strong(none, number)) end_at_once(number);
}

}  // namespace

void handle_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
}

Interruptible::Interruptible() { ++interruptible; }

Interruptible::~Interruptible() { --interruptible; }

int Interruptible::signal() noexcept { return received; }

void Interruptible::stop_if_asked() {
  if (received != 0) throw Stop{};
}

}  // namespace heddle
