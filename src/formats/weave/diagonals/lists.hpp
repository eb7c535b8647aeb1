// Patterns and masks of diagonals that are stored once however often they occur. Host code only.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "core/system.hpp"
#include "formats/weave/diagonals/diagonals.hpp"

namespace heddle::weave {

// Lists of numbers, each stored once and known by where it starts. A list is found again by its content.
class Lists {
 public:
  Vector<std::int64_t> all;

  std::int64_t number_of(std::span<const std::int64_t> list) {
    if (2 * known_.size() >= table_.size()) grow();
    const std::uint64_t content = hash(list);
    std::size_t at = content & (table_.size() - 1);
    for (; table_[at].number >= 0; at = (at + 1) & (table_.size() - 1)) {
      if (table_[at].content != content) continue;
      const Known& known = known_[static_cast<std::size_t>(table_[at].number)];
      if (std::equal(list.begin(), list.end(), all.begin() + known.start, all.begin() + known.start + known.size))
        return known.start;
    }
    table_[at] = {content, static_cast<std::int64_t>(known_.size())};
    known_.push_back({static_cast<std::int64_t>(all.size()), static_cast<std::int64_t>(list.size())});
    all.insert(all.end(), list.begin(), list.end());
    return known_.back().start;
  }

 private:
  struct Known {
    std::int64_t start, size;
  };
  struct Slot {
    std::uint64_t content = 0;  // hash of the list
    std::int64_t number = -1;   // of a known list; -1: free
  };
  static std::uint64_t hash(std::span<const std::int64_t> list) {
    std::uint64_t h = list.size();
    for (const std::int64_t n : list) h = (h ^ static_cast<std::uint64_t>(n)) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    return h;
  }
  void grow() {
    Vector<Slot> old(std::max<std::size_t>(64, 4 * table_.size()));
    old.swap(table_);
    for (const Slot& slot : old) {
      if (slot.number < 0) continue;
      std::size_t at = slot.content & (table_.size() - 1);
      while (table_[at].number >= 0) at = (at + 1) & (table_.size() - 1);
      table_[at] = slot;
    }
  }
  Vector<Known> known_;
  Vector<Slot> table_;  // by hash; a power of two
};

inline std::array<std::int64_t, 4> as_list(const RowMask& mask) {
  return {mask.word[0], mask.word[1], mask.word[2], mask.word[3]};
}

inline constexpr RowMask all_rows{{~0u, ~0u, ~0u, ~0u}};

}  // namespace heddle::weave
