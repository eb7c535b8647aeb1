// What a command line that was not understood means: the first word that is wrong, in the order it was written, and the
// word that was meant.
#pragma once

#include <string>
#include <vector>

#include <heddle/error.hpp>

#include "options/option.hpp"

namespace heddle {

// `heddle help [COMMAND]`, `heddle version`, -h, -v and -V as the options they stand for.
std::vector<std::string> with_usual_words(std::vector<std::string> words);

Error usage_error(const Command& root, const Misuse& misuse, const std::vector<std::string>& words);

}  // namespace heddle
