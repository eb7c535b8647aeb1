// The program of the README: y = A x for a matrix file, or for a generated matrix such as gen:stencil3d7,n=50.
#include <heddle/heddle.hpp>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  auto A = heddle::read_matrix(argc > 1 ? argv[1] : "gen:stencil2d5,n=100");
  auto op = heddle::build(A, heddle::Plan::parse("csr"), {.device = heddle::Device::parse("auto")});
  heddle::Buffer<double> x(A.cols), y(A.rows);
  for (double& value : x) value = 1;
  op.multiply(x, y);
  std::printf("y[0] = %g, on %s\n", y[0], to_string(op.device()).c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
