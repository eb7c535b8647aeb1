// A set of numbers from a range that is not too wide: a bit each, and no branch that depends on whether a number is
// new, which no processor predicts.
#pragma once

#include <cstdint>

#include "core/system.hpp"

namespace heddle {

class Marks {
 public:
  static constexpr std::int64_t widest = 1 << 20;  // 128 KB: a second cache holds them

  // Numbers from 0 to range - 1; the set is empty.
  void make_room(std::int64_t range) {
    const auto words = static_cast<std::size_t>(range / 64 + 1);
    if (words > words_.size()) words_.resize(words, 0);
  }
  // 1: it is new.
  int add(std::uint32_t number) {
    std::uint64_t& word = words_[number >> 6];
    const std::uint64_t before = word, bit = std::uint64_t{1} << (number & 63);
    word = before | bit;
    return (before & bit) == 0;
  }
  // Empties the set, once it was called for all numbers in it.
  void remove(std::uint32_t number) { words_[number >> 6] = 0; }

 private:
  Vector<std::uint64_t> words_;
};

}  // namespace heddle
