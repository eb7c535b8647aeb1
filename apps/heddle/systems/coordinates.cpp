#include "systems/coordinates.hpp"

#include <heddle/io.hpp>

#include "core/check.hpp"

namespace heddle {

void take_coordinates(const std::string& path, std::int64_t unknowns, bool reordered, PreconditionerOptions& amg) {
  if (reordered)
    fail(ErrorKind::usage, At{"--coordinates", "leave out --reorder"}, "nodes must stay in the order of the file");
  const Csr<double> nodes = read_matrix<double>(path);
  if (nodes.cols < 2 || nodes.cols > 3 || nodes.rows * nodes.cols != unknowns)
    fail(ErrorKind::input, At{path, "give --coordinates a row for each node, of 2 or 3 numbers"},
         "{} x {} coordinates for a matrix of {} rows", nodes.rows, nodes.cols, unknowns);
  std::vector<double> at(static_cast<std::size_t>(unknowns), 0.0);
  for (std::int64_t node = 0; node < nodes.rows; ++node)
    for (Offset k = nodes.ptr[node]; k < nodes.ptr[node + 1]; ++k)
      at[static_cast<std::size_t>(node * nodes.cols + nodes.col[k])] = nodes.val[k];
  const auto dimension = static_cast<int>(nodes.cols);
  amg.near_nullspace = rigid_body_modes(at, dimension);
  if (amg.block == 0) amg.block = dimension;
}

}  // namespace heddle
