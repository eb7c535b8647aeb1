// Compressed rows, as they come.
//
//   row r owns entries  ptr[r] .. ptr[r+1]-1  of col and val
//
//   lanes = 4:   r0 r0 r0 r0 | r1 r1 r1 r1 | r2 ...     a team of 4 neighbouring lanes walks one row, 4 entries a step,
//                                                        and adds its 4 partial sums by shuffles
//   lanes = 1 is the scalar kernel of the papers (a thread per row), lanes = 32 the vector kernel (a warp per row).
//
// On the CPU rows are cut into tasks of nearly equal work: task t does rows task[t] .. task[t+1]-1.
#pragma once

#include "formats/format.hpp"
#include "layout/device_pattern.hpp"
#include "layout/row_tasks.hpp"

namespace heddle {

struct CsrSettings {
  int lanes = automatic;
  std::vector<Field> fields() {
    return {{.name = "lanes",
             .value = &lanes,
             .meaning = "GPU lanes that share a row; auto: by the mean and the longest row",
             .numbers = {1, 2, 4, 8, 16, 32},
             .may_be_automatic = true}};
  }
};

template <class V>
struct CsrFormat {
  using Settings = CsrSettings;
  static constexpr bool uses_scratch = false;

  std::int64_t rows = 0, cols = 0;
  int lanes = 1;
  Buffer<Offset> ptr;
  Buffer<Index> col;
  Buffer<V> val;
  Buffer<Index> task;  // first row of each CPU task, and `rows`

  static FormatInfo about();
  static void settle(Settings& settings, const PatternView& A);
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static CsrFormat build(Source<V> source, const Settings& settings);
  template <class Where>
  static std::optional<CsrFormat> build_there(Where where, Source<V> there, const Settings& settings) {
    return kept(there, settings, row_tasks(where, there.view, there.device));
  }
  template <class Where>
  static bool settle_there(Where where, Settings& settings, Source<V> there) {
    if (settings.lanes == automatic)
      settings.lanes = lanes_for(there.view, look_at(where, there.view, there.device).longest);
    return true;
  }
  Csr<V> restore() const { return {rows, cols, ptr, col, val}; }

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.ptr), f(self.col), f(self.val), f(self.task);
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
  bool multiply_many(OnCpu, const ProductMany<V>& product) const;
  bool multiply_many(simt::Emulator, const ProductMany<V>& product) const;
  bool multiply_many(simt::Cuda, const ProductMany<V>& product) const;

 private:
  static int lanes_for(const PatternView& A, std::int64_t longest);
  static CsrFormat kept(Source<V> source, const Settings& settings, Buffer<Index> task);
};

}  // namespace heddle
