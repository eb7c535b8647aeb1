// Compiled only where Eigen is found, with OpenMP where that is found: Eigen multiplies on one core without it.
#include "peers/peer_eigen.hpp"

#include <Eigen/Sparse>
#include <algorithm>

#include "core/check.hpp"

namespace heddle::bench {

namespace {

// Eigen's default index: int for columns and offsets. Columns and values are the caller's own arrays.
template <class V>
class EigenPeer : public Peer<V> {
 public:
  explicit EigenPeer(bool alone) : alone_(alone) {}
  std::string name() const override { return alone_ ? "eigen:one_thread" : "eigen"; }
  Device device() const override { return Device::cpu(); }

  void prepare(const CsrView<V>& A, std::span<const V> given_x, std::span<V> given_y) override {
    check(A.nnz() <= INT32_MAX, ErrorKind::unavailable, "Eigen's default index cannot count {} entries", A.nnz());
    matrix = A;
    x = given_x;
    y = given_y;
    offsets = Buffer<int>(A.rows + 1);
    std::transform(A.ptr.begin(), A.ptr.end(), offsets.begin(), [](Offset at) { return static_cast<int>(at); });
  }

  void multiply(Stream) const override {
    Eigen::setNbThreads(alone_ ? 1 : threads());
    using Dense = Eigen::Matrix<V, Eigen::Dynamic, 1>;
    const Eigen::Map<const Eigen::SparseMatrix<V, Eigen::RowMajor>> A(
        matrix.rows, matrix.cols, matrix.nnz(), offsets.data(), matrix.col.data(), matrix.val.data());
    Eigen::Map<Dense>(y.data(), matrix.rows).noalias() = A * Eigen::Map<const Dense>(x.data(), matrix.cols);
  }

  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(offsets.bytes() + matrix.col.size_bytes() + matrix.val.size_bytes());
  }

 private:
  bool alone_;
  CsrView<V> matrix;
  std::span<const V> x;
  std::span<V> y;
  Buffer<int> offsets;
};

}  // namespace

std::string eigen_version() {
  return fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

template <class V>
std::unique_ptr<Peer<V>> make_eigen(const std::string& name) {
  return std::make_unique<EigenPeer<V>>(name != "eigen");
}

template std::unique_ptr<Peer<float>> make_eigen(const std::string&);
template std::unique_ptr<Peer<double>> make_eigen(const std::string&);

}  // namespace heddle::bench
