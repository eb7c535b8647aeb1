// A small dense symmetric positive definite matrix and its factor L L^T, of which only the lower triangle is stored.
#pragma once

#include <cmath>
#include <span>

#include "core/system.hpp"

namespace heddle::solve_method {

class SmallCholesky {
 public:
  void clear(std::int64_t rows) {
    n_ = rows;
    a_.assign(static_cast<std::size_t>(n_ * (n_ + 1) / 2), 0.0);
  }
  std::int64_t rows() const { return n_; }
  double& at(std::int64_t i, std::int64_t j) { return a_[static_cast<std::size_t>(i * (i + 1) / 2 + j)]; }  // j <= i

  // Replaces the matrix by L. The number of rows, or the first one whose pivot is not above `smallest` times its
  // diagonal entry; `pivot` is then that pivot.
  std::int64_t factor(double smallest, double& pivot) {
    for (std::int64_t i = 0; i < n_; ++i) {
      const double diagonal = at(i, i);
      pivot = diagonal;
      for (std::int64_t j = 0; j < i; ++j) {
        double sum = at(i, j);
        for (std::int64_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
        at(i, j) = sum / at(j, j);
        pivot -= at(i, j) * at(i, j);
      }
      if (!(pivot > 0) || !(pivot > smallest * diagonal) || !std::isfinite(pivot)) return i;
      at(i, i) = std::sqrt(pivot);
    }
    return n_;
  }

  // v becomes the solution of L y = v, or of L^T y = v.
  void solve_lower(std::span<double> v) {
    for (std::int64_t i = 0; i < n_; ++i) {
      double sum = v[static_cast<std::size_t>(i)];
      for (std::int64_t j = 0; j < i; ++j) sum -= at(i, j) * v[static_cast<std::size_t>(j)];
      v[static_cast<std::size_t>(i)] = sum / at(i, i);
    }
  }
  void solve_upper(std::span<double> v) {
    for (std::int64_t i = n_ - 1; i >= 0; --i) {
      const double y = v[static_cast<std::size_t>(i)] / at(i, i);
      v[static_cast<std::size_t>(i)] = y;
      for (std::int64_t j = 0; j < i; ++j) v[static_cast<std::size_t>(j)] -= at(i, j) * y;
    }
  }

 private:
  std::int64_t n_ = 0;
  Vector<double> a_;
};

}  // namespace heddle::solve_method
