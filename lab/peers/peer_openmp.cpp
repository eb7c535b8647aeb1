// Compiled only where OpenMP is found.
#include "peers/peer_openmp.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"

namespace heddle::bench {

namespace {

// Columns and values are the caller's own arrays; offsets have 32 bits, as they mostly have.
template <class V>
class OpenmpPeer : public Peer<V> {
 public:
  std::string name() const override { return "openmp"; }
  Device device() const override { return Device::cpu(); }

  void prepare(const CsrView<V>& A, std::span<const V> x, std::span<V> y) override {
    check(A.nnz() <= INT32_MAX, ErrorKind::unavailable, "32-bit offsets cannot count {} entries", A.nnz());
    matrix_ = A;
    x_ = x;
    y_ = y;
    offsets_ = Buffer<int>(A.rows + 1);
    std::transform(A.ptr.begin(), A.ptr.end(), offsets_.begin(), [](Offset at) { return static_cast<int>(at); });
  }

  void multiply(Stream) const override {
    const int rows = static_cast<int>(matrix_.rows), *ptr = offsets_.data(), *col = matrix_.col.data();
    const V *val = matrix_.val.data(), *x = x_.data();
    V* y = y_.data();
#pragma omp parallel for schedule(static) num_threads(threads())
    for (int row = 0; row < rows; ++row) {
      V sum = 0;
      for (int k = ptr[row]; k < ptr[row + 1]; ++k) sum += val[k] * x[col[k]];
      y[row] = sum;
    }
  }

  std::int64_t bytes() const override {
    return static_cast<std::int64_t>(offsets_.bytes() + matrix_.col.size_bytes() + matrix_.val.size_bytes());
  }

 private:
  CsrView<V> matrix_;
  std::span<const V> x_;
  std::span<V> y_;
  Buffer<int> offsets_;
};

}  // namespace

std::string openmp_version() { return fmt::format("{}.{:02}", _OPENMP / 100, _OPENMP % 100); }

template <class V>
std::unique_ptr<Peer<V>> make_openmp() {
  return std::make_unique<OpenmpPeer<V>>();
}

template std::unique_ptr<Peer<float>> make_openmp();
template std::unique_ptr<Peer<double>> make_openmp();

}  // namespace heddle::bench
