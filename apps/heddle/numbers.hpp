// Numbers of the command line: the whole word must be one, and it is never changed to fit.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace heddle {

CLI::Validator number_from(double low, double high = std::numeric_limits<double>::infinity());
CLI::Validator any_number();  // also inf and nan
CLI::Validator whole_number_from(std::int64_t low, std::int64_t high = std::numeric_limits<std::int64_t>::max());

}  // namespace heddle
