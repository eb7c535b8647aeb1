#include <atomic>
#include <bit>

#include "analyze/parts.hpp"
#include "analyze/row_pieces.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

//  diagonal d = column - row of a rows x cols matrix:  d = -(rows-1) .. cols-1
std::int64_t length_of_diagonal(const PatternView& A, std::int64_t d) {
  return std::min(A.rows, A.cols - d) - std::max<std::int64_t>(0, -d);
}

struct Tally {
  const PatternView& A;
  std::int64_t count = 0, length = 0;

  void add(std::int64_t d) {
    ++count;
    length += length_of_diagonal(A, d);
  }
  Diagonals result() const { return {count, static_cast<double>(A.nnz()) / static_cast<double>(length)}; }
};

// One bit per possible diagonal. A set bit is only looked at, so the few diagonals of a structured matrix stay in
// everybody's cache.
Diagonals mark_in_bitmap(const PatternView& A) {
  Buffer<std::uint64_t> marks((A.rows + A.cols + 63) / 64);
  std::fill(marks.begin(), marks.end(), 0);
  const std::int64_t zero = A.rows - 1;  // place of the main diagonal
  RowPieces{A}.for_each([&](std::int64_t, std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row)
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
        const std::int64_t place = A.col[k] - row + zero;
        const std::atomic_ref word(marks[place >> 6]);
        const std::uint64_t bit = std::uint64_t{1} << (place & 63);
        if (!(word.load(std::memory_order_relaxed) & bit)) word.fetch_or(bit, std::memory_order_relaxed);
      }
  });
  Tally tally{A};
  for (std::int64_t i = 0; i < marks.size(); ++i)
    for (std::uint64_t word = marks[i]; word != 0; word &= word - 1) tally.add(i * 64 + std::countr_zero(word) - zero);
  return tally.result();
}

// For a handful of entries in a giant matrix: memory by entries, not by dimensions.
Diagonals sort_differences(const PatternView& A) {
  Vector<std::int64_t> differences;
  differences.reserve(static_cast<std::size_t>(A.nnz()));
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) differences.push_back(A.col[k] - row);
  std::sort(differences.begin(), differences.end());
  const auto end = std::unique(differences.begin(), differences.end());
  Tally tally{A};
  for (auto d = differences.begin(); d != end; ++d) tally.add(*d);
  return tally.result();
}

}  // namespace

Diagonals measure_diagonals(const PatternView& A) {
  if (A.nnz() == 0) return {};
  return A.nnz() < (A.rows + A.cols) / 64 ? sort_differences(A) : mark_in_bitmap(A);
}

}  // namespace heddle
