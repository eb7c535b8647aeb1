// Patterns and masks of diagonals that are stored once however often they occur. Host code only.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "core/system.hpp"
#include "formats/weave/weave_diagonals.hpp"

namespace heddle::weave {

// Lists of numbers, each stored once and known by where it starts. A list is found again by its content.
class Lists {
 public:
  Vector<std::int64_t> all;

  std::int64_t number_of(std::span<const std::int64_t> list) {
    if (2 * known_.size() >= table_.size()) grow();
    std::size_t at = hash(list) % table_.size();
    for (; table_[at] >= 0; at = (at + 1) % table_.size()) {
      const Known& known = known_[static_cast<std::size_t>(table_[at])];
      if (std::equal(list.begin(), list.end(), all.begin() + known.start, all.begin() + known.start + known.size))
        return known.start;
    }
    table_[at] = static_cast<std::int64_t>(known_.size());
    known_.push_back({static_cast<std::int64_t>(all.size()), static_cast<std::int64_t>(list.size())});
    all.insert(all.end(), list.begin(), list.end());
    return known_.back().start;
  }

 private:
  struct Known {
    std::int64_t start, size;
  };
  static std::size_t hash(std::span<const std::int64_t> list) {
    std::uint64_t h = list.size();
    for (const std::int64_t n : list) h = (h ^ static_cast<std::uint64_t>(n)) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    return h;
  }
  void grow() {
    table_.assign(std::max<std::size_t>(64, 4 * known_.size()), -1);
    for (std::size_t i = 0; i < known_.size(); ++i) {
      const auto from = all.begin() + known_[i].start;
      std::size_t at = hash({from, from + known_[i].size}) % table_.size();
      while (table_[at] >= 0) at = (at + 1) % table_.size();
      table_[at] = static_cast<std::int64_t>(i);
    }
  }
  Vector<Known> known_;
  Vector<std::int64_t> table_;  // numbers of known lists, by hash; -1: free
};

inline std::array<std::int64_t, 4> as_list(const RowMask& mask) {
  return {mask.word[0], mask.word[1], mask.word[2], mask.word[3]};
}

inline constexpr RowMask all_rows{{~0u, ~0u, ~0u, ~0u}};

}  // namespace heddle::weave
