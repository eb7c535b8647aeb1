#include "layout/ell_and_rest.hpp"

#include <algorithm>

#include "core/halving.hpp"

namespace heddle {

std::int64_t ell_width(const std::function<std::int64_t(std::int64_t k)>& longer_than, std::int64_t rows,
                       std::int64_t longest, WidthRule rule) {
  constexpr std::int64_t breakeven_rows = 4096;  // below this many rows a wider ELL part does not pay for Cusp
  const auto too_narrow = [&](std::int64_t k) {
    const std::int64_t longer = longer_than(k);
    return rule == two_thirds ? 3 * longer > rows : 3 * longer >= rows && longer >= breakeven_rows;
  };
  // Fewer rows are longer than a larger k: halving finds the least one that is wide enough in at most 31 counts.
  return first_without(0, longest, too_narrow);
}

std::int64_t ell_width(std::span<const Index> length, WidthRule rule) {
  const auto longer_than = [&](std::int64_t k) {
    return std::ranges::count_if(length, [k](Index l) { return l > k; });
  };
  const std::int64_t longest = length.empty() ? 0 : *std::ranges::max_element(length);
  return ell_width(longer_than, static_cast<std::int64_t>(length.size()), longest, rule);
}

}  // namespace heddle
