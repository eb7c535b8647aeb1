// What y must be. Small-integer data is the main oracle: sums are exact in any order, so every format must agree bit
// for bit. For real data there is the row-wise bound, with a reference of twice the precision.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <heddle/matrix.hpp>

namespace heddle::test {

// y = alpha A x + beta y for integer data; every partial sum stays far below 2^24.
template <class V>
std::vector<V> exact_product(const Csr<V>& A, V alpha, const std::vector<V>& x, V beta, const std::vector<V>& y) {
  std::vector<V> result(y.size());
  for (std::int64_t row = 0; row < A.rows; ++row) {
    std::int64_t sum = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      sum += static_cast<std::int64_t>(A.val[k]) * static_cast<std::int64_t>(x[A.col[k]]);
    const auto old = beta == V(0) ? 0 : static_cast<std::int64_t>(beta) * static_cast<std::int64_t>(y[row]);
    result[row] = static_cast<V>(static_cast<std::int64_t>(alpha) * sum + old);
  }
  return result;
}

// A dot product carried in about 106 bits: error-free product and sum, errors collected.
struct TwiceDouble {
  double high = 0, low = 0;
  void add_product(double a, double b) {
    const double product = a * b;
    add(product, std::fma(a, b, -product));
  }
  void add(double term, double error) {
    const double sum = high + term, part = sum - high;
    low += (high - (sum - part)) + (term - part) + error;
    high = sum;
  }
  double value() const { return high + low; }
};

struct RowBound {
  double reference = 0, allowed = 0;
};

// |y - reference| <= allowed holds for every correct kernel, whatever the order of its additions:
// allowed = (len + 3) u / (1 - (len + 3) u) * (|alpha| sum |a| |x| + |beta y|) + (len + 3) * smallest normal.
template <class V>
RowBound row_bound(const Csr<V>& A, std::int64_t row, V alpha, const std::vector<V>& x, V beta, V y) {
  TwiceDouble sum;
  double magnitude = 0;
  for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
    sum.add_product(A.val[k], x[A.col[k]]);
    magnitude += std::abs(static_cast<double>(A.val[k]) * x[A.col[k]]);
  }
  const double terms = static_cast<double>(A.ptr[row + 1] - A.ptr[row]) + 3;
  const double u = std::numeric_limits<V>::epsilon() / 2.0, growth = terms * u / (1 - terms * u);
  TwiceDouble whole;
  whole.add_product(alpha, sum.high);
  whole.add_product(alpha, sum.low);
  if (beta != V(0)) whole.add_product(beta, y);
  const double weight = std::abs(alpha) * magnitude + (beta == V(0) ? 0 : std::abs(static_cast<double>(beta) * y));
  return {whole.value(), growth * weight + terms * std::numeric_limits<V>::min()};
}

enum class Class { finite, plus_infinity, minus_infinity, nan };

template <class V>
Class class_of(V v) {
  if (std::isnan(v)) return Class::nan;
  if (!std::isinf(v)) return Class::finite;
  return v > 0 ? Class::plus_infinity : Class::minus_infinity;
}

// The class of a row's sum when A is finite and x may hold Inf and NaN: it does not depend on the order.
template <class V>
Class class_of_row(const Csr<V>& A, std::int64_t row, const std::vector<V>& x) {
  bool plus = false, minus = false;
  for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
    const Class product = class_of(A.val[k] * x[A.col[k]]);
    if (product == Class::nan) return Class::nan;
    plus |= product == Class::plus_infinity;
    minus |= product == Class::minus_infinity;
  }
  if (plus && minus) return Class::nan;
  return plus ? Class::plus_infinity : minus ? Class::minus_infinity : Class::finite;
}

}  // namespace heddle::test
