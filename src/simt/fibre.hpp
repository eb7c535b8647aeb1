// A stack of its own and a way to switch to it and back: what the emulator's threads are made of.
#pragma once

#include <cstddef>
#include <memory>

#include "simt/stack_switch.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define HEDDLE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEDDLE_ASAN 1
#endif
#endif

namespace heddle::simt::emulator {

// What AddressSanitizer must be told at each switch.
#ifdef HEDDLE_ASAN
void leave_to(void** fake_stack, const void* stack, std::size_t bytes);
void arrived(void* fake_stack, const void** from, std::size_t* bytes);
#else
inline void leave_to(void**, const void*, std::size_t) {}
inline void arrived(void*, const void**, std::size_t*) {}
#endif

class Fibre {
 public:
  // Neighbours get different numbers, and with them tops of stacks that do not share the same few lines of a cache.
  explicit Fibre(int number);

  // Makes the fibre ready to run entry(context) from its beginning. What it was doing before is forgotten.
  void start(void (*entry)(void* context), void* context);
  // From the host thread: runs the fibre until it pauses or ends.
  void resume();
  // From inside the fibre: back to its caller.
  void pause();
  bool finished() const { return finished_; }

 private:
  static void trampoline();
  static constinit thread_local Fibre* entering;  // how `trampoline`, which takes no argument, finds its fibre
  void enter();

  static constexpr std::size_t stack_bytes = 128 * 1024;  // ASan frames are large
  std::unique_ptr<unsigned char[]> room_;
  unsigned char* stack_;  // within room_
  StackSwitch switch_;
  void (*entry_)(void*) = nullptr;
  void* context_ = nullptr;
  bool finished_ = true;
  // For AddressSanitizer.
  void* own_fake_stack_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_bytes_ = 0;
};

inline void Fibre::resume() {
  entering = this;
  void* fake_stack = nullptr;
  leave_to(&fake_stack, stack_, stack_bytes);
  switch_.enter();
  arrived(fake_stack, nullptr, nullptr);
}

inline void Fibre::pause() {
  leave_to(&own_fake_stack_, outside_stack_, outside_bytes_);
  switch_.leave();
  arrived(own_fake_stack_, &outside_stack_, &outside_bytes_);
}

}  // namespace heddle::simt::emulator
