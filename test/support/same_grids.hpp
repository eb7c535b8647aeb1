// Grids of amg bit by bit, and vectors to fit them to.
#pragma once

#include <cmath>
#include <cstring>

#include <heddle/matrix.hpp>

#include "solve/amg/grids.hpp"

namespace heddle::test {

template <class T>
bool same_bits(const Buffer<T>& one, const Buffer<T>& other) {
  const Buffer<T> a = one.to({}), b = other.to({});
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}
inline bool same_bits(const Csr<double>& one, const Csr<double>& other) {
  return (one.rows == 0 && other.rows == 0) || identical(one.to({}), other.to({}));
}
inline bool same_bits(const solve_method::Grid& one, const solve_method::Grid& other) {
  return same_bits(one.A, other.A) && same_bits(one.P, other.P) && same_bits(one.R, other.R) &&
         same_bits(one.inverse, other.inverse) && one.largest == other.largest;
}
inline bool same_bits(const solve_method::Grids& one, const solve_method::Grids& other) {
  bool same = one.all.size() == other.all.size() && same_bits(one.inverse, other.inverse);
  for (std::size_t i = 0; same && i < one.all.size(); ++i) same = same_bits(one.all[i], other.all[i]);
  return same;
}

// Vectors of all kinds: a constant, waves, one that depends on the others, and zero.
inline solve_method::NearNullspace uneven_vectors(std::int64_t rows, Device device = {}) {
  constexpr int count = 5;
  Buffer<double> made(count * rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    made[i] = 1;
    made[rows + i] = std::sin(0.3 * static_cast<double>(i));
    made[2 * rows + i] = 3 - 2 * made[rows + i];
    made[3 * rows + i] = 0;
    made[4 * rows + i] = static_cast<double>(i % 7);
  }
  return {count, made.to(device)};
}

}  // namespace heddle::test
