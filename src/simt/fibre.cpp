#include "simt/fibre.hpp"

#ifdef HEDDLE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace heddle::simt::emulator {

#ifdef HEDDLE_ASAN
void leave_to(void** fake_stack, const void* stack, std::size_t bytes) {
  __sanitizer_start_switch_fiber(fake_stack, stack, bytes);
}
void arrived(void* fake_stack, const void** from, std::size_t* bytes) {
  __sanitizer_finish_switch_fiber(fake_stack, from, bytes);
}
#endif

namespace {

#ifdef HEDDLE_ASAN
void forget_poison(void* stack, std::size_t bytes) { __asan_unpoison_memory_region(stack, bytes); }
#else
void forget_poison(void*, std::size_t) {}
#endif

}  // namespace

constinit thread_local Fibre* Fibre::entering = nullptr;

// Stacks lie a multiple of a page apart, so that what 32 lanes have on top of theirs would fall upon the same sets of a
// cache: they begin up to 256 lines later, and lanes next to each other 7 lines apart.
Fibre::Fibre(int number) {
  constexpr std::size_t line = 64, lines = 256;
  room_.reset(new unsigned char[stack_bytes + line * lines]);
  stack_ = room_.get() + static_cast<std::size_t>(number) * 7 % lines * line;
}

void Fibre::start(void (*entry)(void*), void* context) {
  if (!finished_) forget_poison(stack_, stack_bytes);  // else every function has returned and cleaned up after itself
  entry_ = entry;
  context_ = context;
  finished_ = false;
  own_fake_stack_ = nullptr;
  switch_.prepare(stack_, stack_bytes, &Fibre::trampoline);
}

void Fibre::trampoline() { entering->enter(); }

void Fibre::enter() {
  arrived(nullptr, &outside_stack_, &outside_bytes_);
  entry_(context_);
  finished_ = true;
  leave_to(nullptr, outside_stack_, outside_bytes_);  // null: this fibre does not come back
  switch_.leave();
}

}  // namespace heddle::simt::emulator
