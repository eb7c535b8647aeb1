// A run-time integer becomes a compile-time one in one place instead of in ladders of cases.
#pragma once

#include <string>
#include <type_traits>

#include <heddle/error.hpp>

namespace heddle {

// Calls f(std::integral_constant<int, N>) for the N of the list that equals `value`.
template <int... N, class F>
void dispatch_int(int value, F&& f) {
  const bool found = ((value == N && (f(std::integral_constant<int, N>{}), true)) || ...);
  if (!found) throw Error(ErrorKind::internal, "no kernel was compiled for the value " + std::to_string(value));
}

}  // namespace heddle
