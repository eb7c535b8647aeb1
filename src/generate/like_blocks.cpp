// Points of a mesh, numbered line by line, whose neighbours are coupled by full dof x dof blocks:
//
//   point a:  wants so many neighbours, and takes the nearest that want one more, those behind it first of all
//
//             a --- a+1      the steps, nearest first:  1, nx, nx - 1, nx + 1, 2, ...
//             |  \           (in three dimensions a plane of nx ny points further as well)
//          a+nx   a+nx+1
//
// One point, a third of the way down, has as many as the longest row needs, and single entries for what dof does not
// divide. Values are those of a graph's Laplacian with weights, and a little more on the diagonal: SPD, and conjugate
// gradients take hundreds of iterations, as they do with finite elements.
#include <algorithm>
#include <numeric>

#include "generate/grid.hpp"
#include "generate/like.hpp"
#include "generate/random.hpp"

namespace heddle::synthetic {

namespace {

struct Edge {
  Index a, b;
};

// Distances to later points, nearest first.
std::vector<std::int64_t> distances(const LikeProfile& profile) {
  const int reach_z = profile.ny > 0 ? 2 : 0;
  const Grid grid{profile.nx, std::max<std::int64_t>(1, profile.ny), 1};
  struct Step {
    std::int64_t far, distance;
  };
  std::vector<Step> steps;
  for (const Grid::Step& s : steps_within(reach_z ? 2 : 4, reach_z, [](Grid::Step) { return true; })) {
    const std::int64_t distance = grid.number({s.x, s.y, s.z});
    if (distance > 0) steps.push_back({std::int64_t{s.x} * s.x + s.y * s.y + s.z * s.z, distance});
  }
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.far != b.far ? a.far < b.far : a.distance < b.distance; });
  std::vector<std::int64_t> list;
  for (const Step& step : steps) list.push_back(step.distance);
  return list;
}

// Row lengths of the mesh's points: how many points each is coupled with, itself among them.
Vector<std::int64_t> wanted_neighbours(const LikeProfile& profile, std::int64_t points) {
  LengthProfile of_points = profile.lengths;
  of_points.rows = points;
  of_points.nnz = (profile.nnz + profile.dof * profile.dof / 2) / (profile.dof * profile.dof);
  of_points.longest = profile.longest / profile.dof;
  of_points.deviation /= static_cast<double>(profile.dof);
  return lengths_of(of_points);
}

// Every point with as many neighbours as it wants, as far as there are others that want one.
Vector<Edge> edges_of(const LikeProfile& profile, Vector<std::int64_t> wanted) {
  const auto points = static_cast<std::int64_t>(wanted.size()), hub = row_of_longest(points);
  const std::vector<std::int64_t> steps = distances(profile);
  Vector<Edge> edges;
  const auto couple = [&](std::int64_t a, std::int64_t b) {
    if (a < 0 || b >= points) return;
    auto &of_a = wanted[static_cast<std::size_t>(a)], &of_b = wanted[static_cast<std::size_t>(b)];
    if (of_a <= 1 || of_b <= 1) return;
    --of_a, --of_b;
    edges.push_back({static_cast<Index>(a), static_cast<Index>(b)});
  };
  for (const std::int64_t step : steps) couple(hub - step, hub), couple(hub, hub + step);
  for (std::int64_t a = 0; a < points; ++a)
    for (const std::int64_t step : steps)
      if (a != hub && a + step != hub) couple(a, a + step);
  return edges;
}

class LikeBlocks : public Rows {
 public:
  LikeBlocks(const LikeProfile& profile, std::uint64_t seed)
      : Rows(static_cast<double>(profile.rows), static_cast<double>(profile.rows), static_cast<double>(profile.nnz)),
        dof_(profile.dof),
        points_((rows + dof_ - 1) / dof_),
        hub_row_(row_of_longest(points_) * dof_),
        singles_(profile.longest % dof_),
        seed_(seed) {
    symmetric = true;
    const Vector<Edge> edges = edges_of(profile, wanted_neighbours(profile, points_));
    ptr_.assign(static_cast<std::size_t>(points_) + 1, 0);
    for (std::int64_t a = 0; a < points_; ++a) ++ptr_[static_cast<std::size_t>(a) + 1];
    for (const Edge& edge : edges)
      ++ptr_[static_cast<std::size_t>(edge.a) + 1], ++ptr_[static_cast<std::size_t>(edge.b) + 1];
    std::partial_sum(ptr_.begin(), ptr_.end(), ptr_.begin());
    neighbour_.resize(static_cast<std::size_t>(ptr_.back()));
    Vector<std::int64_t> next(ptr_.begin(), ptr_.end() - 1);
    const auto add = [&](Index a, Index b) {
      neighbour_[static_cast<std::size_t>(next[static_cast<std::size_t>(a)]++)] = b;
    };
    for (std::int64_t a = 0; a < points_; ++a) add(static_cast<Index>(a), static_cast<Index>(a));
    for (const Edge& edge : edges) add(edge.a, edge.b), add(edge.b, edge.a);
    for (std::int64_t a = 0; a < points_; ++a)
      std::sort(neighbour_.begin() + ptr_[static_cast<std::size_t>(a)],
                neighbour_.begin() + ptr_[static_cast<std::size_t>(a) + 1]);
  }

  void pattern(std::int64_t row, Row& out) const override {
    out.col.clear();
    const auto point = static_cast<std::size_t>(row / dof_);
    for (std::int64_t k = ptr_[point]; k < ptr_[point + 1]; ++k) {
      const std::int64_t first = neighbour_[static_cast<std::size_t>(k)] * dof_;
      for (std::int64_t col = first; col < std::min(rows, first + dof_); ++col)
        out.col.push_back(static_cast<Index>(col));
    }
    if (singles_ == 0) return;
    for (std::int64_t k = 0; k < singles_; ++k) {
      const std::int64_t far = far_row(k);
      if (row == hub_row_) out.col.push_back(static_cast<Index>(far));
      if (row == far) out.col.push_back(static_cast<Index>(hub_row_));
    }
    std::sort(out.col.begin(), out.col.end());
  }

  void values(std::int64_t row, Row& out) const override {
    double sum = 1e-3;
    std::size_t diagonal = 0;
    for (std::size_t k = 0; k < out.col.size(); ++k) {
      if (out.col[k] == row) {
        diagonal = k;
        continue;
      }
      const double size = 0.5 + unit(hash_pair(seed_, row, out.col[k]));
      sum += size;
      out.val[k] = -size;
    }
    out.val[diagonal] = sum;
  }

 private:
  // Of another point, too far away to be coupled.
  std::int64_t far_row(std::int64_t k) const { return (points_ * 2 / 3 + k) * dof_; }

  std::int64_t dof_, points_, hub_row_, singles_;
  std::uint64_t seed_;
  Vector<std::int64_t> ptr_;
  Vector<Index> neighbour_;
};

}  // namespace

std::unique_ptr<Rows> like_blocks(const LikeProfile& profile, std::uint64_t seed) {
  return std::make_unique<LikeBlocks>(profile, seed);
}

}  // namespace heddle::synthetic
