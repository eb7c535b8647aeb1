// The largest eigenvalue of D^-1 A by a few steps of Lanczos, on the host.
#pragma once

#include <heddle/matrix.hpp>

namespace heddle::solve_method {

// `inverse` is the diagonal of D^-1, 0 for rows that are left out. A little too large rather than too small, and never
// above the row sums that bound it (Gershgorin). Columns may repeat in a row. The same bits for any number of threads.
double largest_eigenvalue(const CsrView<double>& A, const Buffer<double>& inverse);

}  // namespace heddle::solve_method
