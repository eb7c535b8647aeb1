// Questions about row lengths that the counts of analyze answer exactly, or nearly where rows are long.
#pragma once

#include <heddle/analyze.hpp>

namespace heddle {

// Sum over all rows of length rounded up to a multiple of `unit`.
double rounded_entries(const RowLengths& lengths, std::int64_t rows, std::int64_t nnz, std::int64_t unit);

// Rows of short_row entries and more.
double long_row_count(const RowLengths& lengths, std::int64_t rows);

// All rows of at most `limit` entries (below short_row) together.
struct ShortRowSums {
  double rows = 0, entries = 0, squares = 0;
};
ShortRowSums rows_up_to(const RowLengths& lengths, std::int64_t limit);

// Of each row at most `limit` entries.
double clipped_entries(const RowLengths& lengths, std::int64_t rows, std::int64_t nnz, std::int64_t limit);

// The least k such that at most a third of the rows is longer.
std::int64_t two_thirds_width(const RowLengths& lengths, std::int64_t rows);

// Rows whose length is another than that of the row before, if rows came in random order: each costs a CPU a wrong
// guess.
double mispredicted_row_ends(const RowLengths& lengths, std::int64_t rows);

// Entries that slices of C rows store per true one; the nearest pair that was measured.
double padding_of(const Structure& facts, int C, std::int64_t sigma);

}  // namespace heddle
