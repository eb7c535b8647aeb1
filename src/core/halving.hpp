// Binary search over numbers instead of elements.
#pragma once

#include <cstdint>

namespace heddle {

// The first number of [begin, end) for which `holds` is false, or end. `holds` must be true up to some number and false
// from there on.
template <class F>
std::int64_t first_without(std::int64_t begin, std::int64_t end, F holds) {
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (holds(middle))
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

}  // namespace heddle
