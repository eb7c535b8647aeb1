// Orders of rows and columns: reverse Cuthill-McKee, approximate minimum degree, row length; and what they do to a
// matrix.
#pragma once

#include <cstdint>

#include <heddle/export.hpp>
#include <heddle/matrix.hpp>

namespace HEDDLE_PUBLIC heddle {

//   new_to_old  2 0 1        the thing at new place 0 was number 2, ...
//   inverse     1 2 0        its new_to_old[i] is the new place of what was number i
// What takes one looks whether it is one: Error(input) for a number that is missing, repeated or outside.
struct Permutation {
  Buffer<Index> new_to_old;

  static Permutation identity(std::int64_t size);
  std::int64_t size() const { return new_to_old.size(); }
  Permutation inverse() const;
};

// Reverse Cuthill-McKee of the graph of A + A^T, every component from a pseudo-peripheral vertex (George and Liu),
// neighbours by increasing degree, ties by number: small bandwidth, always the same order. Square matrices only.
Permutation rcm_order(const PatternView& A);

// Approximate minimum degree of A + A^T by SuiteSparse's AMD. Square matrices only; Error(unavailable) in a build
// without it.
bool amd_available() noexcept;
Permutation amd_order(const PatternView& A);

// Rows by descending length, equal lengths as they were: over the whole matrix (window = 0), or inside each window of
// that many rows.
Permutation length_order(const PatternView& A, std::int64_t window = 0);

// B with B(i, j) = A(rows.new_to_old[i], cols.new_to_old[j]); its rows are canonical again. The same permutation twice
// is P A P^T.
template <class V>
HEDDLE_PUBLIC Csr<V> permute(CsrView<V> A, const Permutation& rows, const Permutation& cols);
template <class V>
HEDDLE_PUBLIC Csr<V> permute_rows(CsrView<V> A, const Permutation& rows);

// max |column - row| over the entries of a canonical matrix; 0 without entries.
std::int64_t bandwidth(const PatternView& A);

}  // namespace heddle
