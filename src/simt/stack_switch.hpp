// Two flows of control on two stacks, one running at a time. A few instructions on x86-64 and 64-bit ARM; POSIX
// contexts, which make two system calls per switch, elsewhere. (2026-11: the emulated conformance suite took 60 s of
// processor time with POSIX contexts.)
//
// On x86-64 they stand where the switch is made, and end with a jump: a processor predicts where a function returns to
// by the last call, which is another lane after every switch, and was wrong each time.
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
  static void switch_stack(void** from, void* to);

  void* inside_ = nullptr;  // stack pointers, with the saved registers below them
  void* outside_ = nullptr;
#else
  ucontext_t inside_{}, outside_{};
#endif
};

#if defined(__x86_64__)

// Leaves the address to go on at and the registers that the compiler cannot be told to save on the present stack, below
// the 128 bytes that a function may use there unasked; its pointer in *from.
[[gnu::always_inline]] inline void StackSwitch::switch_stack(void** from, void* to) {
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushq %%rbp\n\t"
      "pushq %%rbx\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%%rdi)\n\t"
      "movq %%rsi, %%rsp\n\t"
      "popq %%rax\n\t"
      "jmp *%%rax\n"
      "1:\n\t"
      "popq %%rbx\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp"
      : "+D"(from), "+S"(to)
      :
      : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3",
        "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc",
        "memory");
}

[[gnu::always_inline]] inline void StackSwitch::enter() { switch_stack(&outside_, inside_); }
[[gnu::always_inline]] inline void StackSwitch::leave() { switch_stack(&inside_, outside_); }

#endif

}  // namespace heddle::simt::emulator
