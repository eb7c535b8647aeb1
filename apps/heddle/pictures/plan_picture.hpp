// Candidate plans and their times, as a picture.
#pragma once

#include <string>

#include <heddle/choose.hpp>

namespace heddle {

// An SVG with a line for every candidate that fits, best first: what was predicted and, where it was tried, what was
// measured, on one logarithmic scale.
std::string candidates_svg(const std::string& title, const Choice& choice);

}  // namespace heddle
