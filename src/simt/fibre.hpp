// A stack of its own and a way to switch to it and back: what the emulator's threads are made of.
#pragma once

#include <cstddef>
#include <memory>

#include "simt/stack_switch.hpp"

namespace heddle::simt::emulator {

class Fibre {
 public:
  // Neighbours get different numbers, and with them tops of stacks that do not share the same few lines of a cache.
  explicit Fibre(int number);

  // Makes the fibre ready to run entry(context) from its beginning. What it was doing before is forgotten.
  void start(void (*entry)(void* context), void* context);
  // From the host thread: runs the fibre until it pauses or ends.
  void resume();
  // From inside the fibre: back to whoever resumed it.
  void pause();
  bool finished() const { return finished_; }

 private:
  static void trampoline();
  void enter();

  static constexpr std::size_t stack_bytes = 128 * 1024;  // ASan frames are large
  std::unique_ptr<unsigned char[]> room_;
  unsigned char* stack_;  // within room_
  StackSwitch switch_;
  void (*entry_)(void*) = nullptr;
  void* context_ = nullptr;
  bool finished_ = true;
  // What AddressSanitizer must be told at each switch.
  void* own_fake_stack_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_bytes_ = 0;
};

}  // namespace heddle::simt::emulator
