// What a command line that was not understood means: the first word that is wrong, in the order it was written, and the
// word that was meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include <heddle/error.hpp>

namespace heddle {

// `heddle help [COMMAND]`, `heddle version`, -h, -v and -V as the options they stand for.
std::vector<std::string> with_usual_words(std::vector<std::string> words);

Error usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words);

}  // namespace heddle
