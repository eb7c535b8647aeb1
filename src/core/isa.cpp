#include "core/isa.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <string>

#include "core/check.hpp"
#include "core/gather.hpp"
#include "core/stopwatch.hpp"

#if defined(HEDDLE_SVE)
#include <sys/auxv.h>

#include <asm/hwcap.h>
#endif

namespace heddle {

GathersPay gathers_pay;

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

#if defined(__x86_64__)
// The same elements, fetched by one instruction or by a load each.
struct GatherProbe {
  static constexpr int columns = 512;
  double x[2048] = {};
  float narrow_x[2048] = {};
  Index col[columns] = {};

  GatherProbe() {
    for (unsigned i = 0; i < columns; ++i) col[i] = static_cast<Index>(i * 2654435761u >> 21);  // scattered over x
  }
  HEDDLE_AVX2 __attribute__((noinline)) void gather_4() const {
    for (int i = 0; i < columns; i += 4) {
      const __m256d a = gather_at_once(x, _mm_loadu_si128(reinterpret_cast<const __m128i*>(col + i)));
      asm volatile("" : : "x"(a));
    }
  }
  HEDDLE_AVX2 __attribute__((noinline)) void load_4() const {
    for (int i = 0; i < columns; i += 4) {
      const __m256d a = load_each_256(x, col + i);
      asm volatile("" : : "x"(a));
    }
  }
  HEDDLE_AVX2 __attribute__((noinline)) void gather_8() const {
    for (int i = 0; i < columns; i += 8) {
      const __m256 a = gather_at_once(narrow_x, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(col + i)));
      asm volatile("" : : "x"(a));
    }
  }
  HEDDLE_AVX2 __attribute__((noinline)) void load_8() const {
    for (int i = 0; i < columns; i += 8) {
      const __m256 a = load_each_256(narrow_x, col + i);
      asm volatile("" : : "x"(a));
    }
  }
  HEDDLE_AVX512 __attribute__((noinline)) void gather_16() const {
    for (int i = 0; i < columns; i += 16) {
      const __m512 a = gather_at_once(narrow_x, _mm512_loadu_si512(col + i), 0xffff);
      asm volatile("" : : "v"(a));
    }
  }
  HEDDLE_AVX512 __attribute__((noinline)) void load_16() const {
    for (int i = 0; i < columns; i += 16) {
      const __m512 a = load_each_512(narrow_x, col + i);
      asm volatile("" : : "v"(a));
    }
  }
  // In turns, and the shortest round of each: other work on the machine disturbs both alike, and neither always. A
  // gather leaves a little more to the rest of a loop than so many loads do.
  bool pays(void (GatherProbe::*gather)() const, void (GatherProbe::*load)() const) const {
    double gathering = INFINITY, loading = INFINITY;
    for (int round = 0; round < 60; ++round) {
      gathering = std::min(gathering, seconds(gather));
      loading = std::min(loading, seconds(load));
    }
    return gathering < 1.2 * loading;
  }
  // A core takes some 20 us until its wide registers work at full speed. Without this wait loads of 512 floats
  // took 0.71 us in one process and 0.20 in the next.
  void wake(void (GatherProbe::*fetch)() const) const {
    for (double spent = 0; spent < 150e-6;) spent += seconds(fetch);
  }
  double seconds(void (GatherProbe::*fetch)() const) const {
    return seconds_of([&] { (this->*fetch)(); });
  }
};

GathersPay measure_gathers(Isa set) {
  if (set == Isa::baseline) return {};
  const GatherProbe probe;
  const bool wide = set == Isa::avx512;
  probe.wake(wide ? &GatherProbe::load_16 : &GatherProbe::load_8);
  return {.of_4 = probe.pays(&GatherProbe::gather_4, &GatherProbe::load_4),
          .of_8 = probe.pays(&GatherProbe::gather_8, &GatherProbe::load_8),
          .of_16 = wide && probe.pays(&GatherProbe::gather_16, &GatherProbe::load_16)};
}
#else
GathersPay measure_gathers(Isa set) {
  const bool sve = set == Isa::sve;
  return {sve, sve, sve};
}
#endif

GathersPay find_out_gathers(Isa set) {
  const char* text = std::getenv("HEDDLE_GATHERS");
  if (!text || !*text) return measure_gathers(set);
  const std::string word = text;
  if (word != "fast" && word != "slow")
    fail(ErrorKind::usage, {"HEDDLE_GATHERS=" + word, "known: fast, slow"}, "no such speed of gathers");
  const bool fast = word == "fast";
  return {fast, fast, fast};
}

Isa widest_set() {
  const Isa widest = std::min(widest_of_cpu(), widest_of_environment());
  gathers_pay = find_out_gathers(widest);
  return widest;
}

}  // namespace

Isa isa() {
  static const Isa widest = widest_set();
  return std::min(widest, cap.load(std::memory_order_relaxed));
}

const char* to_string(Isa isa) {
  constexpr const char* names[] = {"baseline", "sve", "avx2", "avx512"};
  return names[static_cast<int>(isa)];
}

void cap_isa(Isa most) { cap.store(most, std::memory_order_relaxed); }

}  // namespace heddle
