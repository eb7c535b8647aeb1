#include "analyze/column_tiles.hpp"

#include <utility>

#include "core/system.hpp"

namespace heddle {

namespace {

// The order of columns by falling count; columns of one count keep their order.
Vector<Index> places_by_count(const Vector<std::uint16_t>& count) {
  const auto rank = [](std::uint16_t c) {
    return most_sampled_degree - std::min<std::uint32_t>(c, most_sampled_degree);
  };
  Vector<Index> next(most_sampled_degree + 2, 0);
  for (const std::uint16_t c : count) ++next[rank(c) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  Vector<Index> place(count.size());
  for (std::size_t column = 0; column < count.size(); ++column) place[column] = next[rank(count[column])]++;
  return place;
}

class Sample {
 public:
  explicit Sample(const PatternView& pattern) : A(pattern), choice_(A.rows, A.nnz()), windows_(A, choice_) {}

  Vector<Index> order() const {
    Vector<std::uint16_t> count(static_cast<std::size_t>(A.cols), 0);
    for (std::int64_t i = 0; i < choice_.ordering(); ++i) {
      const RowWindow w = windows_[i * choice_.step()];
      for (Offset k = w.begin; k < w.end; ++k)
        if (std::uint16_t& c = count[static_cast<std::size_t>(A.col[k])]; c < UINT16_MAX) ++c;
    }
    return places_by_count(count);
  }

  // f(pairs of a window, what they are) for each window that is counted.
  template <class Place, class F>
  void each_count(std::int64_t width, Place place, F f) const {
    Vector<std::int64_t> last(static_cast<std::size_t>(A.cols / width + 1), -1);
    std::int64_t visit = 0;  // of a row by a window
    for (std::int64_t i = 0; i < choice_.counted(); ++i) {
      const RowWindow w = windows_[choice_.first_counted() + i * choice_.step()];
      std::int64_t pairs = 0;
      for (std::int64_t row = w.first; row < w.last; ++row, ++visit)
        for (Offset k = std::max(A.ptr[row], w.begin); k < std::min(A.ptr[row + 1], w.end); ++k)
          pairs += std::exchange(last[static_cast<std::size_t>(place(A.col[k]) / width)], visit) != visit;
      f(i, w.end - w.begin, pairs);
    }
  }
  std::int64_t counted() const { return choice_.counted(); }
  bool all() const { return choice_.all; }

 private:
  const PatternView& A;
  TileWindows choice_;
  RowWindows windows_;
};

}  // namespace

ColumnTiles tiles_of(std::span<const TilePairs> windows, bool all) {
  double natural = 0, by_degree = 0, weights = 0;
  for (const TilePairs& w : windows) {
    const auto entries = static_cast<double>(w.entries), weight = all ? 1 : 1 / entries;
    natural += static_cast<double>(w.natural) * weight;
    by_degree += static_cast<double>(w.by_degree) * weight;
    weights += entries * weight;
  }
  return weights > 0 ? ColumnTiles{natural / weights, by_degree / weights} : ColumnTiles{1, 1};
}

ColumnTiles column_tiles(const PatternView& A, std::int64_t width) {
  const Sample sample(A);
  Vector<TilePairs> windows(static_cast<std::size_t>(sample.counted()));
  sample.each_count(
      width, [](Index column) { return column; },
      [&](std::int64_t i, std::int64_t entries, std::int64_t pairs) {
        windows[static_cast<std::size_t>(i)] = {entries, pairs, pairs};
      });
  if (A.cols > width) {
    const Vector<Index> order = sample.order();
    sample.each_count(
        width, [&](Index column) { return order[static_cast<std::size_t>(column)]; },
        [&](std::int64_t i, std::int64_t, std::int64_t pairs) {
          windows[static_cast<std::size_t>(i)].by_degree = pairs;
        });
  }
  return tiles_of(windows, sample.all());
}

}  // namespace heddle
