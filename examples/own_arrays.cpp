// A matrix in arrays of your own: product, new values, solve.
#include <heddle/heddle.hpp>
#include <iostream>
#include <vector>

int main() {
  //  [ 4 -1  . ]
  //  [-1  4 -1 ]     int* row pointers, int* columns, double* values, as most programs have them
  //  [ . -1  4 ]
  std::vector<int> ptr{0, 2, 5, 7}, col{0, 1, 0, 1, 2, 1, 2};
  std::vector<double> val{4, -1, -1, 4, -1, -1, 4};
  auto A = heddle::csr_view(3, 3, 7, ptr.data(), col.data(), val.data());

  auto op = heddle::optimize(A, {.device = heddle::Device::cpu()}, {.updates = true});
  std::cout << op.explain();  // the plan, why, what was converted, which arrays are in use

  std::vector<double> x{1, 2, 3}, y(3);
  op.multiply(x, y);
  std::cout << "A x = " << y[0] << ' ' << y[1] << ' ' << y[2] << '\n';

  for (double& v : val) v *= 2;
  op.update_values(val);  // in the order of your arrays, whatever the plan makes of it
  op.multiply(x, y);
  std::cout << "2 A x = " << y[0] << ' ' << y[1] << ' ' << y[2] << '\n';

  std::vector<double> z(3, 0.0);
  auto report = heddle::solve(op, y, z, {.method = "cg", .tolerance = 1e-12});
  std::cout << to_string(report) << "z = " << z[0] << ' ' << z[1] << ' ' << z[2] << '\n';
  return report.converged() ? 0 : 1;
}
