// Structure: what a matrix is like, as far as the choice of a format cares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <heddle/export.hpp>
#include <heddle/matrix.hpp>

namespace HEDDLE_PUBLIC heddle {

struct RowLengths {
  std::int64_t min = 0, max = 0, empty = 0;
  double mean = 0, stddev = 0, cv = 0;  // cv = stddev / mean, 0 for an empty matrix
  // histogram[0] counts rows without entries, histogram[k] rows with 2^(k-1) .. 2^k - 1 entries
  std::vector<std::int64_t> histogram;
  std::vector<std::int64_t> counts;  // counts[k] rows with exactly k entries, k < short_row
};
inline constexpr std::int64_t short_row = 256;

struct BlockFill {
  int r = 0, c = 0;
  // Stored values of a blocked format (aligned blocks) per true entry: 1 = every block full; 0 without entries.
  double fill = 0;
};

struct Diagonals {
  std::int64_t count = 0;     // distinct values of column - row that occur
  double occupancy = 0;       // nnz / sum of the lengths of those diagonals
  std::int64_t full = 0;      // diagonals with an entry in at least half of the rows (sampled, as all below)
  std::int64_t constant = 0;  // of those, how many have one value all along
  double full_share = 0;      // share of the entries that lie on full diagonals
  double slice_fill = 0;      // places per entry when each slice of 128 rows keeps every diagonal it touches
  std::int64_t patterns = 0;  // different lists of diagonals of such slices, as many as there may be in the matrix
};

// What slices of C rows store per true entry when rows are sorted by length inside windows of sigma rows.
struct SlicePadding {
  int C = 0;
  std::int64_t sigma = 1;
  double stored = 0;
};

// Where the entries of a row lie; sampled.
struct Columns {
  double mean_run = 0;                         // entries in neighbouring columns before a gap
  double delta4 = 0, delta8 = 0, delta16 = 0;  // share of distances inside a row below 2^4, 2^8, 2^16
  double near16 = 0;                           // share of entries with column - row in 16 bits
  double slices16 = 0;             // share of entries in slices of 32 rows whose columns span less than 2^16
  double tile_rows = 0;            // (row, tile) pairs per entry when the columns are cut into tiles of 2^15
  double tile_rows_by_degree = 0;  // the same with the columns in the order of falling number of entries
};

// What reading x costs, in sectors of 32 bytes per entry: from 1/8 (float) or 1/4 (double) to 1; sampled.
struct Gather {
  double rows = 0;     // 32 neighbouring rows read their k-th entries at once
  double entries = 0;  // 32 consecutive entries are read at once
  double window = 0;   // each window of 256 rows (at most 16384 entries) reads every sector once
};

struct Structure {
  std::int64_t rows = 0, cols = 0, nnz = 0;
  RowLengths rows_len;
  std::int64_t bandwidth = 0;  // max |column - row|
  std::int64_t profile = 0;    // sum over rows of max(0, row - first column)
  std::vector<BlockFill> blocks;
  bool blocks_sampled = false;  // `blocks` comes from rows spread evenly over a large matrix, not from all
  Diagonals diagonals;
  std::vector<SlicePadding> padding;  // exact
  Columns columns;
  Gather gather_f32, gather_f64;
  std::int64_t sampled_entries = 0;  // how many entries the sampled facts rest on
  std::uint64_t pattern_hash = 0;    // of shape and pattern: names the matrix in caches
  int index_bits = 32;               // least of 8, 16, 32 that holds every column - row as a signed number
  bool structurally_symmetric = false, symmetric = false;
  std::int64_t distinct_values = 0;  // counted up to `distinct_cap`
  bool distinct_capped = false;
  std::int64_t distinct_guess = 0;  // the same where that is all; else as many as there may be: doubles are sampled
  bool f32_exact = false;           // every value survives the way to float and back
};

inline constexpr std::int64_t distinct_cap = 65536;

// `planning` leaves out what no choice of a format asks (symmetry, bandwidth and profile, how many diagonals there are
// in all, blocks other than 2x2 where those are nearly empty), counts distinct values to 256 only and samples less: one
// to five multiplications' time for matrices of a million entries and more.
enum class Detail { all, planning };

// A must be canonical. Threaded; the result does not depend on the number of threads. Values are distinct when their
// bits are (NaN equals itself, -0 differs from 0); `symmetric` means a_ij and a_ji have the same bits.
// A matrix in the memory of a GPU (or of the emulator) is analysed there for planning, with the same facts to the last
// bit: all of it is read once, and a few kilobytes of counts come back. For Detail::all it is copied to the host first.
template <class V>
HEDDLE_PUBLIC Structure analyze(CsrView<V> A, Detail detail = Detail::all);
template <class V>
HEDDLE_PUBLIC Structure analyze(const Csr<V>& A, Detail detail = Detail::all);

// Several lines for people.
std::string to_string(const Structure& facts);

}  // namespace heddle
