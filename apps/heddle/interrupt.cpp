#include "interrupt.hpp"

#include <csignal>

namespace heddle {

namespace {

volatile std::sig_atomic_t received = 0;
struct sigaction before_interrupt, before_terminate;

void note(int number) { received = number; }

}  // namespace

Interruptible::Interruptible() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(SIGINT, &action, &before_interrupt);
  sigaction(SIGTERM, &action, &before_terminate);
}

Interruptible::~Interruptible() {
  sigaction(SIGINT, &before_interrupt, nullptr);
  sigaction(SIGTERM, &before_terminate, nullptr);
}

int Interruptible::signal() { return received; }

void Interruptible::stop_if_asked() {
  if (received != 0) throw Stop{};
}

}  // namespace heddle
