// Eigen's ConjugateGradient on a row-major matrix, which multiplies on all cores where OpenMP was found.
#include "solve_peers.hpp"

#ifdef HEDDLE_HAS_EIGEN
#include <Eigen/Sparse>
#include <vector>

#include <heddle/device.hpp>
#endif

namespace heddle::bench {

#ifdef HEDDLE_HAS_EIGEN

namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Dense = Eigen::VectorXd;

template <class Preconditioner>
class EigenCg final : public CgPeer {
 public:
  explicit EigenCg(const CsrView<double>& A)
      : offsets(A.ptr.begin(), A.ptr.end()),
        matrix(Eigen::Map<const Matrix>(A.rows, A.cols, A.nnz(), offsets.data(), A.col.data(), A.val.data())) {
    solver.setTolerance(1e-300);
    solver.compute(matrix);
  }
  std::string name() const override { return "eigen"; }
  double seconds_per_iteration(std::span<const double> b, std::span<double> x, int iterations) override {
    solver.setMaxIterations(iterations);
    const Eigen::Map<const Dense> rhs(b.data(), static_cast<Eigen::Index>(b.size()));
    Eigen::setNbThreads(threads());
    const double begun = seconds_now();
    Eigen::Map<Dense>(x.data(), static_cast<Eigen::Index>(x.size())) = solver.solve(rhs);
    return (seconds_now() - begun) / static_cast<double>(solver.iterations());
  }

 private:
  std::vector<int> offsets;
  Matrix matrix;
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Preconditioner> solver;
};

}  // namespace

bool has_eigen_cg() { return true; }
std::unique_ptr<CgPeer> make_eigen_cg(const CsrView<double>& A, bool jacobi) {
  if (jacobi) return std::make_unique<EigenCg<Eigen::DiagonalPreconditioner<double>>>(A);
  return std::make_unique<EigenCg<Eigen::IdentityPreconditioner>>(A);
}

#else

bool has_eigen_cg() { return false; }
std::unique_ptr<CgPeer> make_eigen_cg(const CsrView<double>&, bool) { return nullptr; }

#endif

}  // namespace heddle::bench
