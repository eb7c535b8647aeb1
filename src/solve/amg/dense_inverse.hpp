// The inverse of a small sparse matrix as a matrix with all entries, for the coarsest grid: solving there becomes one
// product.
#pragma once

#include <heddle/matrix.hpp>

#include "simt/annotations.hpp"

namespace heddle::solve_method {

inline constexpr double dependent_pivot = 1e-12;  // a pivot so far below its diagonal entry

// Whether two entries are alike but for rounding, relative to their diagonal.
SIMT_BOTH bool is_mirrored(double one, double other, double inverse_i, double inverse_j) {
  constexpr double rounding = 1e-10;
  const double difference = one - other;
  return !(difference * difference * inverse_i * inverse_j > rounding * rounding);
}

// `inverse_diagonal` is that of A, and 0 for rows to be taken as zero. An unknown that depends on others, as the last
// one of a graph Laplacian does, stays zero in every solution: for right-hand sides in the range of A that is one.
// Error(input) for a symmetric matrix that is not positive (semi)definite.
Csr<double> dense_inverse(const CsrView<double>& A, const Buffer<double>& inverse_diagonal);

}  // namespace heddle::solve_method
