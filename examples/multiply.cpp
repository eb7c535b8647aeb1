#include <algorithm>
#include <heddle/heddle.hpp>

int main() {
  auto A = heddle::read_matrix("gen:stencil3d7,n=20");  // or "cant.mtx", "cant.mtx.gz", "cant.hdl"
  auto op = heddle::optimize(A);  // the format that suits this matrix and machine, on the GPU if there is one
  heddle::Buffer<double> x(A.cols), y(A.rows);
  std::fill(x.begin(), x.end(), 1.0);
  op.multiply(x, y);  // y = A x
  heddle::write_vector<double>("y.mtx", y);
}
