// Runs of x: slices of 16 rows, each a list of steps, and a step is one entry of every row that has one there.
//
//   4 rows (for 16)      run: rows on a diagonal           gathered: the other entries, each with its column
//
//   [ d e . . z . ]      run 0   mask 1111   d d d d       mask 1..1   z . . w      4 . . 0
//   [ . d e . . . ]      run 1   mask 111.   e e e .
//   [ . . d e . . ]
//   [ w . . d . . ]      values of a step: 16, with gaps where the mask has none
//
//   slice s   steps slice[s].step .. slice[s+1].step - 1: runs with all rows, other runs, gathered steps with all rows,
//             other gathered steps
//   run_col   column of a run in the first row of the slice; the next row has the next column
//   col       16 columns of each gathered step
//   aside     rows far longer than the others of their slice, in no step of it: slice[s].aside .. slice[s+1].aside - 1
//             are its own; along the row, without columns where these have no gaps (runs_aside.hpp)
//
// So a run is one load of x where a row at a time would be 16, and 6 bytes in addition to its 16 values. Which
// diagonals are runs, and which rows stay aside, is decided for each slice by what steps cost (runs_cut.hpp). Made for
// CPUs with masks: pieces of diagonals of any length, several unknowns a mesh point, and rows of similar length with
// few others among them, while the matrix is small.
#pragma once

#include "formats/format.hpp"
#include "formats/runs/runs_aside.hpp"

namespace heddle {

inline constexpr int rows_of_run = 16;

struct RunsSettings {
  int gather = automatic;
  std::vector<Field> fields() {
    return {{.name = "gather",
             .value = &gather,
             .meaning = "what a gathered step costs, in tenths of a run",
             .low = 1,
             .high = 1000,
             .may_be_automatic = true}};
  }
};

struct RunSlice {
  Offset step, before;    // steps, and gathered ones among them, before this slice
  Offset aside;           // rows aside before this slice
  Index full, runs;       // its runs with all rows; all its runs
  Index whole, gathered;  // its gathered steps with all rows; all its gathered steps
};

template <class V>
struct RunsView {
  std::int64_t rows, cols;
  const RunSlice* slices;
  const Index* run_col;
  const Index* col;
  const std::uint16_t* mask;
  const V* val;
  AsideView<V> aside;

  SIMT_BOTH Offset first_run(const RunSlice& slice) const { return slice.step - slice.before; }
};

template <class V>
struct RunsFormat {
  using Settings = RunsSettings;
  static constexpr bool uses_scratch = false;

  std::int64_t rows = 0, cols = 0;
  Buffer<RunSlice> slices;  // and one behind the last
  Buffer<Index> run_col, col;
  Buffer<std::uint16_t> mask;
  Buffer<V> val;
  AsideRows<V> aside;

  static FormatInfo about();
  static void settle(Settings& settings, const PatternView& A);
  static Footprint footprint(const PatternView& A, const Settings& settings, int value_bytes);
  static Footprint at_most(const PatternView& A, const Settings& settings, int value_bytes);
  static RunsFormat build(Source<V> source, const Settings& settings);
  Csr<V> restore() const;

  RunsView<V> view() const {
    return {rows, cols, slices.data(), run_col.data(), col.data(), mask.data(), val.data(), aside.view()};
  }
  template <class Self, class F>
  static void each_array(Self& self, F f) {
    f(self.slices), f(self.run_col), f(self.col), f(self.mask), f(self.val);
    AsideRows<V>::each_array(self.aside, f);
  }

  void multiply(OnCpu, const Product<V>& product) const;
  void multiply(simt::Emulator, const Product<V>& product) const;
  void multiply(simt::Cuda, const Product<V>& product) const;
};

// What `gather` is by itself, on this machine.
int gather_cost(const PatternView& A, int value_bytes, bool loads_singly);

}  // namespace heddle
