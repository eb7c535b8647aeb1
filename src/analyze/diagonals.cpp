#include "analyze/diagonals.hpp"

#include <algorithm>
#include <bit>

#include "core/system.hpp"

namespace heddle {

namespace {

struct Tally {
  const PatternView& A;
  std::int64_t count = 0, length = 0;

  //  diagonal d = column - row of a rows x cols matrix:  d = -(rows-1) .. cols-1
  void add(std::int64_t d) {
    ++count;
    length += std::min(A.rows, A.cols - d) - std::max<std::int64_t>(0, -d);
  }
  Diagonals result() const { return {count, static_cast<double>(A.nnz()) / static_cast<double>(length)}; }
};

Diagonals count_by_sorting(const PatternView& A) {
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

DiagonalMarks::DiagonalMarks(const PatternView& matrix) : A(matrix), zero_(matrix.rows - 1) {
  if (A.nnz() < (A.rows + A.cols) / 64) return;
  marks_ = Buffer<std::uint64_t>((A.rows + A.cols + 63) / 64);
  std::fill(marks_.begin(), marks_.end(), 0);
}

bool DiagonalMarks::repeats_row_before(std::int64_t row) const {
  const Offset begin = A.ptr[row], length = A.length(row);
  if (length != A.length(row - 1)) return false;
  const Index *here = A.col.data() + begin, *before = here - length;
  for (Offset k = 0; k < length; ++k)
    if (here[k] != before[k] + 1) return false;
  return true;
}

// A bit that is set is only read, so that the few diagonals of a structured matrix stay in the caches of all cores.
void DiagonalMarks::mark(std::int64_t row) {
  const std::int64_t shift = zero_ - row;
  for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
    const std::int64_t place = A.col[k] + shift;
    const std::atomic_ref word(marks_.data()[place >> 6]);
    const std::uint64_t bit = std::uint64_t{1} << (place & 63);
    if (!(word.load(std::memory_order_relaxed) & bit)) word.fetch_or(bit, std::memory_order_relaxed);
  }
}

Diagonals DiagonalMarks::count() const {
  if (A.nnz() == 0) return {};
  if (marks_.empty()) return count_by_sorting(A);
  Tally tally{A};
  for (std::int64_t i = 0; i < marks_.size(); ++i)
    for (std::uint64_t word = marks_[i]; word != 0; word &= word - 1)
      tally.add(i * 64 + std::countr_zero(word) - zero_);
  return tally.result();
}

}  // namespace heddle
