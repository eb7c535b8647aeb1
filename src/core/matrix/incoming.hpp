// What is asked of a matrix where it comes in.
#pragma once

#include <heddle/matrix.hpp>

#include "core/check.hpp"

namespace heddle {

template <class V>
bool on_device(const Csr<V>& A) {
  return A.ptr.device().kind != Device::Kind::cpu;
}

// Its arrays lie in one place and have the sizes of a matrix; in host memory they are one, and canonical. Those on a
// device are checked by kernels when it is built.
template <class V>
void check_matrix(const Csr<V>& A) {
  const auto elsewhere = [&](const auto& array) { return !array.empty() && array.device() != A.ptr.device(); };
  check(!elsewhere(A.col) && !elsewhere(A.val), ErrorKind::usage, "ptr lies on {}, col on {}, val on {}",
        to_string(A.ptr.device()), to_string(A.col.device()), to_string(A.val.device()));
  if (!on_device(A)) return validate(A.view(), Require::canonical);
  const bool sizes_fit = A.rows >= 0 && A.ptr.size() == A.rows + 1 && A.col.size() == A.val.size();
  check(sizes_fit, ErrorKind::input, "{} rows with {} offsets, {} columns and {} values", A.rows, A.ptr.size(),
        A.col.size(), A.val.size());
}

}  // namespace heddle
