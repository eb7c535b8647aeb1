// Which instructions the CPU kernels use. One binary holds them all: a kernel's body is compiled once for each
// instruction set by inlining it into a function that carries the set as an attribute (docs/decisions/0007). Nothing
// else of the library is compiled for more than the baseline, so no wide instruction can get where it was not asked
// for.
#pragma once

#include <type_traits>

#include <heddle/machine.hpp>

namespace heddle {

// The widest set that this CPU and the environment variable HEDDLE_ISA (baseline, avx2, avx512; on ARM baseline, sve)
// allow.
Isa isa();
const char* to_string(Isa isa);
// How core/gather.hpp fetches elements of x: measured, in some 50 us, by the first call of isa(); HEDDLE_GATHERS=slow
// or fast says it instead. Results do not depend on it.
extern GathersPay gathers_pay;

// No wider than `most` from now on, for tests; the CPU's own limit stays.
void cap_isa(Isa most);

template <Isa set>
using OnIsa = std::integral_constant<Isa, set>;

#if defined(__x86_64__)
#define HEDDLE_AVX2 __attribute__((target("avx2")))
#define HEDDLE_AVX512 __attribute__((target("avx2,avx512f,avx512bw,avx512dq,avx512vl")))

template <class F>
HEDDLE_AVX2 __attribute__((flatten, noinline)) void run_on_avx2(F& f) {
  f(OnIsa<Isa::avx2>{});
}
template <class F>
HEDDLE_AVX512 __attribute__((flatten, noinline)) void run_on_avx512(F& f) {
  f(OnIsa<Isa::avx512>{});
}
#elif defined(__aarch64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define HEDDLE_SVE __attribute__((target("+sve")))

template <class F>
HEDDLE_SVE __attribute__((flatten, noinline)) void run_on_sve(F& f) {
  f(OnIsa<Isa::sve>{});
}
#endif

// f(OnIsa<set>) compiled for the set in use. What f does not inline (another file's function, a lambda handed to a
// thread) stays baseline code: correct, not fast. So this goes inside a task, around its loops.
template <class F>
void with_isa(F&& f) {
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)  // which has the baseline alone: isa.cpp
  if (isa() == Isa::avx512) return run_on_avx512(f);
  if (isa() == Isa::avx2) return run_on_avx2(f);
#elif defined(HEDDLE_SVE)
  if (isa() == Isa::sve) return run_on_sve(f);
#endif
  f(OnIsa<Isa::baseline>{});
}

// The same for loops in which the compiler, not core/gather.hpp, fetches elements of x by columns: the baseline where
// fetching several at once is slow.
template <class F>
void with_fetching_isa(F&& f) {
  if (isa() != Isa::baseline && gathers_pay.of_4 && gathers_pay.of_8) return with_isa(f);
  f(OnIsa<Isa::baseline>{});
}

}  // namespace heddle
