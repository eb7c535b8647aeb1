// A word for the kind of pattern a matrix has, to sort and filter results by.
#pragma once

#include <string>

#include <heddle/analyze.hpp>

namespace heddle::bench {

// The first that holds:
//   empty      no entries
//   dense      at least half of all places are stored
//   blocks     aligned 2 x 2 or 3 x 3 blocks are four fifths full: several unknowns a node
//   diagonals  seven entries of ten lie on full diagonals: grids
//   skewed     row lengths vary more than their mean: graphs, circuits, linear programs
//   banded     every entry within a twentieth of the columns from the diagonal
//   scattered  the rest
std::string class_of(const PatternView& A, const Structure& facts);

}  // namespace heddle::bench
