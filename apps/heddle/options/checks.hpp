// What a word of the command line must be. A number must be the whole word, and is never changed to fit.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace heddle {

struct Check {
  std::function<std::string(const std::string&)> complaint;  // about a word; empty: it will do
  std::string shown;                                         // in --help, behind the type
};

Check number_from(double low, double high = std::numeric_limits<double>::infinity());
Check any_number();  // also inf and nan
Check whole_number_from(std::int64_t low, std::int64_t high = std::numeric_limits<std::int64_t>::max());
Check one_of(const std::vector<std::string>& words);
Check existing_folder();

}  // namespace heddle
