// y = alpha A x + beta y with host vectors, timed.
#pragma once

#include <span>
#include <string>

#include <heddle/operator.hpp>

namespace heddle {

template <class V>
struct TimedProduct {
  Buffer<V> y;         // in host memory
  double seconds = 0;  // median over `repeats` multiplies, without moving vectors to or from a GPU
  int repeats = 0;
};

// `y` may be empty when beta = 0. Repeats until `budget` seconds are spent: at least once, so a long multiply is not
// done again only to be timed.
template <class V>
TimedProduct<V> timed_product(const Operator<V>& op, V alpha, std::span<const V> x, V beta, std::span<const V> y,
                              double budget);

// Euclidean norm, scaled so that it overflows only when the result does; NaN and Inf in y show.
template <class V>
double norm(std::span<const V> y);

// 16 hexadecimal digits over the bits of y, in order: equal for equal bits, on every machine.
template <class V>
std::string checksum(std::span<const V> y);

}  // namespace heddle
