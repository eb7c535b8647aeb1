// Structure: what a matrix is like, as far as the choice of a format cares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <heddle/matrix.hpp>

namespace heddle {

struct RowLengths {
  std::int64_t min = 0, max = 0, empty = 0;
  double mean = 0, stddev = 0, cv = 0;  // cv = stddev / mean, 0 for an empty matrix
  // histogram[0] counts rows without entries, histogram[k] rows with 2^(k-1) .. 2^k - 1 entries
  std::vector<std::int64_t> histogram;
};

struct BlockFill {
  int r = 0, c = 0;
  double fill = 0;  // stored values of a blocked format per true entry: 1 = every block full
};

struct Diagonals {
  std::int64_t count = 0;     // distinct values of column - row that occur
  double occupancy = 0;       // nnz / sum of the lengths of those diagonals
};

struct Structure {
  std::int64_t rows = 0, cols = 0, nnz = 0;
  RowLengths rows_len;
  std::int64_t bandwidth = 0;  // max |column - row|
  std::int64_t profile = 0;    // sum over rows of max(0, row - first column)
  std::vector<BlockFill> blocks;
  Diagonals diagonals;
  int index_bits = 32;         // least of 8, 16, 32 that holds every column - row as a signed number
  bool structurally_symmetric = false, symmetric = false;
  std::int64_t distinct_values = 0;  // counted up to `distinct_cap`
  bool distinct_capped = false;
  bool f32_exact = false;      // every value survives the way to float and back
};

inline constexpr std::int64_t distinct_cap = 65536;

template <class V>
Structure analyze(CsrView<V> A);
template <class V>
Structure analyze(const Csr<V>& A) {
  return analyze(A.view());
}

// Several lines for people.
std::string to_string(const Structure& facts);

}  // namespace heddle
