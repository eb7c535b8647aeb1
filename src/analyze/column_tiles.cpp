#include "analyze/column_tiles.hpp"

#include <algorithm>

#include "analyze/windows.hpp"
#include "core/system.hpp"

namespace heddle {

namespace {

// The order of columns by falling count; columns of one count keep their order.
Vector<Index> places_by_count(const Vector<std::uint16_t>& count) {
  constexpr std::size_t classes = 1 << 12;  // counts beyond are so few columns that their order does not matter
  const auto rank = [](std::uint16_t c) { return classes - 1 - std::min<std::size_t>(c, classes - 1); };
  Vector<Index> next(classes + 1, 0);
  for (const std::uint16_t c : count) ++next[rank(c) + 1];
  for (std::size_t i = 1; i <= classes; ++i) next[i] += next[i - 1];
  Vector<Index> place(count.size());
  for (std::size_t column = 0; column < count.size(); ++column) place[column] = next[rank(count[column])]++;
  return place;
}

// Half of the windows give the order, the others are counted in it: an order seems better than it is to the entries it
// was made from.
class Sample {
 public:
  explicit Sample(const PatternView& pattern)
      : A(pattern), windows_(A, std::clamp<std::int64_t>(A.nnz() / 32, 1 << 14, 1 << 18)) {}

  Vector<Index> order() const {
    Vector<std::uint16_t> count(static_cast<std::size_t>(A.cols), 0);
    for (std::int64_t i = 0; i < windows_.count; i += windows_.all ? 1 : 2)
      for (Offset k = windows_[i].begin; k < windows_[i].end; ++k)
        if (std::uint16_t& c = count[static_cast<std::size_t>(A.col[k])]; c < UINT16_MAX) ++c;
    return places_by_count(count);
  }

  template <class Place>
  double pairs_per_entry(std::int64_t width, Place place) const {
    Vector<std::int64_t> last_row(static_cast<std::size_t>(A.cols / width + 1), -1);
    double sum = 0, weights = 0;
    for (std::int64_t i = windows_.all ? 0 : 1; i < windows_.count; i += windows_.all ? 1 : 2) {
      const RowWindow w = windows_[i];
      std::int64_t pairs = 0;
      for (std::int64_t row = w.first; row < w.last; ++row)
        for (Offset k = std::max(A.ptr[row], w.begin); k < std::min(A.ptr[row + 1], w.end); ++k) {
          std::int64_t& last = last_row[static_cast<std::size_t>(place(A.col[k]) / width)];
          pairs += last != row;
          last = row;
        }
      const auto entries = static_cast<double>(w.end - w.begin), weight = windows_.all ? 1 : 1 / entries;
      sum += static_cast<double>(pairs) * weight;
      weights += entries * weight;
    }
    return weights > 0 ? sum / weights : 1;
  }

 private:
  const PatternView& A;
  RowWindows windows_;
};

}  // namespace

ColumnTiles column_tiles(const PatternView& A, std::int64_t width) {
  const Sample sample(A);
  ColumnTiles found;
  found.natural = sample.pairs_per_entry(width, [](Index column) { return column; });
  found.by_degree = found.natural;
  if (A.cols <= width) return found;
  const Vector<Index> order = sample.order();
  found.by_degree =
      sample.pairs_per_entry(width, [&](Index column) { return order[static_cast<std::size_t>(column)]; });
  return found;
}

}  // namespace heddle
