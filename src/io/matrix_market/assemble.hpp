// Entries in the order of the file -> canonical Csr: mirrored if symmetric, rows sorted, duplicates added in file
// order.
//
//   row ascends already      col and val are final; only ptr is made                             16 bytes an entry
//   any other order          a stable counting sort by row: columns first, then values, so that
//                            row + (col, col') and row + col' + (val, val') are the peaks         24 bytes an entry
//
// Twice the result (12 bytes an entry) is the most that is ever held.
#pragma once

#include <heddle/matrix.hpp>

#include "io/matrix_market/market_header.hpp"

namespace heddle::io {

template <class V>
struct Entries {
  std::int64_t rows = 0, cols = 0;
  Symmetry symmetry = Symmetry::general;
  Buffer<Index> row, col;
  Buffer<V> val;  // empty for a pattern: all ones
};

template <class V>
Csr<V> assemble(Entries<V>&& entries, int threads);

}  // namespace heddle::io
