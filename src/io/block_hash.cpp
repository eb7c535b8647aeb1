#include "io/block_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/workers.hpp"

namespace heddle::io {

namespace {

constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio

std::uint64_t mix(std::uint64_t lane, std::uint64_t word) { return std::rotl(lane ^ word, 29) * odd; }

std::uint64_t load(const char* from, std::size_t bytes = 8) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

}  // namespace

std::uint64_t hash_bytes(std::span<const char> bytes, std::uint64_t seed) noexcept {
  std::uint64_t lane[4] = {seed + odd, seed ^ 0xC2B2AE3D27D4EB4F, seed + 0x165667B19E3779F9, ~seed};
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 32; left -= 32, p += 32)
    for (int i = 0; i < 4; ++i) lane[i] = mix(lane[i], load(p + 8 * i));
  for (int i = 0; left > 0; ++i) {
    const std::size_t part = std::min<std::size_t>(8, left);
    lane[i] = mix(lane[i], load(p, part));
    p += part;
    left -= part;
  }
  std::uint64_t hash = bytes.size() * odd;
  for (const std::uint64_t l : lane) hash = mix(hash, l);
  return mix(hash ^ hash >> 32, 0);
}

std::uint64_t hash_blocks(std::span<const char> bytes, int threads) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  Vector<std::uint64_t> hashes(static_cast<std::size_t>((size + hash_block - 1) / hash_block));
  run_ranges_on(threads, size, hash_block, [&](std::int64_t begin, std::int64_t end) {
    const auto part = bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    hashes[static_cast<std::size_t>(begin / hash_block)] = hash_bytes(part, static_cast<std::uint64_t>(begin));
  });
  return hash_bytes({reinterpret_cast<const char*>(hashes.data()), 8 * hashes.size()}, bytes.size());
}

void BlockHasher::add(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const std::size_t free = hash_block - begun_.size();
    if (begun_.empty() && bytes.size() >= free) {
      close_block(bytes.first(free));
      bytes = bytes.subspan(free);
      continue;
    }
    const auto part = bytes.first(std::min(free, bytes.size()));
    begun_.insert(begun_.end(), part.begin(), part.end());
    bytes = bytes.subspan(part.size());
    if (begun_.size() < hash_block) return;
    close_block(begun_);
    begun_.clear();
  }
}

void BlockHasher::close_block(std::span<const char> block) {
  hashes_.push_back(hash_bytes(block, size_));
  size_ += block.size();
}

std::uint64_t BlockHasher::finish() {
  if (!begun_.empty()) close_block(begun_);
  return hash_bytes({reinterpret_cast<const char*>(hashes_.data()), 8 * hashes_.size()}, size_);
}

}  // namespace heddle::io
