// Windows of neighbouring rows, spread over the matrix by entries: what sampled facts look at.
//
//   all of a small matrix          |--256 rows--|--256 rows--|--...        weight: entries of the window
//   of a larger one                   |------|        |------|             each starts at a multiple of 32 rows and has
//                                                                          at most 256 rows and 16384 entries; weight
//                                                                          1, because entries have chosen the windows
//
// A row longer than a window is looked at in the middle. The choice depends on the matrix only.
#pragma once

#include <algorithm>
#include <cstdint>

#include <heddle/matrix.hpp>

namespace heddle {

struct RowWindow {
  std::int64_t first = 0, last = 0;  // rows
  Offset begin = 0, end = 0;         // entries: inside the only row when that is longer than a window
  bool whole_rows() const { return last - first > 1; }
};

class RowWindows {
 public:
  static constexpr std::int64_t rows = 256, entries = 1 << 14, slice = 32;

  RowWindows(const PatternView& pattern, std::int64_t sample) : A(pattern), all_(A.nnz() <= sample) {
    count_ = all_ ? (A.rows + rows - 1) / rows : std::max<std::int64_t>(1, sample / typical_entries());
  }

  std::int64_t count() const { return A.nnz() == 0 ? 0 : count_; }
  bool all() const { return all_; }

  RowWindow operator[](std::int64_t i) const {
    if (all_) {
      const std::int64_t last = std::min(A.rows, (i + 1) * rows);
      return {i * rows, last, A.ptr[i * rows], A.ptr[last]};
    }
    return starting_at(scattered_entry(i));
  }

 private:
  std::int64_t typical_entries() const {
    return std::clamp<std::int64_t>(rows * A.nnz() / std::max<std::int64_t>(1, A.rows), 256, entries);
  }

  // Somewhere in the i-th of `count_` equal parts: a fixed distance could keep step with the lines of a grid.
  Offset scattered_entry(std::int64_t i) const {
    const std::int64_t part = std::max<std::int64_t>(1, A.nnz() / count_);
    const auto jitter = static_cast<std::int64_t>(static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15u >> 33);
    return std::min(i * part + jitter % part, A.nnz() - 1);
  }

  RowWindow starting_at(Offset entry) const {
    const auto after = std::upper_bound(A.ptr.begin(), A.ptr.end(), entry);
    const std::int64_t row = after - A.ptr.begin() - 1;
    if (A.length(row) > entries) return {row, row + 1, entry, std::min(entry + entries, A.ptr[row + 1])};
    const std::int64_t first = row / slice * slice;
    std::int64_t last = std::min(A.rows, first + rows);
    while (last - first > slice && A.ptr[last] - A.ptr[first] > entries) last -= slice;
    while (last - 1 > row && A.ptr[last] - A.ptr[first] > entries) --last;
    return {first, std::min(last, A.rows), A.ptr[first], A.ptr[std::min(last, A.rows)]};
  }

  PatternView A;
  bool all_;
  std::int64_t count_ = 0;
};

}  // namespace heddle
