// Is y the product A x? Checked row by row against the bound the library promises.
#pragma once

#include <span>

#include <heddle/matrix.hpp>

namespace heddle {

// The bound of row i is (len_i + 3) eps sum_j |a_ij x_j|; the reference is summed in long double.
struct Agreement {
  double worst = 0;   // the largest error of a row, as a share of its bound
  bool holds = true;  // worst <= 1, and nothing is NaN
};

template <class V>
Agreement agreement(CsrView<V> A, std::span<const V> x, std::span<const V> y);

}  // namespace heddle
