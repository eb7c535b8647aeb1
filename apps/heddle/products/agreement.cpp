#include "products/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {

template <class V>
Agreement agreement(CsrView<V> A, std::span<const V> x, std::span<const V> y) {
  Agreement found;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    long double sum = 0, magnitude = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const long double product = static_cast<long double>(A.val[k]) * x[A.col[k]];
      sum += product;
      magnitude += std::abs(product);
    }
    const long double bound = (A.length(row) + 3) * std::numeric_limits<V>::epsilon() * magnitude;
    const long double error = std::abs(y[row] - sum);
    if (!(error <= bound)) found.holds = false;
    if (bound > 0) found.worst = std::max(found.worst, static_cast<double>(error / bound));
  }
  return found;
}

template Agreement agreement(CsrView<float>, std::span<const float>, std::span<const float>);
template Agreement agreement(CsrView<double>, std::span<const double>, std::span<const double>);

}  // namespace heddle
