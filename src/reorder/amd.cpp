#include <algorithm>

#include <heddle/reorder.hpp>

#include "core/check.hpp"

#ifdef HEDDLE_HAS_AMD
#include <suitesparse/amd.h>
#endif

namespace heddle {

#ifdef HEDDLE_HAS_AMD

bool amd_available() noexcept { return true; }

Permutation amd_order(const PatternView& A) {
  check(A.rows == A.cols, ErrorKind::input,
        "rows and columns can only be reordered together in a square matrix, this one is {} x {}", A.rows, A.cols);
  validate(A, Require::canonical);
  if (A.nnz() == 0) return Permutation::identity(A.rows);
  // Its 64-bit version, for matrices of any size. It takes columns; a pattern and its transpose have the same A + A^T.
  using Long = SuiteSparse_long;
  static_assert(sizeof(Long) == sizeof(Offset));
  Buffer<Long> ptr(A.rows + 1), index(A.nnz()), order(A.rows);
  std::copy(A.ptr.begin(), A.ptr.end(), ptr.begin());
  std::copy(A.col.begin(), A.col.end(), index.begin());
  const int status = static_cast<int>(amd_l_order(A.rows, ptr.data(), index.data(), order.data(), nullptr, nullptr));
  check(status != AMD_OUT_OF_MEMORY, ErrorKind::unavailable, "AMD ran out of memory");
  check(status == AMD_OK, ErrorKind::internal, "AMD gave status {}", status);
  Permutation made{Buffer<Index>(A.rows)};
  std::transform(order.begin(), order.end(), made.new_to_old.begin(), [](Long v) { return static_cast<Index>(v); });
  return made;
}

#else

bool amd_available() noexcept { return false; }

Permutation amd_order(const PatternView&) {
  fail(ErrorKind::unavailable, {"amd", "install libsuitesparse-dev and build again, or use rcm or length"},
       "this build of Heddle has no AMD");
}

#endif

}  // namespace heddle
