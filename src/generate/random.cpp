#include "generate/random.hpp"

#include <algorithm>

namespace heddle::synthetic {

void sort_columns(Vector<Index>& col) {
  std::sort(col.begin(), col.end());
  col.erase(std::unique(col.begin(), col.end()), col.end());
}

namespace {

// Walks over all columns and takes each with the probability still needed: linear in cols, for well filled rows.
void select_columns(Draws& draws, std::int64_t count, std::int64_t cols, Vector<Index>& col) {
  for (std::int64_t c = 0; count > 0; ++c)
    if (draws.below(cols - c) < count) {
      col.push_back(static_cast<Index>(c));
      --count;
    }
}

}  // namespace

void distinct_columns(Draws& draws, std::int64_t count, std::int64_t cols, Vector<Index>& col) {
  col.clear();
  if (count > cols / 4) return select_columns(draws, count, cols, col);
  // At most a quarter is taken, so a new draw is a duplicate with a probability below 1/4: a few rounds suffice.
  while (static_cast<std::int64_t>(col.size()) < count) {
    for (std::int64_t k = static_cast<std::int64_t>(col.size()); k < count; ++k)
      col.push_back(static_cast<Index>(draws.below(cols)));
    sort_columns(col);
  }
}

}  // namespace heddle::synthetic
