// Jacobi: the inverse of the diagonal. Block Jacobi: the inverses of square blocks along it.
#include <algorithm>
#include <cmath>

#include <heddle/analyze.hpp>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"
#include "solve/precondition/preconditioners.hpp"

namespace heddle::solve_method {

namespace {

template <class V>
class Jacobi final : public Preconditioner<V> {
 public:
  Jacobi(const CsrView<V>& A, Device device, bool positive)
      : inverse(inverse_diagonal(A, positive).to(device)), trips(trips_on<V>(device)) {}
  std::string name() const override { return "jacobi"; }
  bool recordable() const override { return true; }
  const V* diagonal() const override { return inverse.data(); }
  void apply(std::span<const V> r, std::span<V> z, Stream stream) const override {
    run_trip<ScaledRows<V>, V>(trips, {inverse.data(), r.data(), z.data()}, inverse.size(), stream);
  }

 private:
  Buffer<V> inverse;
  Trips<V> trips;
};

// A dense block and its inverse by Gauss and Jordan, with the largest pivot of each column.
class Block {
 public:
  explicit Block(int size) : n(size), a(static_cast<std::size_t>(2 * size * size)) {}

  void clear(int used) {
    rows = used;
    std::fill(a.begin(), a.end(), 0.0);
    for (int i = 0; i < rows; ++i) at(i, rows + i) = 1;
  }
  double& at(int i, int j) { return a[static_cast<std::size_t>(i * 2 * n + j)]; }
  double inverse(int i, int j) { return at(i, rows + j); }

  bool invert() {
    for (int k = 0; k < rows; ++k) {
      int best = k;
      for (int i = k + 1; i < rows; ++i)
        if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
      if (!(std::abs(at(best, k)) > 0) || !std::isfinite(at(best, k))) return false;
      for (int j = 0; j < 2 * rows; ++j) std::swap(at(k, j), at(best, j));
      const double pivot = at(k, k);
      for (int j = 0; j < 2 * rows; ++j) at(k, j) /= pivot;
      for (int i = 0; i < rows; ++i) eliminate(i, k);
    }
    return true;
  }

 private:
  void eliminate(int i, int k) {
    const double factor = at(i, k);
    if (i == k || factor == 0) return;
    for (int j = 0; j < 2 * rows; ++j) at(i, j) -= factor * at(k, j);
  }

  int n, rows = 0;
  Vector<double> a;
};

template <class V>
Buffer<V> inverse_blocks(const CsrView<V>& A, int size) {
  Buffer<V> inverse(A.rows * size);
  const std::int64_t blocks = (A.rows + size - 1) / size;
  parallel_ranges(blocks, 256, [&](std::int64_t begin, std::int64_t end) {
    Block block(size);
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t first = at * size;
      const int rows = static_cast<int>(std::min<std::int64_t>(size, A.rows - first));
      block.clear(rows);
      for (int i = 0; i < rows; ++i)
        for (Offset k = A.ptr[first + i]; k < A.ptr[first + i + 1]; ++k)
          if (A.col[k] >= first && A.col[k] < first + rows) block.at(i, static_cast<int>(A.col[k] - first)) = A.val[k];
      if (!block.invert())
        fail(ErrorKind::input, At{"block_jacobi", "use another block size, or --precond none"},
             "the diagonal block of rows {} to {} has no inverse", first + 1, first + rows);
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < size; ++j)
          inverse[j * A.rows + first + i] = j < rows ? static_cast<V>(block.inverse(i, j)) : V(0);
    }
  });
  return inverse;
}

template <class V>
class BlockJacobi final : public Preconditioner<V> {
 public:
  BlockJacobi(const CsrView<V>& A, Device device, int block)
      : n(A.rows), size(block), inverse(inverse_blocks(A, block).to(device)), trips(trips_on<V>(device)) {}
  std::string name() const override { return fmt::format("block_jacobi {}", size); }
  bool recordable() const override { return true; }
  void apply(std::span<const V> r, std::span<V> z, Stream stream) const override {
    run_trip<BlockRows<V>, V>(trips, {inverse.data(), r.data(), z.data(), n, size}, n, stream);
  }

 private:
  std::int64_t n;
  int size;
  Buffer<V> inverse;
  Trips<V> trips;
};

}  // namespace

template <class V>
Buffer<V> inverse_diagonal(const CsrView<V>& A, bool positive) {
  Buffer<V> inverse(A.rows);
  parallel_ranges(A.rows, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const auto first = A.col.begin() + A.ptr[row], last = A.col.begin() + A.ptr[row + 1];
      const auto found = std::lower_bound(first, last, static_cast<Index>(row));
      const V entry = found != last && *found == row ? A.val[static_cast<std::size_t>(found - A.col.begin())] : V(0);
      const V inverted = V(1) / (positive ? std::abs(entry) : entry);
      if (!std::isfinite(inverted) || inverted == V(0))
        fail(ErrorKind::input, At{"jacobi", "use --precond none, or block_jacobi"},
             "the diagonal entry of row {} is {}: it has no inverse", row + 1, entry);
      inverse[row] = inverted;
    }
  });
  return inverse;
}

namespace {

int nearly_full_block_of(const Structure& facts) {
  int best = 0;
  for (const BlockFill& shape : facts.blocks)
    if (shape.r == shape.c && shape.r > std::max(best, 1) && shape.fill > 0 && shape.fill < 1.2) best = shape.r;
  return best;
}

}  // namespace

template <class V>
int nearly_full_block(const CsrView<V>& A) {
  return nearly_full_block_of(analyze(A, Detail::planning));
}

template <class V>
int nearly_full_block(const Csr<V>& A) {
  return nearly_full_block_of(analyze(A, Detail::planning));
}

template <class V>
std::shared_ptr<Preconditioner<V>> make_jacobi(const CsrView<V>& A, Device device, bool positive) {
  return std::make_shared<Jacobi<V>>(A, device, positive);
}

template <class V>
std::shared_ptr<Preconditioner<V>> make_block_jacobi(const CsrView<V>& A, Device device, int block) {
  check(block >= 0 && block <= 32, ErrorKind::usage, "a block of {} rows: block_jacobi takes 1 to 32", block);
  constexpr int usual = 4;
  if (block == 0) block = nearly_full_block(A);
  return std::make_shared<BlockJacobi<V>>(A, device, block > 0 ? block : usual);
}

template int nearly_full_block(const CsrView<float>&);
template int nearly_full_block(const CsrView<double>&);
template int nearly_full_block(const Csr<float>&);
template int nearly_full_block(const Csr<double>&);
template Buffer<float> inverse_diagonal(const CsrView<float>&, bool);
template Buffer<double> inverse_diagonal(const CsrView<double>&, bool);
template std::shared_ptr<Preconditioner<float>> make_jacobi(const CsrView<float>&, Device, bool);
template std::shared_ptr<Preconditioner<double>> make_jacobi(const CsrView<double>&, Device, bool);
template std::shared_ptr<Preconditioner<float>> make_block_jacobi(const CsrView<float>&, Device, int);
template std::shared_ptr<Preconditioner<double>> make_block_jacobi(const CsrView<double>&, Device, int);

}  // namespace heddle::solve_method
