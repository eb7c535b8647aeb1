// The first lines of a Matrix Market file: what it says about itself, checked against what it can hold.
//
//   %%MatrixMarket matrix coordinate real symmetric     banner: words in any case
//   % comments and blank lines, any number
//   5 5 8                                               rows, columns, entries (array: rows, columns)
#pragma once

#include <cstdint>
#include <string>

#include <heddle/io.hpp>

#include "io/text.hpp"

namespace heddle::io {

enum class Field { real, integer, pattern };
enum class Symmetry { general, symmetric, skew_symmetric };  // hermitian is symmetric, as there is nothing to conjugate

struct MarketHeader {
  bool array = false;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::string symmetry_word;  // as in the banner
  std::int64_t rows = 0, cols = 0;
  std::int64_t entries = 0;    // lines of data that must follow
  std::int64_t size_line = 0;  // where the sizes are
  std::int64_t body = 0;       // byte behind that line
};

bool is_matrix_market(const Text& text);
// Error(input) with file:line. Afterwards `entries` is no more than the rest of the text has room for, and `rows` is
// no more than 64 per byte of text (and 2^20 in any case): an array of row offsets is affordable.
MarketHeader read_header(const Text& text);
// How many rows of nothing a text of this size is believed to mean.
std::int64_t most_rows(const Text& text);
void describe(const MarketHeader& header, FileFacts& facts);

}  // namespace heddle::io
