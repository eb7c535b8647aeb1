#include <heddle/heddle.hpp>
#include <iostream>
#include <vector>

int main() {
  //  [ 4 -1  . ]   rows in arrays of yours: integers of any type, on the host or on a GPU
  //  [-1  4 -1 ]
  //  [ . -1  4 ]
  std::vector<int> ptr{0, 2, 5, 7}, col{0, 1, 0, 1, 2, 1, 2};
  std::vector<double> val{4, -1, -1, 4, -1, -1, 4}, x{1, 2, 3}, y(3), z(3);
  auto A = heddle::csr_view(3, 3, 7, ptr.data(), col.data(), val.data());

  // The format that suits A and this machine, on the GPU if there is one. Values will be updated.
  auto op = heddle::optimize(A, {}, {.updates = true});
  op.multiply(x, y);  // y = A x; vectors of the host travel to a GPU and back, those of the GPU stay there
  std::cout << op.explain() << "A x = " << y[0] << ' ' << y[1] << ' ' << y[2] << '\n';

  for (double& v : val) v *= 2;
  op.update_values(val);                                        // in the order of your arrays
  auto report = heddle::solve(op, y, z, {.tolerance = 1e-12});  // 2 A z = y, with a verdict
  std::cout << to_string(report) << "z = " << z[0] << ' ' << z[1] << ' ' << z[2] << '\n';
}
