#include "generate/families.hpp"

namespace heddle::synthetic {

const std::vector<Generator>& registry() {
  static const std::vector<Generator> all{
      stencil2d5_generator(),   stencil2d9_generator(), stencil3d7_generator(),  stencil3d27_generator(),
      fem_generator(),          elasticity_generator(), qcd_generator(),         band_generator(),
      random_generator(),       rmat_generator(),       circuit_generator(),     web_generator(),
      road_generator(),         lp_generator(),         dense_generator(),       arrow_generator(),
      lengths_generator(),      tomography_generator(), mesh_generator(),        economics_generator(),
      epidemiology_generator(), empty_generator(),      sparse_rows_generator(), like_generator(),
      laplacian_generator()};
  return all;
}

}  // namespace heddle::synthetic
