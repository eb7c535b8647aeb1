#include "core/isa.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>

#include "core/check.hpp"

#if defined(HEDDLE_SVE)
#include <sys/auxv.h>

#include <asm/hwcap.h>
#endif

namespace heddle {

namespace {

#if defined(HEDDLE_SVE)
constexpr Isa all_sets[] = {Isa::baseline, Isa::sve};
constexpr const char* known_sets = "known: baseline, sve";
#else
constexpr Isa all_sets[] = {Isa::baseline, Isa::avx2, Isa::avx512};
constexpr const char* known_sets = "known: baseline, avx2, avx512";
#endif

// The compiler's own test also asks the operating system whether it saves the wide registers.
Isa widest_of_cpu() {
#if defined(__SANITIZE_ADDRESS__)
  // GCC 12 and 13 place the 64-byte arrays of a sanitized frame at 32 bytes and read them by aligned instructions.
  return Isa::baseline;
#elif defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2")) return Isa::baseline;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? Isa::avx512 : Isa::avx2;
#elif defined(HEDDLE_SVE)
  return (getauxval(AT_HWCAP) & HWCAP_SVE) != 0 ? Isa::sve : Isa::baseline;
#else
  return Isa::baseline;
#endif
}

Isa widest_of_environment() {
  const char* text = std::getenv("HEDDLE_ISA");
  if (!text || !*text) return Isa::avx512;
  for (const Isa set : all_sets)
    if (text == std::string(to_string(set))) return set;
  fail(ErrorKind::usage, {std::string("HEDDLE_ISA=") + text, known_sets}, "no such instruction set");
}

std::atomic<Isa> cap{Isa::avx512};

bool look_up_fast_gathers() {
#if defined(__x86_64__)
  std::string line;
  std::getline(std::ifstream("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling"), line);
  return __builtin_cpu_is("intel") && !line.starts_with("Mitigation");
#elif defined(HEDDLE_SVE)
  return true;
#else
  return false;
#endif
}

}  // namespace

Isa isa() {
  static const Isa widest = std::min(widest_of_cpu(), widest_of_environment());
  return std::min(widest, cap.load(std::memory_order_relaxed));
}

const char* to_string(Isa isa) {
  constexpr const char* names[] = {"baseline", "sve", "avx2", "avx512"};
  return names[static_cast<int>(isa)];
}

bool fast_gathers() {
  static const bool fast = look_up_fast_gathers();
  return fast;
}

void cap_isa(Isa most) { cap.store(most, std::memory_order_relaxed); }

}  // namespace heddle
