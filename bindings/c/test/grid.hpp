// Something to solve, for tests of the C library.
#pragma once

#include <gtest/gtest.h>
#include <heddle.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace heddle_test {

// The five-point Laplacian of a 30 x 30 grid.
struct Grid {
  heddle_matrix* matrix = nullptr;
  heddle_operator* op = nullptr;
  std::vector<double> b, x;

  Grid() {
    EXPECT_EQ(heddle_matrix_read("gen:stencil2d5,nx=30,ny=30", HEDDLE_F64, nullptr, nullptr, &matrix), HEDDLE_OK);
    HEDDLE_INIT(heddle_options, o);
    o.plan = "csr";
    EXPECT_EQ(heddle_operator_create(matrix, &o, &op), HEDDLE_OK) << heddle_last_error();
    b.assign(900, 1);
    x.assign(900, 0);
  }
  Grid(const Grid&) = delete;
  ~Grid() {
    heddle_operator_destroy(op);
    heddle_matrix_destroy(matrix);
  }
  double residual() const {
    std::vector<double> r = b;
    EXPECT_EQ(heddle_multiply_add(op, 0, -1, x.data(), 1, r.data(), nullptr), HEDDLE_OK);
    double sum = 0;
    for (const double v : r) sum += v * v;
    return std::sqrt(sum) / 30;
  }
};

// A matrix as a function: half of r.
inline int32_t halve(void* context, const void* r, void* z, heddle_stream) {
  const auto rows = *static_cast<int*>(context);
  std::transform(static_cast<const double*>(r), static_cast<const double*>(r) + rows, static_cast<double*>(z),
                 [](double value) { return value / 2; });
  return 0;
}

}  // namespace heddle_test
