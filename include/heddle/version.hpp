#pragma once

#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {
inline constexpr const char* version = "0.1.0";
}  // namespace heddle
