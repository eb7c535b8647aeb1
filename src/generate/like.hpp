// Matrices that papers print numbers of, by name: what is known about them, and what stands in for them.
#pragma once

#include <span>

#include "generate/generator.hpp"
#include "generate/lengths_of.hpp"

namespace heddle::synthetic {

// Where the columns of a row lie, and how rows are numbered.
enum class Numbering {
  near,       // around the diagonal, over three times the length of the row
  blocks,     // full dof x dof blocks between the points of a mesh, numbered line by line; symmetric
  economics,  // near, at the same place of another period, or anywhere
  scattered,  // neighbours in a mesh whose points are numbered at random
  wires,      // four of five near, the others anywhere
  hosts,      // the pages of one host, and popular ones
  anywhere,
  other  // another generator makes it: `text`
};

struct LikeProfile {
  const char* name;
  std::int64_t rows, cols, nnz, longest;
  Numbering numbering;
  LengthProfile lengths = {};  // what differs from the numbers above; of a mesh with blocks those of its points
  std::int64_t dof = 1, nx = 0, ny = 0;  // of a mesh: points along x, and (in three dimensions) along y
  const char* text = "";
};

std::span<const LikeProfile> like_profiles();
// Error(usage), with those that there are, when there is none of this name.
const LikeProfile& like_profile(const Arguments& given);

// Of any numbering but `other`.
std::unique_ptr<Rows> like_rows(const LikeProfile& profile, std::uint64_t seed);
// like_blocks.cpp
std::unique_ptr<Rows> like_blocks(const LikeProfile& profile, std::uint64_t seed);

}  // namespace heddle::synthetic
