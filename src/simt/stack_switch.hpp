// Two flows of control on two stacks, one running at a time. A few instructions on x86-64 and 64-bit ARM; POSIX
// contexts, which make two system calls per switch, elsewhere. (2026-11: the emulated conformance suite took 60 s of
// processor time with POSIX contexts.)
#pragma once

#include <cstddef>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace heddle::simt::emulator {

class StackSwitch {
 public:
  // The next `enter` calls entry(), which must never return, on the given stack.
  void prepare(void* stack, std::size_t bytes, void (*entry)());
  void enter();  // from outside: goes on inside, comes back at the next `leave`
  void leave();  // from inside

 private:
#if defined(__x86_64__) || defined(__aarch64__)
  void* inside_ = nullptr;  // stack pointers, with the saved registers below them
  void* outside_ = nullptr;
#else
  ucontext_t inside_{}, outside_{};
#endif
};

}  // namespace heddle::simt::emulator
