// What a file that is no matrix seems to be, and how its contents can be had.
#pragma once

#include <string>

#include "io/text.hpp"

namespace heddle::io {

// A sentence for the hint of an error; empty for what is not known.
std::string hint_about_foreign(const Text& text);

}  // namespace heddle::io
