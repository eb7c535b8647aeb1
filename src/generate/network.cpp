#include <algorithm>
#include <array>
#include <cmath>

#include "generate/families.hpp"
#include "generate/random.hpp"

namespace heddle::synthetic {

namespace {

// The pattern is symmetric although rows are made one by one: whether i and j are coupled is always decided by a
// function of the pair, and each row knows where its possible partners are.
//   near     j = i +- d for a few distances d
//   far      j = (s - i) mod rows: for every s that pairs all rows up
//   hubs     one row out of 16,384 couples with one row out of every 32 around it
//   giants   `giants` rows couple with one row out of every 1/share of the whole matrix
class Circuit : public Rows {
 public:
  Circuit(std::int64_t n, std::int64_t giants, double share, std::uint64_t seed)
      : Rows(static_cast<double>(n), static_cast<double>(n),
             static_cast<double>(n) * (3 + static_cast<double>(giants) * share)),
        giants_(n > 0 ? giants : 0),
        stride_(std::llround(1 / share)),
        seed_(seed) {}

  void pattern(std::int64_t row, Row& out) const override {
    out.col.assign(1, static_cast<Index>(row));
    near(row, out);
    far(row, out);
    const std::int64_t group = row / hub_group, first = group * hub_group;
    star(row, first + below(hash(seed_ ^ 1, group), hub_group), first, hub_group, 32, hash(seed_ ^ 2, group), out);
    for (std::int64_t k = 0; k < giants_; ++k)
      star(row, below(hash(seed_ ^ 3, k), rows), 0, rows, stride_, hash(seed_ ^ 4, k), out);
    sort_columns(out.col);
  }

 private:
  static constexpr std::int64_t hub_group = 16384;

  void near(std::int64_t row, Row& out) const {
    struct Distance {
      std::int64_t step;
      double share;
    };
    // 1.8 in all: 3.6 entries a row
    constexpr std::array<Distance, 9> distances{
        {{1, 0.6}, {2, 0.35}, {3, 0.25}, {4, 0.2}, {6, 0.15}, {9, 0.1}, {14, 0.08}, {40, 0.05}, {130, 0.02}}};
    for (const auto [step, share] : distances) {
      if (row + step < rows && chance(hash(seed_, row, step), share)) add(row + step, out);
      if (row - step >= 0 && chance(hash(seed_, row - step, step), share)) add(row - step, out);
    }
  }
  void far(std::int64_t row, Row& out) const {
    for (std::int64_t round = 0; round < 4; ++round) {
      const std::uint64_t key = hash(seed_ ^ 5, round);
      const std::int64_t partner = (below(key, rows) - row + rows) % rows;
      if (chance(hash_pair(key, row, partner), 0.2)) add(partner, out);
    }
  }
  // The centre couples with one row, chosen at random, out of every `stride` rows of [first, first + count).
  void star(std::int64_t row, std::int64_t centre, std::int64_t first, std::int64_t count, std::int64_t stride,
            std::uint64_t key, Row& out) const {
    if (centre >= rows) return;
    const auto chosen = [&](std::int64_t block) { return first + block * stride + below(hash(key, block), stride); };
    if (chosen((row - first) / stride) == row) add(centre, out);
    if (row != centre) return;
    for (std::int64_t block = 0; block * stride < count; ++block)
      if (chosen(block) < rows) add(chosen(block), out);
  }
  static void add(std::int64_t column, Row& out) { out.col.push_back(static_cast<Index>(column)); }

  std::int64_t giants_, stride_;
  std::uint64_t seed_;
};

// Pages in hosts of 64: seven of ten links stay around the host, the others go to popular pages (rank = rows u^4, so
// the most popular page gets a share rows^(-1/4) of them), which are spread over all hosts. Links per page: P(>= x) =
// x^(-4/3), and none for a share of the pages.
class Web : public Rows {
 public:
  Web(std::int64_t n, std::int64_t longest, double empty, std::uint64_t seed)
      : Rows(static_cast<double>(n), static_cast<double>(n), static_cast<double>(n) * (1 - empty)),
        longest_(std::min(longest, n)),
        empty_(empty),
        seed_(seed),
        place_(mix(seed + 1), n) {}

