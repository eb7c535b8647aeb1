// Blocks of device memory that were given back, for the next request of the size: a call of the driver and a wait for
// the device take longer than the kernels of a small build. Kernels may still be using a block when it is given back;
// the wait comes when it is taken again, and one is enough for all that were given back before.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace heddle::simt {

class KeptMemory {
 public:
  static constexpr std::size_t granule = 512;
  struct Block {
    void* memory = nullptr;
    std::size_t bytes = 0;
    bool in_use = true;  // for all we know
  };

  explicit KeptMemory(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  static std::size_t rounded(std::size_t bytes) { return (bytes + granule - 1) / granule * granule; }

  // The smallest block of at least `bytes` that is not a quarter larger, preferably one no longer in use. No memory:
  // there is none.
  Block take(std::size_t bytes) {
    auto best = blocks_.end();
    for (auto block = blocks_.begin(); block != blocks_.end(); ++block)
      if (block->bytes >= bytes && block->bytes <= bytes + bytes / 4 &&
          (best == blocks_.end() || better(*block, *best)))
        best = block;
    return best == blocks_.end() ? Block{} : taken(best);
  }
  // No memory: there is none.
  Block take_oldest() { return blocks_.empty() ? Block{} : taken(blocks_.begin()); }

  std::size_t most() const { return most_bytes_; }
  bool has_room(std::size_t bytes) const { return bytes <= most_bytes_ - bytes_; }
  void keep(void* memory, std::size_t bytes) {
    blocks_.push_back({memory, bytes, true});
    bytes_ += bytes;
  }

  // Some may still be in use: blocks are kept in the order in which they were given back.
  bool awaits_device() const { return !blocks_.empty() && blocks_.back().in_use; }
  // The device has been waited for since the last block was kept.
  void all_unused() {
    for (Block& block : blocks_) block.in_use = false;
  }

 private:
  static bool better(const Block& a, const Block& b) {
    return std::pair(a.in_use, a.bytes) < std::pair(b.in_use, b.bytes);
  }

  Block taken(std::vector<Block>::iterator block) {
    const Block found = *block;
    blocks_.erase(block);
    bytes_ -= found.bytes;
    return found;
  }

  std::size_t most_bytes_, bytes_ = 0;
  std::vector<Block> blocks_;  // the oldest first
};

}  // namespace heddle::simt
