// What `analyze` does to a matrix: several looks at it, each of many tasks that any thread may do. All looks together
// are one parallel loop, then those that want to know more are another one: calling the threads takes longer than many
// a look on sixteen cores. A task of the loop is a portion of each look, so that all are about as much work.
//
//   columns  |0 1|2 3|4 5|6 7|..       round 1: columns, blocks, hash, values, rows
//   hash     |0  |1  |2  |3  |..       round 2: columns, blocks, values, of matrices whose first answers ask for it
//            portion 0, 1, 2, ..
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include <heddle/device.hpp>

#include "analyze/block_windows.hpp"
#include "analyze/parts.hpp"
#include "analyze/row_facts.hpp"
#include "analyze/slice_diagonals.hpp"
#include "analyze/windows.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"
#include "core/watch.hpp"

namespace heddle {

// Does the tasks of all looks: look.run(first, last) for stretches of 0 .. look.tasks() - 1. Some windows take ten
// times as long as others, so scheduling is dynamic: a free thread takes the next few portions, the fewer the fewer are
// left.
template <class... Look>
void look_together(Look&... looks) {
  constexpr std::int64_t most_portions = 128, tasks_of_portion = 2;
  const std::int64_t tasks = (looks.tasks() + ...),
                     portions = std::clamp<std::int64_t>(tasks / tasks_of_portion, 1, most_portions),
                     members = std::min<std::int64_t>(threads(), portions);
  std::atomic<std::int64_t> taken{0};
  parallel_tasks(members, [&](std::int64_t) {
    for (std::int64_t first = taken.load(std::memory_order_relaxed); first < portions;) {
      const std::int64_t last = first + 1 + (portions - first) / (4 * members);
      if (!taken.compare_exchange_weak(first, last, std::memory_order_relaxed)) continue;
      try {
        Watch::pass();
      } catch (...) {
        taken.store(portions);  // the others stop at their next portions
        throw;
      }
      const auto run_part = [&](auto& look) {
        const std::int64_t begin = look.tasks() * first / portions, end = look.tasks() * last / portions;
        if (begin < end) look.run(begin, end);
      };
      (run_part(looks), ...);
      first = taken.load(std::memory_order_relaxed);
    }
  });
}

// All row lengths; no entry is read.
class RowsLook {
 public:
  explicit RowsLook(const PatternView& pattern);
  std::int64_t tasks() const { return static_cast<std::int64_t>(parts_.size()); }
  void run(std::int64_t first, std::int64_t last);
  RowFacts facts() const;

 private:
  struct Partial {
    LengthCounts lengths;
    std::array<std::int64_t, padding_pairs> stored{};
  };
  PatternView A;
  Vector<Partial> parts_;
};

// All row ends and all columns.
class HashLook {
 public:
  explicit HashLook(const PatternView& pattern);
  std::int64_t tasks() const { return row_tasks_ + pair_tasks_; }
  void run(std::int64_t first, std::int64_t last);
  std::uint64_t hash() const;

 private:
  PatternView A;
  std::int64_t row_tasks_, pair_tasks_;
  std::atomic<std::uint64_t> sum_{0};
};

// Some windows of rows with about `sample` entries: merging rows takes up to 60 ns an entry, where blocks are empty.
// Second round: the other shapes, where 2x2 blocks are not too empty for them, or all is asked.
class BlocksLook {
 public:
  BlocksLook(const PatternView& pattern, std::int64_t sample, Detail detail);
  std::int64_t tasks() const { return tasks_; }
  void run(std::int64_t first, std::int64_t last);
  void begin_second_round();
  std::vector<BlockFill> fills() const { return block_fills(counts(), detail_); }

 private:
  template <int Shape>
  void count(std::int64_t task);
  BlockCounts counts() const;

  PatternView A;
  Detail detail_;
  BlockWindows windows_;
  std::int64_t tasks_;
  bool second_round_ = false;  // a task for each other shape
  Vector<BlockCounts> parts_;
};

// All values, as long as there is something to learn. Second round, where the set does not tell: whether floats hold
// them, and how many different ones there may be.
template <class V>
class ValuesLook {
 public:
  ValuesLook(std::span<const V> values, std::int64_t cap);
  ~ValuesLook();
  std::int64_t tasks() const { return tasks_; }
  void run(std::int64_t first, std::int64_t last);
  void begin_second_round();
  ValueFacts facts() const;

 private:
  class Set;
  std::span<const V> val_;
  std::int64_t cap_, tasks_, guess_ = 0;
  bool second_round_ = false;
  std::unique_ptr<Set> seen_;
  std::atomic<bool> exact_{true};
};

// Some windows of rows, a task for each question: a few windows of long rows may be all there are, and where they are
// the tasks are parts of questions. Second round, where `by_degree`: what tiles of columns would gain by their order
// (column_degrees.hpp), which takes as long as the rest.
template <class V>
class ColumnsLook {
 public:
  ColumnsLook(const CsrView<V>& matrix, std::int64_t sample, bool by_degree);
  ~ColumnsLook();
  std::int64_t tasks() const { return tasks_; }
  void run(std::int64_t first, std::int64_t last);
  void begin_second_round();
  SampledFacts facts() const;

 private:
  class Degrees;
  enum Question { on_diagonals, rows_at_once, in_window, entries_at_once, distances, questions };

  Vector<WindowCounts> window_counts() const;

  CsrView<V> A;
  RowWindows windows_;
  bool by_degree_;
  std::int64_t parts_, tasks_;
  Vector<WindowCounts> counts_;  // of each part of each window
  Vector<SliceDiagonals> diagonals_;
  std::unique_ptr<Degrees> degrees_;  // of the second round
};

}  // namespace heddle
