#include <array>
#include <cmath>

#include "generate/families.hpp"
#include "generate/grid.hpp"

namespace heddle::synthetic {

namespace {

using Block = std::array<std::array<double, 3>, 3>;

// Stiffness of the unit cube with trilinear shape functions N_a, isotropic material, 2 x 2 x 2 Gauss points:
//
//   K_ab[p][q] = integral  lambda dN_a/dp dN_b/dq + mu dN_a/dq dN_b/dp + delta_pq mu grad N_a . grad N_b
//
// Corner a has the coordinates (a & 1, a >> 1 & 1, a >> 2). Computed for a <= b and mirrored: symmetric to the last
// bit.
class Element {
 public:
  Element(double young, double poisson) {
    const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    const double mu = young / (2 * (1 + poisson));
    for (int a = 0; a < 8; ++a)
      for (int b = a; b < 8; ++b) {
        block_[a][b] = integrate(a, b, lambda, mu);
        for (int p = 0; p < 3; ++p)
          for (int q = 0; q < 3; ++q) block_[b][a][q][p] = block_[a][b][p][q];
      }
    for (int a = 0; a < 8; ++a)  // of a diagonal block one half is the mirror of the other
      for (int p = 0; p < 3; ++p)
        for (int q = 0; q < p; ++q) block_[a][a][p][q] = block_[a][a][q][p];
  }
  const Block& operator()(int a, int b) const { return block_[a][b]; }

 private:
  static std::array<double, 3> gradient(int corner, const std::array<double, 3>& at) {
    std::array<double, 3> value, slope, made;
    for (int d = 0; d < 3; ++d) {
      const bool high = corner >> d & 1;
      value[d] = high ? at[d] : 1 - at[d];
      slope[d] = high ? 1 : -1;
    }
    for (int d = 0; d < 3; ++d) made[d] = slope[d] * value[(d + 1) % 3] * value[(d + 2) % 3];
    return made;
  }

  static Block integrate(int a, int b, double lambda, double mu) {
    const double half_gap = 0.5 / std::sqrt(3.0);
    const double place[2] = {0.5 - half_gap, 0.5 + half_gap};
    Block sum{};
    for (int gauss = 0; gauss < 8; ++gauss) {
      const std::array<double, 3> at{place[gauss & 1], place[gauss >> 1 & 1], place[gauss >> 2]};
      const auto ga = gradient(a, at), gb = gradient(b, at);
      const double dot = ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2];
      for (int p = 0; p < 3; ++p)
        for (int q = 0; q < 3; ++q)
          sum[p][q] += (lambda * ga[p] * gb[q] + mu * ga[q] * gb[p] + (p == q ? mu * dot : 0)) / 8;
    }
    return sum;
  }

  std::array<std::array<Block, 8>, 8> block_{};
};

//  A beam of ex * ey * ez cubes. The nodes at x = 0 are clamped and eliminated, so the free nodes are
//  ex * (ey+1) * (ez+1), numbered with z fastest and x slowest: the narrow cross-section gives the band.
//
//      |/[ ][ ][ ][ ]
//      |/[ ][ ][ ][ ]   -> x
class Elasticity : public Rows {
 public:
  Elasticity(std::int64_t ex, std::int64_t ey, std::int64_t ez, double young, double poisson)
      // Grid's fastest axis is z of the beam, its slowest is x; free nodes start at x = 1.
      : Rows(3 * Grid{ez + 1, ey + 1, ex}.points(), 3 * Grid{ez + 1, ey + 1, ex}.points(),
             3 * 36 * Grid{ez + 1, ey + 1, ex}.points()),
        nodes_{ez + 1, ey + 1, ex},
        cells_{ez, ey, ex},
        element_(young, poisson) {
    symmetric = counted = true;
    steps_ = steps_within(1, 1, [](Grid::Step) { return true; });
  }

  std::int64_t length(std::int64_t row) const override {
    const Grid::Point p = nodes_.at(row / 3);
    std::int64_t count = 0;
    for (const Grid::Step& s : steps_) count += nodes_.inside(p + s);
    return 3 * count;
  }

  void pattern(std::int64_t row, Row& out) const override {
    const Grid::Point p = nodes_.at(row / 3);
    out.col.clear();
    for (const Grid::Step& s : steps_) {
      if (!nodes_.inside(p + s)) continue;
      const std::int64_t other = nodes_.number(p + s);
      for (int q = 0; q < 3; ++q) out.col.push_back(static_cast<Index>(3 * other + q));
    }
  }

  void values(std::int64_t row, Row& out) const override {
    const Grid::Point p = nodes_.at(row / 3);
    std::size_t k = 0;
    for (const Grid::Step& s : steps_) {
      if (!nodes_.inside(p + s)) continue;
      const std::array<double, 3> entries = coupling(p, s, static_cast<int>(row % 3));
      for (const double v : entries) out.val[k++] = v;
    }
  }

 private:
  // Row `d` of the 3 x 3 block between node p and node p + s: summed over the cells that have both as corners, in the
  // order of the cells, which is the same for the transposed block.
  std::array<double, 3> coupling(Grid::Point p, Grid::Step s, int d) const {
    std::array<double, 3> sum{};
    for (int corner = 7; corner >= 0; --corner) {
      const int x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;  // where node p sits in the cell
      const int bx = x + s.x, by = y + s.y, bz = z + s.z;
      if (((bx | by | bz) & ~1) != 0) continue;
      // Node z of the grid is layer z + 1 of the beam, cell z lies between the layers z and z + 1.
      if (!cells_.inside({p.x - x, p.y - y, p.z + 1 - z})) continue;
      const Block& block = element_(beam_corner(x, y, z), beam_corner(bx, by, bz));
      for (int q = 0; q < 3; ++q) sum[q] += block[d][q];
    }
    return sum;
  }
  static int beam_corner(int x, int y, int z) { return z | y << 1 | x << 2; }

  Grid nodes_, cells_;
  Element element_;
  std::vector<Grid::Step> steps_;
};

}  // namespace

Generator elasticity_generator() {
  return {"elasticity",
          "beam of hexahedral elements clamped at one end, 3 unknowns per node; SPD",
          true,
          {{"nx", "60", "elements along the beam"},
           {"ny", "16", "elements across"},
           {"nz", "16", "elements in height"},
           {"E", "1", "Young's modulus"},
           {"nu", "0.3", "Poisson's ratio, below 0.5"}},
          [](const Arguments& given) -> std::unique_ptr<Rows> {
            const auto side = [&](const char* key) { return given.integer(key, 1, max_dimension); };
            return std::make_unique<Elasticity>(side("nx"), side("ny"), side("nz"), given.real("E", 1e-300, 1e300),
                                                given.real("nu", 0, 0.499));
          }};
}

}  // namespace heddle::synthetic
