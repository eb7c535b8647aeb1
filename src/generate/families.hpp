// Every generator there is, by the file that holds it. Adding one: a function here, a line in registry.cpp.
#pragma once

#include "generate/generator.hpp"

namespace heddle::synthetic {

// stencil.cpp
Generator stencil2d5_generator();
Generator stencil2d9_generator();
Generator stencil3d7_generator();
Generator stencil3d27_generator();
Generator epidemiology_generator();
// fem.cpp
Generator fem_generator();
Generator mesh_generator();
// elasticity.cpp
Generator elasticity_generator();
// qcd.cpp
Generator qcd_generator();
// simple.cpp
Generator band_generator();
Generator dense_generator();
Generator arrow_generator();
// rows.cpp
Generator random_generator();
Generator lp_generator();
Generator lengths_generator();
Generator empty_generator();
Generator sparse_rows_generator();
Generator economics_generator();
// rmat.cpp
Generator rmat_generator();
// network.cpp
Generator circuit_generator();
Generator web_generator();
Generator road_generator();
// tomography.cpp
Generator tomography_generator();
// like.cpp
Generator like_generator();
// laplacian.cpp
Generator laplacian_generator();

}  // namespace heddle::synthetic
