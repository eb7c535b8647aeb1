// Binary search over numbers instead of elements.
#pragma once

#include <algorithm>
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

// The same, from `guess` on in steps that double: few looks where it is near.
template <class F>
std::int64_t first_without_near(std::int64_t guess, std::int64_t begin, std::int64_t end, F holds) {
  std::int64_t step = 1;
  if (guess < end && holds(guess)) {
    for (begin = guess + 1; begin + step <= end && holds(begin + step - 1); step *= 2) begin += step;
    return first_without(begin, std::min(end, begin + step - 1), holds);
  }
  for (end = guess; end - step >= begin && !holds(end - step); step *= 2) end -= step;
  return first_without(std::max(begin, end - step + 1), end, holds);
}

}  // namespace heddle
