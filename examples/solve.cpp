#include <algorithm>
#include <heddle/heddle.hpp>
#include <iostream>

int main() {
  auto A = heddle::read_matrix("gen:stencil3d7,n=40");
  auto op = heddle::optimize(A);
  heddle::Buffer<double> b(A.rows), x(A.rows);
  std::fill(b.begin(), b.end(), 1.0);
  std::fill(x.begin(), x.end(), 0.0);
  auto multigrid = heddle::make_preconditioner("amg", op, A);  // once for many right-hand sides
  auto report = heddle::solve(op, b, x, {.method = "cg", .own_preconditioner = multigrid});
  std::cout << to_string(report);
  return report.converged() ? 0 : 1;
}
