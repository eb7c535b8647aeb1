// solve --coordinates: the nodes of a body, whose rigid motions amg keeps in mind.
#pragma once

#include <string>

#include <heddle/solve.hpp>

namespace heddle {

// From a Matrix Market file with a row for each node, and a column for each of its 2 or 3 coordinates.
void take_coordinates(const std::string& path, std::int64_t unknowns, bool reordered, PreconditionerOptions& amg);

}  // namespace heddle
