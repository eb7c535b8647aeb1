// How far a solve came, in words.
#pragma once

#include <fmt/format.h>

#include <string>

#include <heddle/solve.hpp>

namespace heddle {

// "12 iterations of cg"; "no iteration", where it ended before "auto" had chosen a method. `count` is how many, as
// text.
inline std::string course_of(const Report& report, const std::string& count) {
  if (report.method == "auto") return "no iteration";
  return fmt::format("{} iteration{} of {}", count, report.iterations == 1 ? "" : "s", report.method);
}
inline std::string course_of(const Report& report) { return course_of(report, std::to_string(report.iterations)); }

}  // namespace heddle
