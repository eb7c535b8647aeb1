#include "simt/stack_switch.hpp"

#include <cstdint>

namespace heddle::simt::emulator {

#if defined(__x86_64__) || defined(__aarch64__)

#if defined(__x86_64__)
constexpr int saved_words = 2;  // where to go on, and a null above it: the address that `entry` would return to
constexpr int return_address = 0;
#else
// Saves what a called function must preserve on the present stack, its pointer in *from, and goes on where `to` was
// saved.
extern "C" void heddle_switch_stack(void** from, void* to);
asm(R"(
.text
.globl heddle_switch_stack
.hidden heddle_switch_stack
.type heddle_switch_stack, %function
heddle_switch_stack:
  stp x29, x30, [sp, #-160]!
  stp x19, x20, [sp, #16]
  stp x21, x22, [sp, #32]
  stp x23, x24, [sp, #48]
  stp x25, x26, [sp, #64]
  stp x27, x28, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #16]
  ldp x21, x22, [sp, #32]
  ldp x23, x24, [sp, #48]
  ldp x25, x26, [sp, #64]
  ldp x27, x28, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  ldp x29, x30, [sp], #160
  ret
.size heddle_switch_stack, .-heddle_switch_stack
)");
constexpr int saved_words = 20;
constexpr int return_address = 1;

void StackSwitch::switch_stack(void** from, void* to) { heddle_switch_stack(from, to); }
void StackSwitch::enter() { switch_stack(&outside_, inside_); }
void StackSwitch::leave() { switch_stack(&inside_, outside_); }
#endif

void StackSwitch::prepare(void* stack, std::size_t bytes, void (*entry)()) {
  const auto end = (reinterpret_cast<std::uintptr_t>(stack) + bytes) & ~std::uintptr_t{15};
  auto* top = reinterpret_cast<void**>(end) - saved_words;  // NOLINT(performance-no-int-to-ptr)
  for (int i = 0; i < saved_words; ++i) top[i] = nullptr;
  top[return_address] = reinterpret_cast<void*>(entry);
  inside_ = top;
}

#else

void StackSwitch::prepare(void* stack, std::size_t bytes, void (*entry)()) {
  getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack;
  inside_.uc_stack.ss_size = bytes;
  inside_.uc_link = nullptr;
  makecontext(&inside_, entry, 0);
}

void StackSwitch::enter() { swapcontext(&outside_, &inside_); }
void StackSwitch::leave() { swapcontext(&inside_, &outside_); }

#endif

}  // namespace heddle::simt::emulator
