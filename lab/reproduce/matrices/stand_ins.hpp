// Stand-ins that the generators have no name for: matrices with given rows, entries, longest row and deviation.
#pragma once

#include <heddle/matrix.hpp>

#include "core/system.hpp"

namespace heddle::reproduce {

struct Profile {
  std::int64_t rows = 0, nnz = 0, longest = 0;
  double deviation = 0;  // of the row lengths
  // Above 0: a circuit, rows of 1 to 7 entries of which some have up to so many more, and a single longest row.
  std::int64_t surplus = 0;
};

// Lengths with exactly the rows, entries and longest row asked for. The deviation is met as far as lengths between 1
// and the longest can meet it.
Vector<std::int64_t> lengths_of(const Profile& profile);

// The same shape with at most so many entries.
Profile shrunk(const Profile& profile, std::int64_t most_entries);

// Square, values in (0.5, 1.5). Columns lie around the diagonal, spread over three times the length of the row.
Csr<double> matrix_of(const Profile& profile);
Csr<double> matrix_with_lengths(const Vector<std::int64_t>& lengths);

}  // namespace heddle::reproduce
