// 64 bytes of text at once: bit i tells about byte i. The ends of all words of a line then come from one register, and
// the place of the next line is known before the numbers of this one are.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace heddle::io {

struct ByteBits {
  static constexpr int bytes = 64;
  std::uint64_t other;  // not a digit
  std::uint64_t line_break;
};

inline std::uint64_t load_eight(const char* p) {
  std::uint64_t eight;
  std::memcpy(&eight, p, 8);
  if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
  return eight;
}

// 0x80 in every byte that is not '0'..'9'; `bytes` are those of the text ^ '0'.
inline std::uint64_t mark_others(std::uint64_t bytes) {
  return (((bytes & 0x7F7F7F7F7F7F7F7F) + 0x7676767676767676) | bytes) & 0x8080808080808080;
}

#if defined(__SSE2__)

inline ByteBits byte_bits(const char* p) {
  std::uint64_t digits = 0, breaks = 0;
  for (int i = 0; i < ByteBits::bytes; i += 16) {
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i));
    const __m128i number = _mm_sub_epi8(text, _mm_set1_epi8('0'));
    const __m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(number, _mm_set1_epi8(9)), number);
    const __m128i line_break = _mm_cmpeq_epi8(text, _mm_set1_epi8('\n'));
    digits |= static_cast<std::uint64_t>(_mm_movemask_epi8(digit)) << i;
    breaks |= static_cast<std::uint64_t>(_mm_movemask_epi8(line_break)) << i;
  }
  return {~digits, breaks};
}

#else

// Bytes of 0x80 or 0 become one bit each, the lowest first.
inline std::uint64_t gather_marks(std::uint64_t marks) { return (marks >> 7) * 0x0102040810204080 >> 56; }

inline ByteBits byte_bits(const char* p) {
  ByteBits bits{0, 0};
  for (int i = 0; i < ByteBits::bytes; i += 8) {
    const std::uint64_t text = load_eight(p + i), differs = text ^ 0x0A0A0A0A0A0A0A0A;
    const std::uint64_t same = ~(((differs & 0x7F7F7F7F7F7F7F7F) + 0x7F7F7F7F7F7F7F7F) | differs) & 0x8080808080808080;
    bits.other |= gather_marks(mark_others(text ^ 0x3030303030303030)) << i;
    bits.line_break |= gather_marks(same) << i;
  }
  return bits;
}

#endif

}  // namespace heddle::io
