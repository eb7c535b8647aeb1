// Random numbers as a pure function of (seed, place): no state is carried from row to row, so rows can be made in any
// order, by any number of threads, twice, and always come out the same. Integer arithmetic and correctly rounded
// operations (+ - * / sqrt) only: nothing here depends on the machine, the compiler or its mathematical library.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/system.hpp"

#include <heddle/matrix.hpp>

namespace heddle::synthetic {

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: the step of splitmix64

// The finaliser of splitmix64: a bijection of 64-bit words without visible structure.
inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

inline std::uint64_t hash(std::uint64_t seed, std::int64_t a) {
  return mix(mix(seed) + golden * (static_cast<std::uint64_t>(a) + 1));
}
inline std::uint64_t hash(std::uint64_t seed, std::int64_t a, std::int64_t b) {
  return mix(hash(seed, a) + golden * (static_cast<std::uint64_t>(b) + 1));
}
// The same for (a, b) and (b, a).
inline std::uint64_t hash_pair(std::uint64_t seed, std::int64_t a, std::int64_t b) {
  return a < b ? hash(seed, a, b) : hash(seed, b, a);
}

// 0 .. n-1, from the upper bits of the product; the bias is below n / 2^64.
inline std::int64_t below(std::uint64_t bits, std::int64_t n) {
  return static_cast<std::int64_t>((static_cast<unsigned __int128>(bits) * static_cast<std::uint64_t>(n)) >> 64);
}
// [0, 1), a multiple of 2^-53.
inline double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }
inline bool chance(std::uint64_t bits, double share) { return unit(bits) < share; }

// u^(k/16) for 0 <= k < 32: a power law without pow(), whose last bit differs between libraries.
inline double sixteenth_power(double u, int k) {
  double power = k & 16 ? u : 1, root = u;
  for (int bit = 8; bit != 0; bit >>= 1) {
    root = std::sqrt(root);
    if (k & bit) power *= root;
  }
  return power;
}

// The numbers of one row, one after the other.
class Draws {
 public:
  Draws(std::uint64_t seed, std::int64_t row) : key_(hash(seed, row)) {}
  std::uint64_t bits() { return mix(key_ += golden); }
  std::int64_t below(std::int64_t n) { return synthetic::below(bits(), n); }
  double unit() { return synthetic::unit(bits()); }
  bool chance(double share) { return synthetic::chance(bits(), share); }

 private:
  std::uint64_t key_;
};

// A bijection of 0 .. n-1 that needs no memory: four Feistel rounds on the next even number of bits, repeated until the
// result is below n (fewer than four times on average).
class Shuffle {
 public:
  Shuffle(std::uint64_t seed, std::int64_t n) : seed_(mix(seed)), n_(static_cast<std::uint64_t>(n)) {
    half_ = (std::bit_width(n_ > 0 ? n_ - 1 : 0) + 1) / 2;
    mask_ = (std::uint64_t{1} << half_) - 1;
  }
  std::int64_t operator()(std::int64_t i) const {
    std::uint64_t x = static_cast<std::uint64_t>(i);
    do {
      for (int round = 0; round < 4; ++round) x = (x & mask_) << half_ | ((x >> half_) ^ noise(round, x & mask_));
    } while (x >= n_);
    return static_cast<std::int64_t>(x);
  }
  std::int64_t inverse(std::int64_t i) const {
    std::uint64_t x = static_cast<std::uint64_t>(i);
    do {
      for (int round = 3; round >= 0; --round) x = ((x & mask_) ^ noise(round, x >> half_)) << half_ | x >> half_;
    } while (x >= n_);
    return static_cast<std::int64_t>(x);
  }

 private:
  std::uint64_t noise(int round, std::uint64_t x) const {
    return mix(seed_ + golden * (x * 4 + static_cast<std::uint64_t>(round) + 1)) & mask_;
  }
  std::uint64_t seed_, n_, mask_ = 0;
  int half_ = 0;
};

// `count` distinct columns of 0 .. cols-1 in ascending order, every set equally likely. count <= cols.
void distinct_columns(Draws& draws, std::int64_t count, std::int64_t cols, Vector<Index>& col);

// Ascending and without duplicates, whatever was collected.
void sort_columns(Vector<Index>& col);

}  // namespace heddle::synthetic
