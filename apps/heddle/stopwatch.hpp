#pragma once

#include <chrono>

namespace heddle {

template <class F>
double seconds_of(F f) {
  const auto begun = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace heddle
