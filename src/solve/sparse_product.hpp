// Sparse matrices that are made row by row, and their products (Gustavson 1978): row i of A B is the sum of a_ik times
// row k of B. In double, on the host, the same bits for any number of threads.
#pragma once

#include <algorithm>

#include <heddle/matrix.hpp>

#include "core/parallel.hpp"
#include "core/system.hpp"

namespace heddle::solve_method {

// The sums of one row by column.
class RowSum {
 public:
  explicit RowSum(std::int64_t columns) : place_(static_cast<std::size_t>(columns), nowhere) {}

  void add(std::int64_t column, double value) {
    Index& place = place_[static_cast<std::size_t>(column)];
    if (place == nowhere) {
      place = static_cast<Index>(columns_.size());
      columns_.push_back(static_cast<Index>(column));
      sums_.push_back(value);
    } else {
      sums_[static_cast<std::size_t>(place)] += value;
    }
  }

  // Appends the row in the order of its columns, and is empty again.
  void move_to(Vector<Index>& col, Vector<double>& val) {
    std::sort(columns_.begin(), columns_.end());
    for (const Index column : columns_) {
      Index& place = place_[static_cast<std::size_t>(column)];
      col.push_back(column);
      val.push_back(sums_[static_cast<std::size_t>(place)]);
      place = nowhere;
    }
    columns_.clear();
    sums_.clear();
  }

 private:
  static constexpr Index nowhere = -1;
  Vector<Index> place_;  // of a column among those of this row
  Vector<Index> columns_;
  Vector<double> sums_;
};

// A matrix whose row i is what add_row(i, sum) adds up. Few tasks, because each has an element for every column.
template <class AddRow>
Csr<double> from_rows(std::int64_t rows, std::int64_t cols, AddRow add_row) {
  constexpr std::int64_t fewest = 128, most_tasks = 64;
  struct Piece {
    Vector<Index> col;
    Vector<double> val;
  };
  const std::int64_t grain = std::max(fewest, (rows + most_tasks - 1) / most_tasks);
  Vector<Piece> pieces(static_cast<std::size_t>((rows + grain - 1) / grain));
  Csr<double> made{rows, cols, Buffer<Offset>(rows + 1), Buffer<Index>(), Buffer<double>()};
  parallel_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    Piece& piece = pieces[static_cast<std::size_t>(begin / grain)];
    RowSum sum(cols);
    for (std::int64_t row = begin; row < end; ++row) {
      const std::size_t before = piece.col.size();
      add_row(row, sum);
      sum.move_to(piece.col, piece.val);
      made.ptr[row + 1] = static_cast<Offset>(piece.col.size() - before);
    }
  });
  made.ptr[0] = 0;
  for (std::int64_t row = 0; row < rows; ++row) made.ptr[row + 1] += made.ptr[row];
  made.col = Buffer<Index>(made.ptr[rows]);
  made.val = Buffer<double>(made.ptr[rows]);
  parallel_tasks(static_cast<std::int64_t>(pieces.size()), [&](std::int64_t at) {
    const Piece& piece = pieces[static_cast<std::size_t>(at)];
    std::copy(piece.col.begin(), piece.col.end(), made.col.begin() + made.ptr[at * grain]);
    std::copy(piece.val.begin(), piece.val.end(), made.val.begin() + made.ptr[at * grain]);
  });
  return made;
}

inline Csr<double> product(const CsrView<double>& A, const CsrView<double>& B) {
  return from_rows(A.rows, B.cols, [&](std::int64_t row, RowSum& sum) {
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      for (Offset m = B.ptr[A.col[k]]; m < B.ptr[A.col[k] + 1]; ++m) sum.add(B.col[m], A.val[k] * B.val[m]);
  });
}

// The multiplications of numbers that `product` does.
inline std::int64_t product_work(const PatternView& A, const PatternView& B) {
  std::int64_t work = 0;
  for (const Index column : A.col) work += B.length(column);
  return work;
}

}  // namespace heddle::solve_method
