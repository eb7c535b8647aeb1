// The first 128 bits of 5^q and of 1/5^q, computed by the compiler with long arithmetic.
//
//   5^q = (high:low) * 2^k, the highest bit of `high` set
//
// Truncated, but rounded up for -27 <= q < 0, where w * 2^k / 5^-q can be exact and must not come out just below.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace heddle::io {

struct PowerOfFive {
  std::uint64_t high = 0, low = 0;
};

inline constexpr int largest_power_of_five = 64;

class LongNumber {  // 512 bits, lowest limb first
 public:
  constexpr explicit LongNumber(int power_of_two) { limb_[power_of_two / 64] = std::uint64_t{1} << power_of_two % 64; }

  constexpr void multiply_by_five() {
    std::uint64_t carry = 0;
    for (std::uint64_t& limb : limb_) {
      const unsigned __int128 product = static_cast<unsigned __int128>(limb) * 5 + carry;
      limb = static_cast<std::uint64_t>(product);
      carry = static_cast<std::uint64_t>(product >> 64);
    }
  }
  constexpr void divide_by_five() {  // floor(floor(x / 5) / 5) = floor(x / 25): no error builds up
    std::uint64_t rest = 0;
    for (int i = limbs - 1; i >= 0; --i) {
      const unsigned __int128 part = static_cast<unsigned __int128>(rest) << 64 | limb_[i];
      limb_[i] = static_cast<std::uint64_t>(part / 5);
      rest = static_cast<std::uint64_t>(part % 5);
    }
  }
  constexpr PowerOfFive first_128_bits() const {
    int top = limbs - 1;
    while (limb_[top] == 0) --top;
    const int shift = std::countl_zero(limb_[top]);
    const auto limb = [&](int i) { return i >= 0 ? limb_[i] : 0; };
    const auto shifted = [&](int i) { return shift == 0 ? limb(i) : limb(i) << shift | limb(i - 1) >> (64 - shift); };
    return {shifted(top), shifted(top - 1)};
  }

 private:
  static constexpr int limbs = 8;
  std::uint64_t limb_[limbs] = {};
};

constexpr std::array<PowerOfFive, 2 * largest_power_of_five + 1> make_powers_of_five() {
  std::array<PowerOfFive, 2 * largest_power_of_five + 1> table;
  LongNumber power(0), inverse(511);
  for (int q = 0; q <= largest_power_of_five; ++q) {
    table[largest_power_of_five + q] = power.first_128_bits();
    if (q > 0) {
      PowerOfFive& below_one = table[largest_power_of_five - q] = inverse.first_128_bits();
      if (q <= 27 && ++below_one.low == 0) ++below_one.high;
    }
    power.multiply_by_five();
    inverse.divide_by_five();
  }
  return table;
}

inline constexpr auto powers_of_five = make_powers_of_five();

}  // namespace heddle::io
