// The spy plot: where the entries of a matrix are, denser places darker.
#pragma once

#include <string>

#include <heddle/matrix.hpp>

#include "terminal/terminal.hpp"

namespace heddle {

// In braille dots (2 x 4 to a character), or in ASCII shades where the locale is not UTF-8; framed, with a final
// newline.
std::string spy_text(const PatternView& A, const Terminal& terminal, int most_lines = 24);

// An image whose longer side has about `size` pixels. Error(unavailable) in a build without libpng.
void write_spy_png(const std::string& path, const PatternView& A, int size);

}  // namespace heddle
