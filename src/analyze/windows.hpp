// Windows of neighbouring rows, spread over the matrix by entries: what sampled facts look at.
//
//   all of a small matrix          |--256 rows--|--256 rows--|--...        weight: entries of the window
//   of a larger one                   |------|        |------|             each starts at a multiple of 32 rows and has
//                                                                          at most 256 rows and 16384 entries; weight
//                                                                          1, because entries have chosen the windows
//
// Where 32 rows are too much for a window, a row stands alone; of one longer than a window the middle is read. The
// choice depends on the matrix only, and is the same on every device.
#pragma once

#include <algorithm>
#include <cstdint>

#include <heddle/matrix.hpp>

#include "simt/annotations.hpp"

namespace heddle {

struct RowWindow {
  std::int64_t first = 0, last = 0;  // rows
  Offset begin = 0, end = 0;         // entries: inside the only row when that is longer than a window
  // Rows of hundreds of entries are never stored by diagonals: how many they touch is not asked.
  SIMT_BOTH bool shows_diagonals() const { return last - first > 1 && end - begin <= 512 * (last - first); }
};

// What is asked about a window may be asked in parts, by several threads: this is one of `of`.
struct PartOfWindow {
  std::int64_t number = 0, of = 1;

  // Its share of so many.
  std::int64_t begin(std::int64_t size) const { return size * number / of; }
  std::int64_t end(std::int64_t size) const { return size * (number + 1) / of; }
};

// The arithmetic of the choice.
struct WindowChoice {
  static constexpr std::int64_t rows = 256, entries = 1 << 14, slice = 32;

  std::int64_t matrix_rows = 0, nnz = 0, count = 0;
  bool all = false;

  WindowChoice(std::int64_t matrix_rows_, std::int64_t nnz_, std::int64_t sample)
      : matrix_rows(matrix_rows_), nnz(nnz_), all(nnz_ <= sample) {
    const std::int64_t typical =
        std::clamp<std::int64_t>(rows * nnz / std::max<std::int64_t>(1, matrix_rows), 256, entries);
    count = nnz == 0 ? 0 : all ? (matrix_rows + rows - 1) / rows : std::max<std::int64_t>(1, sample / typical);
  }

  // Of a small matrix.
  SIMT_BOTH std::int64_t first_row(std::int64_t i) const { return i * rows; }

  // Of a larger one: somewhere in the i-th of `count` equal parts. A fixed distance could keep step with the lines of a
  // grid.
  SIMT_BOTH Offset entry(std::int64_t i) const {
    const std::int64_t part = std::max<std::int64_t>(1, nnz / count);
    const auto jitter = static_cast<std::int64_t>(static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15u >> 33);
    return std::min(i * part + jitter % part, nnz - 1);
  }
  // The window around that entry of that row; ptr(r) for r = row / 32 * 32 .. + 256 and for row, row + 1 is asked.
  template <class Ptr>
  SIMT_BOTH RowWindow around(std::int64_t row, Offset entry, const Ptr& ptr) const {
    const Offset row_end = ptr(row + 1);
    if (row_end - ptr(row) > entries) return {row, row + 1, entry, std::min(entry + entries, row_end)};
    const std::int64_t first = row / slice * slice;
    std::int64_t last = std::min(matrix_rows, first + rows);
    const Offset begin = ptr(first);
    while (last - first > slice && ptr(last) - begin > entries) last -= slice;
    while (last - 1 > row && ptr(last) - begin > entries) --last;
    if (ptr(last) - begin > entries) return {row, row + 1, ptr(row), row_end};
    return {first, last, begin, ptr(last)};
  }
};

class RowWindows : public WindowChoice {
 public:
  RowWindows(const PatternView& pattern, std::int64_t sample)
      : RowWindows(pattern, WindowChoice(pattern.rows, pattern.nnz(), sample)) {}
  RowWindows(const PatternView& pattern, const WindowChoice& choice) : WindowChoice(choice), A(pattern) {}

  RowWindow operator[](std::int64_t i) const {
    if (all) {
      const std::int64_t first = first_row(i), last = std::min(A.rows, first + rows);
      return {first, last, A.ptr[first], A.ptr[last]};
    }
    const auto after = std::upper_bound(A.ptr.begin(), A.ptr.end(), entry(i));
    return around(after - A.ptr.begin() - 1, entry(i), [&](std::int64_t row) { return A.ptr[row]; });
  }

 private:
  PatternView A;
};

}  // namespace heddle
