#pragma once

#include <string>

#include <heddle/analyze.hpp>

#include "terminal.hpp"

namespace heddle {

// Rows by their number of entries, in powers of two: one line with a bar per bin.
std::string histogram_text(const RowLengths& lengths, const Terminal& terminal);

}  // namespace heddle
