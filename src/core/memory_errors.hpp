// What the standard library throws where there is no memory becomes the library's own error. Around the bodies of
// public functions, whose strings and small vectors come from operator new; arrays fail by themselves
// (core/system.hpp).
#pragma once

#include <new>

#include "core/check.hpp"

namespace heddle {

template <class F>
decltype(auto) with_memory_errors(F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (const std::bad_alloc&) {
    fail(ErrorKind::unavailable, "out of memory");
  }
}

}  // namespace heddle
