// A survey: Detail::planning of a matrix that lies on a GPU (or the emulator). Kernels count whole numbers, in any
// order, and the host makes facts of them by the same functions as of its own counts: so both agree to the last bit.
//
//   clear     the totals and the tables
//   count     blocks of threads take tasks from one list until it is empty; the few long ones come first
//               windows      sampled: columns, reads of x, diagonals                  survey_windows.hpp
//               2x2 blocks   sampled                                                  survey_blocks.hpp
//               columns      sampled: how often each occurs                           survey_degrees.hpp
//               values       sampled: how many different ones                         survey_entries.hpp
//               rows         all of ptr: lengths, padding, half of the hash           survey_rows.hpp
//               entries      all of col and val: the other half, values               survey_entries.hpp
//   conclude  what needs the totals: full diagonals, larger blocks, tiles in the order of degrees
//   report    totals and windows' counts into memory of the host, or one copy of them
#pragma once

#include <heddle/analyze.hpp>

#include "analyze/block_windows.hpp"
#include "analyze/column_counts.hpp"
#include "analyze/row_facts.hpp"
#include "analyze/windows.hpp"
#include "simt/simt.hpp"

namespace heddle {

// Sums, but for the two that say max. All of them start at 0; words of 64 bits, so that a block of threads can add its
// own word by word.
struct SurveyTotals {
  using Word = std::uint64_t;
  Word longest;  // max
  Word shorter;  // max of `not_longer` - length
  Word hash;
  Word squares_low, squares_high;  // of rows with short_row entries or more
  Word long_rows[33];              // by the bits of their length
  Word lengths[short_row];
  Word stored[padding_pairs];
  Word block_entries, entries_of_fives, blocks[block_shapes];
  Word diagonal_rows, diagonal_entries, slice_places, slice_entries;
  Word diagonals, full, constant, on_full;   // diagonals: different ones, see DiagonalCounts
  Word slices, patterns;                     // likewise
  Word columns_at_least[256];                // see ColumnDegrees
  Word values, zeros, many_values, inexact;  // different values beside 0; the others: whether there are any
  Word sampled_values;                       // different ones of those of a ValueSample
  Word next_task;

  static constexpr int maxima = 2;
  static constexpr Word not_longer = INT32_MAX;
};
inline constexpr int survey_words = sizeof(SurveyTotals) / sizeof(SurveyTotals::Word);

// One diagonal of column - row = key ^ 2^31, over all slices where it fills a quarter. Bits that are 1 in some of its
// values are in `ones`, those that are 0 in some in `zeros`: with a constant value no bit is in both.
struct SurveyDiagonal {
  static constexpr std::uint32_t slots = 1 << 14;
  std::uint32_t key, entries;
  std::uint64_t ones, zeros;
};

struct SurveyColumn {
  std::uint32_t column_plus_1, count;
};

template <class V>
struct Survey {
  static constexpr std::int64_t value_slots = 1024, pattern_slots = 4096;

  std::int64_t rows, cols, nnz;
  const Offset* ptr;
  const Index* col;
  const V* val;
  bool aligned;       // col and val to 16 bytes
  bool hashes;        // whether the hash of the pattern is wanted, which reads all columns
  std::int64_t runs;  // of entries whose columns are counted, see ColumnDegrees
  WindowChoice windows;
  BlockWindows blocks;
  // Memory of the survey.
  SurveyTotals* totals;
  WindowCounts* window;  // of each window; one for all windows of a small matrix
  std::uint64_t* values;
  SurveyDiagonal* diagonals;
  std::uint64_t* patterns;  // of slices, see SliceDiagonals
  SurveyColumn* columns;
  std::uint64_t* words;  // all of that memory
  std::int64_t word_count;
  // The first words are for the host: memory of its own that kernels reach, or null.
  std::int64_t words_for_host;
  std::uint64_t* host_words;

  SIMT_BOTH std::int64_t window_counts() const {
    return windows.all ? std::min<std::int64_t>(1, windows.count) : windows.count;
  }
};

template <class V>
void run_survey(simt::Emulator, const Survey<V>& survey);
template <class V>
void run_survey(simt::Cuda, const Survey<V>& survey);

}  // namespace heddle
