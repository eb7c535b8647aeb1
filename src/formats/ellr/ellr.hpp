// ELLPACK-R (T = 1) and ELLR-T: ELLPACK with row lengths, T lanes per row.
//
//   A = [ a0 a1 a2 ]     T = 1   a0 b0 c0 d0 | a1 .. c1 d1 | a2 .. .. ..
//       [ b0       ]     T = 2   a0 a1 b0 .. c0 c1 d0 d1 | a2 .. .. .. .. .. .. ..      T neighbours side by side
//       [ c0 c1    ]     length  3 1 2 2
//       [ d0 d1    ]
//                        entry k of row r is at   ((k / T) * ld + r) * T + k % T,   ld = rows rounded up to 32
//
// A lane leaves the loop at its own row's length, without a test for padding: a warp takes as long as its longest row.
// The T partial sums of a row are added by shuffles. A block has more threads than a row has lanes: T < BS.
//
// T = auto is paper 4's ELLR-T*: building runs T = 1, 2, 4, 8 with blocks of 128, 256 and 512 threads, twelve products,
// and keeps the fastest. Which one that is may differ from one build to the next, and with it the last bits of y.
#pragma once

#include "formats/format.hpp"
#include "layout/sliced.hpp"

namespace heddle {

struct EllrSettings {
  int T = 1;
  int block = automatic;
  int cache = static_cast<int>(Caching::x);
  std::vector<Field> fields() {
    return {{.name = "T",
             .value = &T,
             .meaning = "GPU lanes that share a row, fewer than block; auto: 1, 2, 4 and 8 are timed",
             .numbers = {1, 2, 4, 8, 16, 32},
             .may_be_automatic = true},
            {.name = "block",
             .value = &block,
             .meaning = "GPU threads of a block; auto: 256, with T=auto 128, 256 and 512 are timed",
             .numbers = {16, 32, 64, 128, 256, 512},
             .may_be_automatic = true},
            {.name = "cache",
             .value = &cache,
             .meaning = "what the GPU's L1 may keep: x alone, or for comparison all or none",
             .words = {"x", "all", "none"}}};
  }
};

template <class V>
struct EllrFormat {
  using Settings = EllrSettings;
  static constexpr bool uses_scratch = false;

  std::int64_t cols = 0;
  int block = 256;
  Caching cache = Caching::x;
  SlicedStore<V> part;

  static FormatInfo about();
  static void settle(Settings& settings, const PatternView& A);
  static std::vector<Settings> trials(const Settings& settings, Device device);
  bool change_to(const Settings& settings);
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static EllrFormat build(Source<V> source, const Settings& settings);
  Csr<V> restore() const;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    SlicedStore<V>::each_array(self.part, f);
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

}  // namespace heddle
