#include <algorithm>
#include <numeric>

#include "generate/families.hpp"
#include "generate/random.hpp"

namespace heddle::synthetic {

namespace {

class Band : public Rows {
 public:
  Band(std::int64_t n, std::int64_t width, double fill, std::uint64_t seed)
      : Rows(static_cast<double>(n), static_cast<double>(n),
             static_cast<double>(n) * (1 + fill * static_cast<double>(std::min(2 * width, n)) / 2)),
        width_(width),
        fill_(fill),
        seed_(seed) {}

  void pattern(std::int64_t row, Row& out) const override {
    const std::int64_t last = std::min(cols - 1, row + width_);
    out.col.clear();
    for (std::int64_t c = std::max<std::int64_t>(0, row - width_); c <= last; ++c)
      if (c == row || chance(hash(seed_, row, c), fill_)) out.col.push_back(static_cast<Index>(c));
  }

 private:
  std::int64_t width_;
  double fill_;
  std::uint64_t seed_;
};

class Dense : public Rows {
 public:
  Dense(std::int64_t m, std::int64_t n)
      : Rows(static_cast<double>(m), static_cast<double>(n), static_cast<double>(m) * static_cast<double>(n)) {
    counted = true;
  }

  std::int64_t length(std::int64_t) const override { return cols; }
  void pattern(std::int64_t, Row& out) const override {
    out.col.resize(static_cast<std::size_t>(cols));
    std::iota(out.col.begin(), out.col.end(), 0);
  }
};

//  n -1 -1 -1        tip = first; with tip = last the full row and column are the last ones.
// -1  2  .  .        Strictly diagonally dominant: SPD.
// -1  .  2  .
// -1  .  .  2
class Arrow : public Rows {
 public:
  Arrow(std::int64_t n, bool tip_is_first)
      : Rows(static_cast<double>(n), static_cast<double>(n), 3 * static_cast<double>(n)),
        tip_(tip_is_first ? 0 : n - 1) {
    symmetric = counted = true;
  }

  std::int64_t length(std::int64_t row) const override { return row == tip_ ? cols : 2; }
  void pattern(std::int64_t row, Row& out) const override {
    if (row == tip_) {
      out.col.resize(static_cast<std::size_t>(cols));
      std::iota(out.col.begin(), out.col.end(), 0);
    } else {
      const auto [low, high] = std::minmax(row, tip_);
      out.col.assign({static_cast<Index>(low), static_cast<Index>(high)});
    }
  }
  void values(std::int64_t row, Row& out) const override {
    for (std::size_t k = 0; k < out.col.size(); ++k)
      out.val[k] = out.col[k] != row ? -1.0 : row == tip_ ? static_cast<double>(rows) : 2.0;
  }

 private:
  std::int64_t tip_;
};

}  // namespace

Generator band_generator() {
  return {"band",
          "entries near the diagonal; the diagonal itself is full",
          false,
          {{"rows", "100k", "rows and columns"},
           {"width", "16", "entries have |row - column| <= width"},
           {"fill", "0.5", "share of the band that is stored"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Band>(given.integer("rows", 0, max_dimension),
                                          given.integer("width", 0, max_dimension), given.real("fill", 0, 1),
                                          given.seed());
          }};
}

Generator dense_generator() {
  return {"dense",
          "every entry stored",
          false,
          {{"rows", "2000", "rows"}, {"cols", "rows", "columns"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Dense>(given.integer("rows", 0, max_dimension),
                                           given.integer("cols", 0, max_dimension));
          }};
}

Generator arrow_generator() {
  return {"arrow",
          "diagonal, one full row and one full column: 3 rows - 2 entries; SPD",
          true,
          {{"rows", "100k", "rows and columns"}, {"tip", "first", "first or last: which row and column are full"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Arrow>(given.integer("rows", 0, max_dimension),
                                           given.word("tip", {"first", "last"}) == "first");
          }};
}

}  // namespace heddle::synthetic
