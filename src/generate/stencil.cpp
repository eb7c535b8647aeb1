
#include "generate/families.hpp"
#include "generate/grid.hpp"
#include "generate/random.hpp"

namespace heddle::synthetic {

std::vector<Key> grid_keys(const char* n, bool flat, std::vector<Key> more) {
  std::vector<Key> keys{{"n", n, "points per side"}, {"nx", "n", "points in x"}, {"ny", "n", "points in y"}};
  if (!flat) keys.push_back({"nz", "n", "points in z"});
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

Grid read_grid(const Arguments& given, bool flat) {
  const auto side = [&](const char* key) { return given.integer(key, 0, max_dimension); };
  return {side("nx"), side("ny"), flat ? 1 : side("nz")};
}

namespace {

// Discrete Laplacian with Dirichlet boundary: off-diagonal entries -c, the diagonal is the sum of the c of all
// neighbours, those beyond the boundary included. So every row is weakly diagonally dominant, rows at the boundary
// strictly, and the grid is connected: symmetric positive definite.
class Stencil : public Rows {
 public:
  Stencil(const Grid& box, std::vector<Grid::Step> neighbours, bool varies, std::uint64_t seed)
      : Rows(box.points(), box.points(), box.points() * static_cast<double>(neighbours.size())),
        grid_(box),
        steps_(std::move(neighbours)),
        varying_(varies),
        seed_(seed) {
    symmetric = counted = true;
    for (const Grid::Step& s : steps_) reach_z_ = std::max(reach_z_, s.z);
  }

  std::int64_t length(std::int64_t row) const override {
    const Grid::Point p = grid_.at(row);
    if (interior(p)) return static_cast<std::int64_t>(steps_.size());
    std::int64_t count = 0;
    for (const Grid::Step& s : steps_) count += grid_.inside(p + s);
    return count;
  }

  void pattern(std::int64_t row, Row& out) const override {
    const Grid::Point p = grid_.at(row);
    const bool all = interior(p);
    out.col.clear();
    for (const Grid::Step& s : steps_)
      if (all || grid_.inside(p + s)) out.col.push_back(static_cast<Index>(grid_.number(p + s)));
  }

  void values(std::int64_t row, Row& out) const override {
    const Grid::Point p = grid_.at(row);
    double sum = 0;
    std::size_t k = 0, diagonal = 0;
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      const Grid::Point q = p + steps_[step];
      const std::int64_t other = grid_.number(q);
      const bool stored = grid_.inside(q);
      if (stored && other == row) {
        diagonal = k++;
        continue;
      }
      // Beyond the boundary the neighbour has no number of its own: (row, -step) names that coefficient.
      const double c = coefficient(row, stored ? other : -1 - static_cast<std::int64_t>(step));
      sum += c;
      if (stored) out.val[k++] = -c;
    }
    out.val[diagonal] = sum;
  }

 private:
  bool interior(Grid::Point p) const {
    return p.x > 0 && p.x < grid_.nx - 1 && p.y > 0 && p.y < grid_.ny - 1 &&
           (reach_z_ == 0 || (p.z > 0 && p.z < grid_.nz - 1));
  }
  double coefficient(std::int64_t a, std::int64_t b) const {
    return varying_ ? 0.5 + unit(hash_pair(seed_, a, b)) : 1.0;
  }

  Grid grid_;
  std::vector<Grid::Step> steps_;
  bool varying_;
  std::uint64_t seed_;
  int reach_z_ = 0;
};

std::unique_ptr<Rows> make_stencil(const Arguments& given, bool flat, bool star) {
  const auto on_an_axis = [](Grid::Step s) { return (s.x != 0) + (s.y != 0) + (s.z != 0) <= 1; };
  auto steps = steps_within(1, flat ? 0 : 1, [&](Grid::Step s) { return !star || on_an_axis(s); });
  const bool varying = given.word("coefficients", {"constant", "varying"}) == "varying";
  return std::make_unique<Stencil>(read_grid(given, flat), std::move(steps), varying, given.seed());
}

std::vector<Key> stencil_keys(const char* n, bool flat) {
  return grid_keys(n, flat, {{"coefficients", "constant", "constant, or varying: random in [0.5, 1.5) per edge"}});
}

// mc2depi's shape: a walk on a grid that always leaves its point, so four entries a row and no diagonal.
class Epidemiology : public Rows {
 public:
  explicit Epidemiology(const Grid& box) : Rows(box.points(), box.points(), 4 * box.points()), grid_(box) {}

  void pattern(std::int64_t row, Row& out) const override {
    const Grid::Point p = grid_.at(row);
    out.col.clear();
    for (const Grid::Step& s : {Grid::Step{0, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}})
      if (grid_.inside(p + s)) out.col.push_back(static_cast<Index>(grid_.number(p + s)));
  }

 private:
  Grid grid_;
};

}  // namespace

Generator stencil2d5_generator() {
  return {"stencil2d5", "5-point Laplacian on a square grid; SPD", true, stencil_keys("1000", true),
          [](const Arguments& given) { return make_stencil(given, true, true); }};
}
Generator stencil2d9_generator() {
  return {"stencil2d9", "9-point Laplacian on a square grid; SPD", true, stencil_keys("1000", true),
          [](const Arguments& given) { return make_stencil(given, true, false); }};
}
Generator stencil3d7_generator() {
  return {"stencil3d7", "7-point Laplacian on a cubic grid; SPD", true, stencil_keys("100", false),
          [](const Arguments& given) { return make_stencil(given, false, true); }};
}
Generator stencil3d27_generator() {
  return {"stencil3d27", "27-point Laplacian on a cubic grid; SPD", true, stencil_keys("100", false),
          [](const Arguments& given) { return make_stencil(given, false, false); }};
}

Generator epidemiology_generator() {
  return {"epidemiology",
          "walk on a 2D grid: 4 entries a row, no diagonal (like mc2depi)",
          false,
          {{"nx", "513", "points in x"}, {"ny", "1025", "points in y"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Epidemiology>(read_grid(given, true));
          }};
}

}  // namespace heddle::synthetic
