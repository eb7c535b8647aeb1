// The number that names a pattern: a sum, modulo 2^64, of a number for each row's end and each two neighbouring
// columns, so that any number of threads, on any device, can add it up in any order.
//
//   rows      both halves of the 128-bit product (end ^ salt) * (place * odd), folded together
//   columns   (first + key) * (second + other key), the keys made of the place: five instructions a pair, since every
//             entry of the matrix has to pass here (the universal hash NH, with keys that need no table)
#pragma once

#include <cstdint>

#include <heddle/matrix.hpp>

#include "simt/annotations.hpp"

namespace heddle {

struct PatternHash {
  SIMT_BOTH static std::uint64_t mixed(std::uint64_t word, std::uint64_t place) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(word ^ 0xA0761D6478BD642Fu) * (place * 0x9E3779B97F4A7C15u);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  SIMT_BOTH static std::uint64_t row_end(std::int64_t row, Offset end) {
    return mixed(static_cast<std::uint64_t>(end), static_cast<std::uint64_t>(row) + 1);
  }
  // Columns 2 * pair and 2 * pair + 1 of the array; the last may be alone.
  SIMT_BOTH static std::uint64_t columns(std::int64_t pair, Index first, Index second) {
    const auto place = static_cast<std::uint32_t>(pair);
    const std::uint32_t a = static_cast<std::uint32_t>(first) + (place * 0x9E3779B9u + 0x85EBCA6Bu);
    const std::uint32_t b = static_cast<std::uint32_t>(second) + (place * 0xC2B2AE35u + 0x27D4EB2Fu);
    return std::uint64_t{a} * b;
  }
  static constexpr Index nothing = -1;

  static std::uint64_t of(std::uint64_t sum, std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
    const auto number = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
    return mixed(mixed(mixed(sum, number(rows) * 2 + 1), number(cols) * 2 + 1), number(nnz) * 2 + 1);
  }
};

}  // namespace heddle
