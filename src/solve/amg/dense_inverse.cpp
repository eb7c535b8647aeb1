#include "solve/amg/dense_inverse.hpp"

#include <cmath>

#include "core/system.hpp"
#include "solve/amg/steps.hpp"

namespace heddle::solve_method {

namespace {

class Dense {
 public:
  explicit Dense(const CsrView<double>& A) : n_(A.rows), a_(static_cast<std::size_t>(n_ * n_), 0.0) {
    for (std::int64_t row = 0; row < n_; ++row)
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) row_of(row)[A.col[k]] += A.val[k];
  }
  double* row_of(std::int64_t i) { return a_.data() + i * n_; }

  bool symmetric(const Buffer<double>& inverse_diagonal) {
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = 0; j < i; ++j)
        if (!is_mirrored(row_of(i)[j], row_of(j)[i], inverse_diagonal[i], inverse_diagonal[j])) return false;
    return true;
  }

  // One step of Gauss and Jordan in place: unknown k and right-hand side k change their roles.
  void exchange(std::int64_t k) {
    double* const pivot_row = row_of(k);
    const double inverse = 1 / pivot_row[k];
    pivot_row[k] = 1;
    for (std::int64_t j = 0; j < n_; ++j) pivot_row[j] *= inverse;
    for (std::int64_t i = 0; i < n_; ++i) {
      double* const row = row_of(i);
      const double factor = row[k];
      if (i == k || factor == 0) continue;
      row[k] = 0;
      for (std::int64_t j = 0; j < n_; ++j) row[j] -= factor * pivot_row[j];
    }
  }
  void leave_out(std::int64_t k) {
    for (std::int64_t i = 0; i < n_; ++i) row_of(i)[k] = row_of(k)[i] = 0;
  }
  void make_symmetric() {
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = 0; j < i; ++j) row_of(j)[i] = row_of(i)[j] = (row_of(i)[j] + row_of(j)[i]) / 2;
  }

 private:
  std::int64_t n_;
  Vector<double> a_;
};

}  // namespace

Csr<double> dense_inverse(const CsrView<double>& A, const Buffer<double>& inverse_diagonal) {
  const std::int64_t n = A.rows;
  Dense work(A);
  const bool symmetric = work.symmetric(inverse_diagonal);
  for (std::int64_t k = 0; k < n; ++k) {
    const double pivot = work.row_of(k)[k] * inverse_diagonal[k];
    if (!std::isfinite(pivot)) fail_not_finite();
    if (symmetric && pivot < -dependent_pivot) fail_negative_pivot();
    if (std::abs(pivot) > dependent_pivot)
      work.exchange(k);
    else
      work.leave_out(k);
  }
  if (symmetric) work.make_symmetric();
  Csr<double> made{n, n, Buffer<Offset>(n + 1), Buffer<Index>(n * n), Buffer<double>(n * n)};
  made.ptr[0] = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    made.ptr[i + 1] = (i + 1) * n;
    for (std::int64_t j = 0; j < n; ++j) {
      made.col[i * n + j] = static_cast<Index>(j);
      made.val[i * n + j] = work.row_of(i)[j];
    }
  }
  return made;
}

}  // namespace heddle::solve_method
