// Operator: a matrix stored by a plan on a device, ready to multiply as often as needed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <heddle/device.hpp>
#include <heddle/formats.hpp>
#include <heddle/matrix.hpp>
#include <heddle/plan.hpp>

namespace heddle {

template <class V>
class Operator {
 public:
  struct Impl;
  explicit Operator(std::unique_ptr<Impl> impl);
  Operator(Operator&&) noexcept;
  Operator& operator=(Operator&&) noexcept;
  ~Operator();

  std::int64_t rows() const noexcept;
  std::int64_t cols() const noexcept;
  std::int64_t nnz() const noexcept;
  Device device() const noexcept;
  const Plan& plan() const noexcept;    // resolved: no "auto" left
  std::int64_t bytes() const noexcept;  // held on the device
  // Multiplications share memory of the operator: on several streams one waits for the other, except inside a CUDA
  // graph, whose order is the caller's business.
  bool takes_turns() const noexcept;

  // y = A x, and y = alpha A x + beta y. x and y are host memory, or memory of the operator's device (then nothing is
  // copied, allocated or waited for: the work is queued on `stream`). They must not overlap. beta = 0 never reads y,
  // alpha = 0 never reads A or x; a row without entries gives beta y. Same bits every time.
  void multiply(std::span<const V> x, std::span<V> y, Stream stream = {}) const;
  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream = {}) const;

  // y = alpha A^T x + beta y; the operator must have been built with BuildOptions::transposed.
  void multiply_transposed(V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream = {}) const;

  // New numbers on the old pattern, in the entry order of the canonical Csr; the plan stays.
  void update_values(std::span<const V> val);

  // The matrix it was built from, bit for bit.
  Csr<V> restore() const;

 private:
  std::unique_ptr<Impl> impl_;
};

struct BuildOptions {
  Device device;            // where to store and multiply
  bool transposed = false;  // also store the transpose, for multiply_transposed: twice the memory, same determinism
};

// Error(unavailable) when the format does not fit the matrix or the device has no room; Error(input) for arrays that
// do not describe a matrix. The matrix is copied, or taken over when it is given up with std::move.
template <class V>
Operator<V> build(const Csr<V>& A, const Plan& plan = {}, const BuildOptions& options = {});
template <class V>
Operator<V> build(Csr<V>&& A, const Plan& plan = {}, const BuildOptions& options = {});

}  // namespace heddle