  void pattern(std::int64_t row, Row& out) const override {
    out.col.clear();
    Draws draws(seed_, row);
    if (draws.chance(empty_)) return;
    const double wanted = 1 / sixteenth_power(1 - draws.unit(), 12);
    const std::int64_t count = wanted < static_cast<double>(longest_) ? static_cast<std::int64_t>(wanted) : longest_;
    const std::int64_t host = std::min(rows, std::max<std::int64_t>(64, 4 * count));
    const std::int64_t first = std::min(row / 64 * 64, rows - host);
    for (std::int64_t k = 0; k < count; ++k) {
      const bool inside = draws.chance(0.7);
      const double u = draws.unit();
      const std::int64_t popular = static_cast<std::int64_t>(static_cast<double>(rows) * (u * u * u * u));
      out.col.push_back(static_cast<Index>(inside ? first + static_cast<std::int64_t>(static_cast<double>(host) * u)
                                                  : place_(popular)));
    }
    sort_columns(out.col);
  }

 private:
  std::int64_t longest_;
  double empty_;
  std::uint64_t seed_;
  Shuffle place_;
};

//  Crossings of a street grid, each street there with probability per_row / 4. Numbered in strips of 32 streets, down
//  and along, so neighbours are 1 or 32 apart, and those in another strip about 32 sqrt(rows).
//
//      0 32 64 ...
//      1 33 65          strip 0
//      :
class Road : public Rows {
 public:
  Road(std::int64_t n, double per_row, std::uint64_t seed)
      : Rows(static_cast<double>(n), static_cast<double>(n), static_cast<double>(n) * per_row / 2),
        share_(per_row / 4),
        seed_(seed) {
    symmetric = true;
    while (width_ * width_ < n) ++width_;
  }

  void pattern(std::int64_t row, Row& out) const override {
    const std::int64_t inside = row % (strip * width_);
    const std::int64_t x = inside / strip, y = row / (strip * width_) * strip + inside % strip;
    const std::int64_t left = number(x - 1, y), right = number(x + 1, y);
    const std::int64_t above = number(x, y - 1), below_it = number(x, y + 1);
    out.col.clear();
    if (above >= 0 && chance(hash(seed_, above, 0), share_)) out.col.push_back(static_cast<Index>(above));
    if (left >= 0 && chance(hash(seed_, left, 1), share_)) out.col.push_back(static_cast<Index>(left));
    if (below_it >= 0 && chance(hash(seed_, row, 0), share_)) out.col.push_back(static_cast<Index>(below_it));
    if (right >= 0 && chance(hash(seed_, row, 1), share_)) out.col.push_back(static_cast<Index>(right));
    std::sort(out.col.begin(), out.col.end());
  }

 private:
  static constexpr std::int64_t strip = 32;

  // -1: there is no such crossing.
  std::int64_t number(std::int64_t x, std::int64_t y) const {
    if (x < 0 || x >= width_ || y < 0) return -1;
    const std::int64_t n = y / strip * strip * width_ + x * strip + y % strip;
    return n < rows ? n : -1;
  }

  double share_;
  std::uint64_t seed_;
  std::int64_t width_ = 1;
};

}  // namespace

Generator circuit_generator() {
  return {"circuit",
          "mostly short rows, near and far, and a few giant rows and columns (like scircuit, ASIC, rajat)",
          false,
          {{"rows", "171k", "rows and columns"},
           {"giants", "2", "number of giant rows and columns"},
           {"giant_share", "0.125", "length of a giant row, as a share of the columns"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Circuit>(given.integer("rows", 0, max_dimension), given.integer("giants", 0, 1000),
                                             given.real("giant_share", 1e-6, 1), given.seed());
          }};
}

Generator web_generator() {
  return {"web",
          "power-law rows and columns, links inside hosts, empty rows (like webbase-1M)",
          false,
          {{"rows", "1000005", "rows and columns"},
           {"max", "4700", "the longest row"},
           {"empty", "0.06", "share of empty rows"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Web>(given.integer("rows", 0, max_dimension),
                                         given.integer("max", 1, max_dimension), given.real("empty", 0, 1),
                                         given.seed());
          }};
}

Generator road_generator() {
  return {"road",
          "street network: very short rows, local columns, symmetric (like roadNet)",
          false,
          {{"rows", "4M", "rows and columns"}, {"per_row", "2.5", "mean row length, at most 4"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Road>(given.integer("rows", 0, max_dimension), given.real("per_row", 0, 4),
                                          given.seed());
          }};
}

}  // namespace heddle::synthetic
