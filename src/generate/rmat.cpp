#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.hpp"
#include "generate/families.hpp"
#include "generate/random.hpp"

namespace heddle::synthetic {

namespace {

// How many of n coins with probability p show heads. Exact for few; for many a normal number of twelve uniform ones.
std::int64_t binomial(Draws& draws, std::int64_t n, double p) {
  if (n <= 64) {
    std::int64_t heads = 0;
    for (std::int64_t k = 0; k < n; ++k) heads += draws.chance(p);
    return heads;
  }
  double normal = -6;
  for (int k = 0; k < 12; ++k) normal += draws.unit();
  const double mean = static_cast<double>(n) * p;
  const double guess = std::floor(mean + normal * std::sqrt(mean * (1 - p)) + 0.5);
  return static_cast<std::int64_t>(std::clamp(guess, 0.0, static_cast<double>(n)));
}

//  Each edge descends `scale` times into a quadrant of the matrix:   a b      row bit 0
//                                                                    c d      row bit 1
//  Done row by row: first all edges are split between the upper and the lower half, again and again down to single
//  rows (the number of edges is kept exactly); then every edge of a row draws its column bits, given the row's bits.
//  Edges that meet are one entry, so there are somewhat fewer entries than edges.
class Rmat : public Rows {
 public:
  Rmat(int levels, double per_row, const std::array<double, 3>& abc, std::uint64_t seed)
      : Rows(std::ldexp(1.0, levels), std::ldexp(1.0, levels), std::ldexp(per_row / 4, levels)),
        levels_(levels),
        upper_(abc[0] + abc[1]),
        seed_(seed),
        edges_(rows) {
    const double lower = 1 - upper_, d = std::max(0.0, lower - abc[2]);
    right_[0] = share16(abc[1], upper_);
    right_[1] = share16(d, lower);
    split(static_cast<std::int64_t>(std::ldexp(per_row, levels) + 0.5));
  }

  void pattern(std::int64_t row, Row& out) const override {
    Draws draws(mix(seed_ + 1), row);
    out.col.clear();
    for (std::int64_t edge = 0; edge < edges_[row]; ++edge) {
      std::uint32_t column = 0;
      std::uint64_t bits = 0;
      for (int level = levels_ - 1, left = 0; level >= 0; --level, --left, bits >>= 16) {
        if (left == 0) bits = draws.bits(), left = 4;
        column = column << 1 | ((bits & 0xffff) < right_[row >> level & 1]);
      }
      out.col.push_back(static_cast<Index>(column));
    }
    sort_columns(out.col);
  }

 private:
  static std::uint32_t share16(double part, double whole) {
    return whole > 0 ? static_cast<std::uint32_t>(part / whole * 65536 + 0.5) : 0;
  }

  // Halves on the first levels one after the other, the subtrees below them in parallel.
  void split(std::int64_t all) {
    const int top = std::min(levels_, 8);
    Vector<std::int64_t> share{all};
    for (int level = 0; level < top; ++level) {
      Vector<std::int64_t> halves;
      for (std::int64_t node = 0; node < std::int64_t{1} << level; ++node) {
        const std::int64_t up = upper_half(level, node, share[static_cast<std::size_t>(node)]);
        halves.push_back(up);
        halves.push_back(share[static_cast<std::size_t>(node)] - up);
      }
      share = std::move(halves);
    }
    parallel_tasks(std::int64_t{1} << top,
                   [&](std::int64_t node) { descend(top, node, share[static_cast<std::size_t>(node)]); });
  }
  void descend(int level, std::int64_t node, std::int64_t edges) {
    if (level == levels_) {
      edges_[node] = edges;
      return;
    }
    const std::int64_t up = upper_half(level, node, edges);
    descend(level + 1, 2 * node, up);
    descend(level + 1, 2 * node + 1, edges - up);
  }
  std::int64_t upper_half(int level, std::int64_t node, std::int64_t edges) const {
    Draws draws(seed_, (std::int64_t{1} << level) + node);
    return binomial(draws, edges, upper_);
  }

  int levels_;
  double upper_;                          // probability of row bit 0
  std::array<std::uint32_t, 2> right_{};  // probability of column bit 1 for row bit 0, 1; in 1/65536
  std::uint64_t seed_;
  Buffer<std::int64_t> edges_;  // of every row
};

}  // namespace

Generator rmat_generator() {
  return {"rmat",
          "R-MAT graph: power-law rows and columns",
          false,
          {{"scale", "20", "2^scale rows and columns"},
           {"edges", "16", "edges per row, in the mean; those that meet are one entry"},
           {"a", "0.57", "probability of the upper left quadrant"},
           {"b", "0.19", "of the upper right one"},
           {"c", "0.19", "of the lower left one; the rest is for the lower right one"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            const int scale = static_cast<int>(given.integer("scale", 0, 30));
            const double edges = given.real("edges", 0, 1e9);
            if (edges > std::ldexp(1.0, scale))
              given.reject("edges", "is the mean per row: more than there are columns");
            const std::array<double, 3> abc{given.real("a", 0, 1), given.real("b", 0, 1), given.real("c", 0, 1)};
            if (abc[0] + abc[1] + abc[2] > 1 + 1e-9) given.reject("a", "and b and c together exceed 1");
            return std::make_unique<Rmat>(scale, edges, abc, given.seed());
          }};
}

}  // namespace heddle::synthetic
