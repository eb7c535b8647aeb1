#include "generate/like.hpp"

#include <algorithm>

#include "generate/families.hpp"
#include "generate/grid.hpp"
#include "generate/random.hpp"

namespace heddle::synthetic {

namespace {

// What other generators give where no values were asked for.
void random_values(std::uint64_t seed, std::int64_t row, bool symmetric, Row& out) {
  for (std::size_t k = 0; k < out.col.size(); ++k) {
    const std::uint64_t bits = symmetric ? hash_pair(seed, row, out.col[k]) : hash(seed, row, out.col[k]);
    out.val[k] = bits & 1 ? -0.5 - unit(bits) : 0.5 + unit(bits);
  }
}

// Rows of known lengths.
class LikeRows : public Rows {
 public:
  LikeRows(const LikeProfile& profile, std::uint64_t seed)
      : Rows(static_cast<double>(profile.rows), static_cast<double>(profile.cols), static_cast<double>(profile.nnz)),
        numbering_(profile.numbering),
        seed_(seed),
        order_(seed, profile.cols) {
    counted = true;
    LengthProfile lengths = profile.lengths;
    lengths.rows = profile.rows, lengths.nnz = profile.nnz, lengths.longest = profile.longest;
    length_ = lengths_of(lengths);
    while (side_ * side_ * side_ < cols) ++side_;
  }

  std::int64_t length(std::int64_t row) const override { return length_[static_cast<std::size_t>(row)]; }

  void pattern(std::int64_t row, Row& out) const override {
    out.col.clear();
    const std::int64_t count = length(row);
    Draws draws(seed_, row);
    if (numbering_ == Numbering::near) return near(row, count, draws, out);
    if (numbering_ == Numbering::anywhere || count > cols / 4) return distinct_columns(draws, count, cols, out.col);
    for (int round = 0; static_cast<std::int64_t>(out.col.size()) < count; ++round) {
      for (std::int64_t k = static_cast<std::int64_t>(out.col.size()); k < count; ++k)
        out.col.push_back(static_cast<Index>(column(row, count, round, draws)));
      sort_columns(out.col);
    }
  }

  void values(std::int64_t row, Row& out) const override { random_values(mix(seed_ + 2), row, false, out); }

 private:
  // A column from each of `count` even parts of a window around the diagonal.
  void near(std::int64_t row, std::int64_t count, Draws& draws, Row& out) const {
    const std::int64_t window = std::min(cols, 3 * count + 16);
    const std::int64_t first = std::clamp<std::int64_t>(row - window / 2, 0, cols - window);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t low = k * window / count, high = (k + 1) * window / count;
      out.col.push_back(static_cast<Index>(first + low + draws.below(high - low)));
    }
  }
  // One column of a row; in a late round, when what is near is taken, any, or of a mesh what is a little farther.
  std::int64_t column(std::int64_t row, std::int64_t count, int round, Draws& draws) const {
    if (numbering_ == Numbering::scattered) return of_mesh(row, round, draws);
    if (round > 20) return draws.below(cols);
    if (numbering_ == Numbering::economics) return of_period(row, draws);
    if (numbering_ == Numbering::wires) return of_wire(row, count, draws);
    return of_host(row, count, draws);
  }
  std::int64_t of_period(std::int64_t row, Draws& draws) const {
    constexpr std::int64_t periods = 44;
    const double kind = draws.unit();
    const std::int64_t step = kind < 0.5   ? draws.below(200) - 100
                              : kind < 0.8 ? cols / periods * draws.below(periods)
                                           : draws.below(cols);
    return (row + step % cols + cols) % cols;
  }
  std::int64_t of_wire(std::int64_t row, std::int64_t count, Draws& draws) const {
    if (draws.chance(0.2)) return draws.below(cols);
    const std::int64_t reach = 16 + 2 * count;
    return std::clamp<std::int64_t>(row - reach + draws.below(2 * reach + 1), 0, cols - 1);
  }
  // Seven of ten links stay around the host of 64 pages, the others go to popular pages, which are spread out.
  std::int64_t of_host(std::int64_t row, std::int64_t count, Draws& draws) const {
    const std::int64_t host = std::min(cols, std::max<std::int64_t>(64, 4 * count));
    if (draws.chance(0.7)) return std::min(row / 64 * 64, cols - host) + draws.below(host);
    const double u = draws.unit();
    return order_(static_cast<std::int64_t>(static_cast<double>(cols) * (u * u * u * u)));
  }
  // Up to two steps away, or more where that is not enough, in a cube of points, whose numbers are shuffled.
  std::int64_t of_mesh(std::int64_t row, int round, Draws& draws) const {
    const Grid grid{side_, side_, side_};
    const Grid::Point p = grid.at(order_.inverse(row));
    const int reach = 2 + round / 16;
    const auto step = [&] { return static_cast<int>(draws.below(2 * reach + 1)) - reach; };
    const int x = step(), y = step(), z = step();
    const Grid::Point q = p + Grid::Step{x, y, z};
    const std::int64_t other = grid.inside(q) ? grid.number(q) : cols;
    return other < cols ? order_(other) : row;
  }

  Numbering numbering_;
  std::uint64_t seed_;
  Shuffle order_;
  std::int64_t side_ = 1;
  Vector<std::int64_t> length_;
};

// What another generator makes.
class LikeOther : public Rows {
 public:
  LikeOther(const Generator& generator, std::unique_ptr<Rows> other, std::uint64_t seed)
      : Rows(static_cast<double>(other->rows), static_cast<double>(other->cols), 0),
        natural_(generator.natural),
        other_(std::move(other)),
        seed_(seed) {
    counted = other_->counted;
    symmetric = other_->symmetric;
  }
  std::int64_t length(std::int64_t row) const override { return other_->length(row); }
  void pattern(std::int64_t row, Row& out) const override { other_->pattern(row, out); }
  void values(std::int64_t row, Row& out) const override {
    natural_ ? other_->values(row, out) : random_values(mix(seed_ + 2), row, symmetric, out);
  }

 private:
  bool natural_;
  std::unique_ptr<Rows> other_;
  std::uint64_t seed_;
};

std::unique_ptr<Rows> made_by(const std::string& text, std::uint64_t seed) {
  const Generator& generator = find_generator(text);
  const Arguments given(text + ",seed=" + std::to_string(seed), all_keys(generator));
  return std::make_unique<LikeOther>(generator, generator.make(given), seed);
}

}  // namespace

std::unique_ptr<Rows> like_rows(const LikeProfile& profile, std::uint64_t seed) {
  if (profile.numbering == Numbering::blocks) return like_blocks(profile, seed);
  return std::make_unique<LikeRows>(profile, seed);
}

Generator like_generator() {
  return {"like",
          "a stand-in for a matrix of a paper: its rows, entries, longest row, blocks and kind of numbering",
          true,
          {{"name", "qh1484", "pwtk, shipsec1, cop20k_A, scircuit, trans4, ...; a wrong one lists them all"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            const LikeProfile& profile = like_profile(given);
            if (profile.numbering == Numbering::other) return made_by(profile.text, given.seed());
            return like_rows(profile, given.seed());
          }};
}

}  // namespace heddle::synthetic
