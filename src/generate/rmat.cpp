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

// Draws a number of 0 .. 255 with given probabilities from one 32-bit word, by Walker's alias method: slot i keeps i
// with probability cut/2^24 and gives `other` otherwise.
class Alias {
 public:
  explicit Alias(std::array<double, 256> weight) {
    double sum = 0;
    for (const double w : weight) sum += w;
    std::array<std::uint8_t, 256> small, large;
    int smalls = 0, larges = 0;
    const auto file = [&](int i) {
      (weight[i] < 1 ? small[smalls++] : large[larges++]) = static_cast<std::uint8_t>(i);
    };
    for (int i = 0; i < 256; ++i) {
      weight[i] *= 256 / sum;
      file(i);
    }
    while (smalls > 0 && larges > 0) {
      const int i = small[--smalls], j = large[--larges];
      slots_[i] = slot(weight[i], j);
      weight[j] -= 1 - weight[i];
      file(j);
    }
    for (int k = 0; k < larges; ++k) slots_[large[k]] = slot(1, large[k]);
    for (int k = 0; k < smalls; ++k) slots_[small[k]] = slot(1, small[k]);
  }
  std::uint32_t operator()(std::uint32_t bits) const {
    const std::uint32_t i = bits & 255, packed = slots_[i];
    return (bits >> 8) < packed >> 8 ? i : packed & 255;
  }

 private:
  static std::uint32_t slot(double share, int other) {
    return static_cast<std::uint32_t>(std::lround(share * 0xffffff)) << 8 | static_cast<std::uint32_t>(other);
  }
  std::array<std::uint32_t, 256> slots_;
};

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
    // Probability of column bit 1, for row bit 0 and 1.
    const double lower = 1 - upper_, d = std::max(0.0, lower - abc[2]);
    const std::array<double, 2> right{upper_ > 0 ? abc[1] / upper_ : 0, lower > 0 ? d / lower : 0};
    for (int bits = 0; bits < 256; ++bits) columns_.push_back(column_byte(bits, right));
    split(std::llround(std::ldexp(per_row, levels)));
  }

  void pattern(std::int64_t row, Row& out) const override {
    Draws draws(mix(seed_ + 1), row);
    out.col.clear();
    for (std::int64_t edge = 0; edge < edges_[row]; ++edge) {
      std::uint64_t bits = draws.bits();
      std::uint32_t column = columns_[row & 255](static_cast<std::uint32_t>(bits));
      for (int level = 8; level < levels_; level += 8) {
        bits = level % 16 == 0 ? draws.bits() : bits >> 32;
        column |= columns_[row >> level & 255](static_cast<std::uint32_t>(bits)) << level;
      }
      out.col.push_back(static_cast<Index>(column & static_cast<std::uint32_t>(rows - 1)));
    }
    sort_columns(out.col);
  }

 private:
  // Eight column bits at once, given eight row bits.
  static Alias column_byte(int row_bits, const std::array<double, 2>& right) {
    std::array<double, 256> weight;
    for (int column = 0; column < 256; ++column) {
      weight[column] = 1;
      for (int level = 0; level < 8; ++level) {
        const double one = right[row_bits >> level & 1];
        weight[column] *= column >> level & 1 ? one : 1 - one;
      }
    }
    return Alias(weight);
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
  double upper_;  // probability of row bit 0
  Vector<Alias> columns_;
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
