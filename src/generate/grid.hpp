// Points of a box, numbered with x fastest, and the offsets to their neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "generate/arguments.hpp"
#include "generate/generator.hpp"

namespace heddle::synthetic {

struct Grid {
  std::int64_t nx = 0, ny = 0, nz = 1;

  struct Point {
    std::int64_t x, y, z;
  };
  struct Step {
    int x, y, z;
  };

  double points() const { return static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(nz); }
  std::int64_t number(Point p) const { return (p.z * ny + p.y) * nx + p.x; }
  Point at(std::int64_t i) const { return {i % nx, i / nx % ny, i / nx / ny}; }
  bool inside(Point p) const { return p.x >= 0 && p.x < nx && p.y >= 0 && p.y < ny && p.z >= 0 && p.z < nz; }
};

inline Grid::Point operator+(Grid::Point p, Grid::Step s) { return {p.x + s.x, p.y + s.y, p.z + s.z}; }

// All steps with |component| <= reach (reach_z in z) that `wanted` accepts, such that the neighbours' numbers ascend.
template <class F>
std::vector<Grid::Step> steps_within(int reach, int reach_z, F wanted) {
  std::vector<Grid::Step> steps;
  for (int z = -reach_z; z <= reach_z; ++z)
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x)
        if (wanted(Grid::Step{x, y, z})) steps.push_back({x, y, z});
  return steps;
}

// Keys of a box with n points per side unless nx, ny, nz say otherwise, and the box they describe.
std::vector<Key> grid_keys(const char* n, bool flat, std::vector<Key> more);
Grid read_grid(const Arguments& given, bool flat);

}  // namespace heddle::synthetic
