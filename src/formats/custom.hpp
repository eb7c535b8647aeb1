// Formats that the program registered (heddle/custom_format.hpp), as the library sees them.
#pragma once

#include <string>

#include <heddle/custom_format.hpp>

#include "formats/format.hpp"

namespace heddle {

// Null: a format of the library, or none at all.
const CustomFormat* find_custom(const std::string& name);

// With every setting that the plan leaves out. Error(usage) as for formats of the library.
Plan complete_plan(const CustomFormat& format, const Plan& plan);

// registry.cpp: a line more, for good.
void add_line(const Format& line);

}  // namespace heddle
