#pragma once

#include <string>

#include <heddle/analyze.hpp>

#include "session/session.hpp"

namespace heddle {

// Rows by their number of entries, in powers of two: one line with a bar per bin.
std::string histogram_text(const RowLengths& lengths, const Terminal& terminal);

// {min, mean, max, stddev, cv, empty, histogram: [{from, to, rows}]}
Json lengths_json(const RowLengths& lengths);

}  // namespace heddle
