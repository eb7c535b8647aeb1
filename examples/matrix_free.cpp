#include <heddle/heddle.hpp>
#include <iostream>
#include <vector>

// -u'' + u = 1 on a line, without a matrix: y = A x is all that is known of A.
int main() {
  heddle::MatrixFree<double> A{.size = 1000};
  A.symmetric = A.positive_definite = true;  // so that cg is taken
  A.multiply = [](std::span<const double> x, std::span<double> y, heddle::Stream) {
    const std::size_t last = x.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) y[i] = 3 * x[i] - (i > 0 ? x[i - 1] : 0) - (i < last ? x[i + 1] : 0);
  };
  std::vector<double> b(1000, 1.0), x(1000, 0.0);
  auto report = heddle::solve(A, b, x);
  std::cout << to_string(report);
  return report.converged() ? 0 : 1;
}
