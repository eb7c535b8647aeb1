#include "solve/amg/lanczos.hpp"

#include <algorithm>

namespace heddle::solve_method {

namespace {

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
  double diagonal_[lanczos_steps], beside_[lanczos_steps];
};

}  // namespace

namespace {

constexpr double from_below = 1.1;

double estimate_by(const LanczosNumbers& numbers, int steps) {
  Tridiagonal T;
  for (int step = 0; step < steps; ++step) {
    const double along = numbers.along[step], beside = numbers.length[step + 1];
    const bool last = step + 1 == steps;
    if (!std::isfinite(along) || (!last && !std::isfinite(beside))) break;
    const bool complete = last || beside < 1e-8 * std::abs(along);
    T.add(along, complete ? 0 : beside);
    if (complete) break;
  }
  return T.largest();
}

}  // namespace

bool is_settled(const LanczosNumbers& numbers, int step, const RowSumBound& bound) {
  constexpr double clearly = 1.001;
  return from_below * estimate_by(numbers, step + 1) > clearly * bound.most;
}

double largest_eigenvalue(const LanczosNumbers& numbers, int steps, const RowSumBound& bound) {
  if (!bound.finite) return HUGE_VAL;
  const double estimate = estimate_by(numbers, steps);
  return estimate > 0 ? std::min(bound.most, from_below * estimate) : bound.most;
}

}  // namespace heddle::solve_method
