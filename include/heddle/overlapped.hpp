// Overlapped: for a number of products that is not known beforehand. They begin at once, by csr; another thread
// analyses the matrix, chooses a plan and builds it, and from then on products are by that plan.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <heddle/choose.hpp>
#include <heddle/export.hpp>
#include <heddle/matrix.hpp>
#include <heddle/operator.hpp>

namespace HEDDLE_PUBLIC heddle {

// Moved from, or taken: every call but assignment and destruction is an Error(usage).
template <class V>
class Overlapped {
 public:
  // Returns when csr is built on options.device. The matrix is copied, or taken over when it is given up with
  // std::move.
  explicit Overlapped(Csr<V> A, const ChooseOptions& options = {});
  // An operator and a builder of one's own. The builder is called on another thread; it gives nothing where there is
  // nothing better. What it throws becomes `error`, and so does an operator of another matrix or device.
  Overlapped(Operator<V> first, std::function<std::optional<Operator<V>>()> better);
  Overlapped(Overlapped&&) noexcept;
  Overlapped& operator=(Overlapped&&) noexcept;
  ~Overlapped();  // waits for the other thread

  // The operator there is by now. Both live as long as this object, so that the reference stays good. Never waits; may
  // be asked by several threads.
  const Operator<V>& now() const;

  // As Operator::multiply, by the operator there is by now. The two add up a row in different orders: until `settled`
  // the bits of y depend on when that is, and a CUDA graph would record whichever there is.
  void multiply(std::span<const V> x, std::span<V> y, Stream stream = {}) const { now().multiply(x, y, stream); }
  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream = {}) const {
    now().multiply(alpha, x, beta, y, stream);
  }

  bool settled() const;  // `now` will not change any more
  void wait();           // until it is settled
  // Once it is settled: why there is no better operator, where building it failed.
  const std::string& error() const;
  // Waits, and gives the last operator away; the other one's memory is free then.
  Operator<V> take() &&;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
