// Long work asks from time to time whether to go on.
#pragma once

#include <functional>
#include <string_view>

#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {

// What is being done ("arrange", "analyze", "try", "build") and which part of it is done, 0 to 1. Asked on the calling
// thread, at the beginning of each stage and between its steps, at most every 50 ms. False stops the work by
// Error(stopped), and nothing has changed; what it throws passes through.
using KeepGoing = std::function<bool(std::string_view stage, double done)>;

}  // namespace heddle
