// Which diagonals of a matrix hold an entry. Filled by several threads at once, row by row.
#pragma once

#include <cstdint>

#include <heddle/analyze.hpp>

namespace heddle {

class DiagonalMarks {
 public:
  // A handful of entries in a giant matrix gets no bitmap: memory goes by entries, not by dimensions.
  explicit DiagonalMarks(const PatternView& matrix);

  // Rows of a mesh mostly repeat the row before, one column to the right: then nothing can be new.
  void add(std::int64_t row, bool follows) {
    if (!marks_.empty() && !(follows && repeats_row_before(row))) mark(row);
  }

  Diagonals count() const;

 private:
  bool repeats_row_before(std::int64_t row) const;
  void mark(std::int64_t row);

  const PatternView& A;
  std::int64_t zero_;            // place of the main diagonal
  Buffer<std::uint64_t> marks_;  // one bit per diagonal, from the lower left corner to the upper right one
};

}  // namespace heddle
