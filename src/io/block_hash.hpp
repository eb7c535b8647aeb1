// A 64-bit checksum against damage (not against forgery), as fast as memory. Bytes are cut into blocks that are hashed
// at the same time; the block hashes are then hashed themselves.
//
//   lane[i] = rotate(lane[i] ^ word, 29) * odd      for words i, i+4, i+8, ...: each step is a bijection of the
//                                                   lane, so damage inside one word is always seen
#pragma once

#include <cstdint>
#include <span>

#include "core/system.hpp"

namespace heddle::io {

std::uint64_t hash_bytes(std::span<const char> bytes, std::uint64_t seed = 0) noexcept;

inline constexpr std::int64_t hash_block = 1 << 20;
std::uint64_t hash_blocks(std::span<const char> bytes, int threads = 0);

// The hash of hash_blocks, of bytes that come in pieces.
class BlockHasher {
 public:
  void add(std::span<const char> bytes);
  std::uint64_t finish();

 private:
  void close_block(std::span<const char> block);

  Vector<char> begun_;  // the last block as far as it is known
  Vector<std::uint64_t> hashes_;
  std::uint64_t size_ = 0;
};

}  // namespace heddle::io
