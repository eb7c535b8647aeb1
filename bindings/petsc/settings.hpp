// What the options -mat_heddle_* say.
#pragma once

#include <heddle/choose.hpp>
#include <string>

#include "petsc_releases.hpp"

namespace heddle::petsc {

struct MatSettings {
  std::string plan;               // of the matrix, on several ranks of the diagonal block; empty: chosen
  std::string off_diagonal_plan;  // of the off-diagonal block
  ChooseOptions choose{.expected_multiplies = 100, .device = Device::cpu()};
  PetscBool view = PETSC_FALSE;  // one line when an operator is built
};

// Reads them with the prefix of A. Collective on A.
PetscErrorCode read_settings(Mat A, MatSettings& settings);

// "gpu" of a rank: the ranks of a node get its GPUs round robin.
Device device_of_rank(const std::string& text);

// Ranks on this node, counted once; sets the threads of a rank unless HEDDLE_THREADS does. Collective on the world.
PetscErrorCode share_the_node();

}  // namespace heddle::petsc
