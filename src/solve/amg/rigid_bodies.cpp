#include <heddle/solve.hpp>

#include <cmath>

#include "core/check.hpp"

namespace heddle {

// Translations, then rotations about the centre of the nodes: by one unit of length and one of angle.
std::vector<double> rigid_body_modes(std::span<const double> coordinates, int dimension) {
  check(dimension == 2 || dimension == 3, ErrorKind::usage, "{} coordinates a node: there are 2 or 3", dimension);
  const auto d = static_cast<std::size_t>(dimension), all = coordinates.size(), nodes = all / d;
  check(all % d == 0, ErrorKind::usage, "{} coordinates are no nodes of {}", all, dimension);
  std::vector<double> centre(d, 0.0);
  for (std::size_t i = 0; i < all; ++i) {
    check(std::isfinite(coordinates[i]), ErrorKind::input, "coordinate {} is {}", i + 1, coordinates[i]);
    centre[i % d] += coordinates[i] / static_cast<double>(nodes);
  }
  std::vector<double> modes(all * (d == 2 ? 3 : 6), 0.0);
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto at = [&](std::size_t mode, std::size_t along) -> double& {
      return modes[mode * all + node * d + along];
    };
    for (std::size_t along = 0; along < d; ++along) at(along, along) = 1;
    std::size_t mode = d;
    for (std::size_t a = 0; a < d; ++a)
      for (std::size_t b = a + 1; b < d; ++b, ++mode) {  // in the plane of the axes a and b
        at(mode, a) = centre[b] - coordinates[node * d + b];
        at(mode, b) = coordinates[node * d + a] - centre[a];
      }
  }
  return modes;
}

}  // namespace heddle
