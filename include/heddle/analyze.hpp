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
  // Stored values of a blocked format (aligned blocks) per true entry: 1 = every block full; 0 without entries.
  double fill = 0;
};

struct Diagonals {
  std::int64_t count = 0;  // distinct values of column - row that occur
  double occupancy = 0;    // nnz / sum of the lengths of those diagonals
};

struct Structure {
  std::int64_t rows = 0, cols = 0, nnz = 0;
  RowLengths rows_len;
  std::int64_t bandwidth = 0;  // max |column - row|
  std::int64_t profile = 0;    // sum over rows of max(0, row - first column)
  std::vector<BlockFill> blocks;
  bool blocks_sampled = false;  // `blocks` comes from rows spread evenly over a large matrix, not from all
  Diagonals diagonals;
  int index_bits = 32;  // least of 8, 16, 32 that holds every column - row as a signed number
  bool structurally_symmetric = false, symmetric = false;
  std::int64_t distinct_values = 0;  // counted up to `distinct_cap`
  bool distinct_capped = false;
  bool f32_exact = false;  // every value survives the way to float and back
};

inline constexpr std::int64_t distinct_cap = 65536;

// A must be canonical. Threaded; the result does not depend on the number of threads. Values are distinct when their
// bits are (NaN equals itself, -0 differs from 0); `symmetric` means a_ij and a_ji have the same bits.
template <class V>
Structure analyze(CsrView<V> A);
template <class V>
Structure analyze(const Csr<V>& A) {
  return analyze(A.view());
}

// Several lines for people.
std::string to_string(const Structure& facts);

}  // namespace heddle
