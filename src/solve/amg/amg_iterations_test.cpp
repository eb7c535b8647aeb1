// Iterations of cg with amg that docs/solvers.md has: no instruction set and no number of threads changes them.
#include <gtest/gtest.h>

#include <vector>

#include <heddle/generate.hpp>

#include "support/amg_solves.hpp"
#include "support/stored_matrices.hpp"

namespace heddle::test {
namespace {

struct Known {
  const char* name;
  std::int64_t iterations;
  bool stored = false;
};

class Iterations : public testing::TestWithParam<Known> {};

TEST_P(Iterations, are_those_of_the_documentation) {
  const auto& [name, expected, stored] = GetParam();
  std::optional<Csr<double>> A;
  if (stored)
    A = stored_matrix(name);
  else
    A.emplace(generate<double>(name));
  if (!A) GTEST_SKIP() << "there is no file of " << name;
  constexpr std::int64_t many_rows = 100'000;
  for (const int count : A->rows > many_rows ? std::vector{2} : std::vector{1, 2}) {
    set_threads(count);
    EXPECT_EQ(iterations(*A), expected) << count;
  }
  set_threads(0);
}
INSTANTIATE_TEST_SUITE_P(Amg, Iterations,
                         testing::Values(Known{"stencil2d5,n=100", 7}, Known{"stencil2d5,n=300", 8},
                                         Known{"stencil2d5,n=200,coefficients=varying", 9}, Known{"stencil3d7,n=32", 8},
                                         Known{"stencil3d7,n=64", 8}, Known{"stencil3d27,n=32", 6},
                                         Known{"elasticity,nx=20,ny=10,nz=10", 26}, Known{"laplacian ak2010", 16, true},
                                         Known{"laplacian brack2", 9, true}, Known{"1138_bus", 19, true},
                                         Known{"Trefethen_2000", 5, true}, Known{"bcsstk16", 31, true}),
                         [](const auto& on) {
                           std::string name = on.param.name;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

TEST(Iterations, with_motions_of_a_rigid_body_are_those_of_the_documentation) {
  struct Body {
    int nx, ny, nz;
    std::int64_t without, with;
  };
  for (const auto& [nx, ny, nz, without, with] : {Body{20, 10, 10, 26, 11}, Body{60, 3, 3, 92, 18}}) {
    const Csr<double> A = generate<double>(fmt::format("elasticity,nx={},ny={},nz={}", nx, ny, nz));
    EXPECT_EQ(iterations(A), without);
    EXPECT_EQ(iterations(A, {.near_nullspace = rigid_body_modes(beam_coordinates(nx, ny, nz), 3)}), with);
  }
}

}  // namespace
}  // namespace heddle::test
