// How large a right-hand side is, and the power of two that brings it near one.
#pragma once

#include "solve/problem.hpp"

namespace heddle::solve_method {

// Squares of numbers that are very large or very small leave the range of double, and products with very small floats
// lose bits: then the system is solved for scale b, which changes nothing else.
struct Size {
  bool finite = true;                             // no Inf or NaN in b
  double scale = 1;                               // a power of two; 1 for everything usual
  double scaled = 0;                              // |scale b|, a number that may be squared
  double norm() const { return scaled / scale; }  // Inf where that is beyond the numbers there are
};

// Waits.
template <class V>
Size size_of(Problem<V>& problem, const V* b);

// The elements of a vector of the problem's device. Waits.
template <class V>
Buffer<V> on_host(const Problem<V>& problem, const V* a);

}  // namespace heddle::solve_method
