#include "layout/crossing.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "core/system.hpp"
#include "layout/scale.hpp"

namespace heddle {

std::int64_t share_count(std::int64_t entries, std::int64_t share) { return (entries + share - 1) / share; }

namespace {

// Borders are few: look at them, not at the rows. f(row, share where it starts, further shares).
template <class F>
void each_crossing(std::span<const Offset> ptr, std::int64_t share, F f) {
  for (Offset border = share; border < ptr.back();) {
    // The row that owns entry `border`: the last one that starts at or before it.
    const auto row = std::upper_bound(ptr.begin(), ptr.end(), border) - ptr.begin() - 1;
    const Offset begin = ptr[row], end = ptr[row + 1];
    const Offset first = begin / share, last = (end - 1) / share;
    if (first != last) f(static_cast<Index>(row), first, last - first);
    border = (last + 1) * share;
  }
}

}  // namespace

std::int64_t count_crossings(std::span<const Offset> ptr, std::int64_t share) {
  std::int64_t count = 0;
  each_crossing(ptr, share, [&](Index, Offset, Offset) { ++count; });
  return count;
}

Buffer<Crossing> find_crossings(std::span<const Offset> ptr, std::int64_t share) {
  Vector<Crossing> found;
  each_crossing(ptr, share, [&](Index row, Offset first, Offset count) {
    found.push_back({row, static_cast<std::int32_t>(first), static_cast<std::int32_t>(count)});
  });
  return Buffer<Crossing>::copy_of(found);
}

template <class V>
void combine(OnCpu, const CrossingView<V>& pieces, const Update<V>& update, Combine how) {
  parallel_ranges(pieces.crossings, 512, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Crossing c = pieces.crossing[i];
      V sum = pieces.tail[c.share];
      for (std::int32_t k = 1; k <= c.count; ++k) sum += pieces.head[c.share + k];
      finish_crossing(update, c.row, sum, how);
    }
  });
}

template void combine(OnCpu, const CrossingView<float>&, const Update<float>&, Combine);
template void combine(OnCpu, const CrossingView<double>&, const Update<double>&, Combine);

}  // namespace heddle
