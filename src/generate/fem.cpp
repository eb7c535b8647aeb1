#include <cmath>

#include "core/parallel.hpp"
#include "generate/families.hpp"
#include "generate/grid.hpp"
#include "generate/random.hpp"

namespace heddle::synthetic {

namespace {

bool is_zero(Grid::Step s) { return s.x == 0 && s.y == 0 && s.z == 0; }
bool is_near(Grid::Step s) { return std::max({std::abs(s.x), std::abs(s.y), std::abs(s.z)}) <= 1; }

//  node a couples with its 26 neighbours; each coupling is a full dof x dof block:
//
//      row a*dof + p :   [ block a,b ][ block a,a ][ block a,c ] ...     columns b*dof .. b*dof + dof-1
//
//  irregular = s drops a share s of the couplings and adds a share s of those two steps away along an axis.
//  Random symmetric values, diagonal = 1 + sum of the others' sizes: SPD.
class Fem : public Rows {
 public:
  Fem(const Grid& box, std::int64_t dof, double irregular, std::uint64_t seed)
      : Rows(box.points() * static_cast<double>(dof), box.points() * static_cast<double>(dof),
             box.points() * static_cast<double>(dof * dof) * expected_degree(box, irregular)),
        grid_(box),
        dof_(dof),
        irregular_(irregular),
        seed_(seed) {
    symmetric = counted = true;
    const int reach = irregular > 0 ? 2 : 1;
    steps_ = steps_within(
        reach, reach, [](Grid::Step s) { return is_near(s) || std::abs(s.x) + std::abs(s.y) + std::abs(s.z) == 2; });
  }

  std::int64_t length(std::int64_t row) const override {
    std::int64_t nodes = 0;
    each_neighbour(row / dof_, [&](std::int64_t) { ++nodes; });
    return nodes * dof_;
  }

  void pattern(std::int64_t row, Row& out) const override {
    out.col.clear();
    each_neighbour(row / dof_, [&](std::int64_t node) {
      for (std::int64_t q = 0; q < dof_; ++q) out.col.push_back(static_cast<Index>(node * dof_ + q));
    });
  }

  void values(std::int64_t row, Row& out) const override {
    double sum = 1;
    std::size_t diagonal = 0;
    for (std::size_t k = 0; k < out.col.size(); ++k) {
      if (out.col[k] == row) {
        diagonal = k;
        continue;
      }
      const std::uint64_t bits = hash_pair(seed_, row, out.col[k]);
      const double size = 0.5 + unit(bits);
      sum += size;
      out.val[k] = bits & 1 ? -size : size;
    }
    out.val[diagonal] = sum;
  }

 private:
  static double expected_degree(const Grid& box, double irregular) {
    const auto along = [](std::int64_t n) { return n > 0 ? 3 - 2 / static_cast<double>(n) : 0; };
    return along(box.nx) * along(box.ny) * along(box.nz) * (1 - irregular) + 6 * irregular;
  }

  template <class F>
  void each_neighbour(std::int64_t node, F f) const {
    const Grid::Point p = grid_.at(node);
    for (const Grid::Step& s : steps_) {
      if (!grid_.inside(p + s)) continue;
      const std::int64_t other = grid_.number(p + s);
      if (other == node || irregular_ == 0 || coupled(node, other, is_near(s))) f(other);
    }
  }
  bool coupled(std::int64_t a, std::int64_t b, bool near) const {
    return chance(hash_pair(mix(seed_ + 1), a, b), irregular_) != near;
  }

  Grid grid_;
  std::int64_t dof_;
  double irregular_;
  std::uint64_t seed_;
  std::vector<Grid::Step> steps_;
};

// cop20k_A's shape: points of a 3D mesh in random order; point a has a weight w, and a couples with b out of the 124
// points around it with probability w(a) w(b), so the row lengths spread as the weights do. Points without weight have
// an empty row. The constants give 21.6 entries a row, cv 0.64 and 17.6 % empty rows at 121,192 rows.
class Mesh : public Rows {
 public:
  Mesh(std::int64_t points, double isolated, std::uint64_t seed)
      : Rows(static_cast<double>(points), static_cast<double>(points), 24 * static_cast<double>(points)),
        isolated_(isolated),
        seed_(seed),
        order_(seed, points),
        place_(points) {
    symmetric = true;
    parallel_ranges(points, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t point = begin; point < end; ++point) place_[point] = static_cast<Index>(order_(point));
    });
    std::int64_t side = 1;
    while (side * side * side < points) ++side;
    grid_ = {side, side, side};
    steps_ = steps_within(2, 2, [](Grid::Step) { return true; });
  }

  void pattern(std::int64_t row, Row& out) const override {
    out.col.clear();
    const std::int64_t point = order_.inverse(row);
    const double w = weight(point);
    if (w == 0) return;
    const Grid::Point p = grid_.at(point);
    for (const Grid::Step& s : steps_) {
      if (!grid_.inside(p + s)) continue;
      const std::int64_t other = grid_.number(p + s);
      if (other >= rows) continue;
      // Most pairs are settled by w alone: the other's weight, at most 1, is looked up for the rest.
      const double u = unit(hash_pair(seed_, point, other)), limit = is_near(s) ? 1.0 : 0.70;
      if (is_zero(s) || (u < w * limit && u < w * weight(other) * limit)) out.col.push_back(place_[other]);
    }
    sort_columns(out.col);
  }

 private:
  double weight(std::int64_t point) const {
    const std::uint64_t bits = hash(mix(seed_ + 1), point);
    return chance(bits, isolated_) ? 0 : 0.184 + 0.816 * unit(mix(bits));
  }

  double isolated_;
  std::uint64_t seed_;
  Shuffle order_;
  Buffer<Index> place_;  // order_(point), looked up 22 times a row
  Grid grid_;
  std::vector<Grid::Step> steps_;
};

}  // namespace

Generator fem_generator() {
  return {"fem", "dof x dof blocks on a 3D mesh with 27-point neighbourhood; SPD", true,
          grid_keys("30", false,
                    {{"dof", "3", "unknowns per node"},
                     {"irregular", "0", "share of the couplings dropped, and of more distant ones added"}}),
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Fem>(read_grid(given, false), given.integer("dof", 1, 1024),
                                         given.real("irregular", 0, 1), given.seed());
          }};
}

Generator mesh_generator() {
  return {"mesh",
          "unstructured 3D mesh in random order, uneven rows (like cop20k_A)",
          false,
          {{"rows", "121192", "mesh points"}, {"isolated", "0.176", "share of points without any entry"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            return std::make_unique<Mesh>(given.integer("rows", 0, max_dimension), given.real("isolated", 0, 1),
                                          given.seed());
          }};
}

}  // namespace heddle::synthetic
