#include "solve/lanczos.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"

namespace heddle::solve_method {

namespace {

constexpr int most_steps = 10;
constexpr std::int64_t rows_of_task = 1 << 12;

// The largest eigenvalue of the symmetric matrix with `diagonal` and `beside` next to it, by bisection: it lies above x
// when a pivot of T - x is positive.
class Tridiagonal {
 public:
  void add(double diagonal, double beside) {
    diagonal_[size_] = diagonal;
    beside_[size_++] = beside;
  }
  double largest() const {
    double low = 0, high = 0;
    for (int i = 0; i < size_; ++i) high = std::max(high, diagonal_[i] + beside_[i] + (i > 0 ? beside_[i - 1] : 0));
    for (int step = 0; step < 40; ++step) {
      const double middle = (low + high) / 2;
      (above(middle) ? low : high) = middle;
    }
    return high;
  }

 private:
  bool above(double x) const {
    double pivot = 0;
    for (int i = 0; i < size_; ++i) {
      pivot = diagonal_[i] - x - (i > 0 ? beside_[i - 1] * beside_[i - 1] / pivot : 0);
      if (!(pivot < 0)) return true;
    }
    return false;
  }

  int size_ = 0;
  double diagonal_[most_steps], beside_[most_steps];
};

// v, the vector before it and A v, with lengths by the inner product x'D y in which D^-1 A is symmetric.
class Lanczos {
 public:
  Lanczos(const CsrView<double>& matrix, const Buffer<double>& inverse)
      : A(matrix),
        inverse_(inverse),
        tasks_((A.rows + rows_of_task - 1) / rows_of_task),
        v_(A.rows),
        before_(A.rows),
        parts_(tasks_) {
    std::uint64_t dice = 1;
    for (std::int64_t row = 0; row < A.rows; ++row) {
      dice = dice * 6364136223846793005u + 1442695040888963407u;
      before_[row] = 0;
      v_[row] = inverse[row] > 0 ? static_cast<double>(dice >> 40) / 16777216.0 - 0.5 : 0;
    }
    scale(std::sqrt(sum([&](std::int64_t row) { return squared(row, v_[row]); })));
  }

  double row_sum_bound() {
    each_task([&](std::int64_t row, double& most) {
      double size = 0;
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) size += std::abs(A.val[k]);
      most = std::max(most, size * inverse_[row]);
    });
    return parts_.empty() ? 0 : *std::max_element(parts_.begin(), parts_.end());
  }

  double estimate() {
    Tridiagonal T;
    double beside = 0;
    for (int step = 0; step < most_steps; ++step) {
      const double along = sum([&](std::int64_t row) { return v_[row] * next(row, beside); });
      beside = std::sqrt(sum([&](std::int64_t row) {
        before_[row] -= along * v_[row];
        return squared(row, before_[row]);
      }));
      if (!std::isfinite(along) || !std::isfinite(beside)) break;
      const bool complete = beside < 1e-8 * std::abs(along) || step + 1 == most_steps;
      T.add(along, complete ? 0 : beside);
      if (complete) break;
      std::swap(v_, before_);
      scale(beside);
    }
    return T.largest();
  }

 private:
  // before = D^-1 A v - beside * before; gives the element of A v.
  double next(std::int64_t row, double beside) {
    double product = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) product += A.val[k] * v_[A.col[k]];
    before_[row] = inverse_[row] * product - beside * before_[row];
    return product;
  }
  double squared(std::int64_t row, double e) const { return inverse_[row] > 0 ? e * e / inverse_[row] : 0; }
  void scale(double length) {
    parallel_ranges(A.rows, rows_of_task, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) v_[row] /= length;
    });
  }
  template <class F>
  void each_task(F f) {
    parallel_tasks(tasks_, [&](std::int64_t task) {
      double part = 0;
      for (std::int64_t row = task * rows_of_task; row < std::min(A.rows, (task + 1) * rows_of_task); ++row)
        f(row, part);
      parts_[task] = part;
    });
  }
  template <class F>
  double sum(F f) {
    each_task([&](std::int64_t row, double& part) { part += f(row); });
    double all = 0;
    for (const double part : parts_) all += part;
    return all;
  }

  const CsrView<double>& A;
  const Buffer<double>& inverse_;
  std::int64_t tasks_;
  Buffer<double> v_, before_, parts_;
};

}  // namespace

double largest_eigenvalue(const CsrView<double>& A, const Buffer<double>& inverse) {
  constexpr double from_below = 1.1;
  Lanczos lanczos(A, inverse);
  const double bound = lanczos.row_sum_bound(), estimate = lanczos.estimate();
  return estimate > 0 ? std::min(bound, from_below * estimate) : bound;
}

}  // namespace heddle::solve_method
