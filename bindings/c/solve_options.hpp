// Options of the caller as those of the C++ library, and reports the other way.
#pragma once

#include "guard.hpp"
#include "handles.hpp"

namespace heddle::c {

// For a matrix of so many rows.
inline PreconditionerOptions preconditioner_options(const heddle_preconditioner_options* given, int64_t rows) {
  const auto o = taken(given);
  PreconditionerOptions how;
  how.block = o.block;
  if (o.degree != 0) how.degree = o.degree;
  if (o.power != 0) how.power = o.power;
  how.positive = o.positive != 0;
  if (o.strength != 0) how.strength = o.strength;
  if (o.smoothing != 0) how.smoothing = o.smoothing;
  if (o.coarsest != 0) how.coarsest = o.coarsest;
  how.double_cycle = o.double_cycle != 0;
  how.host_setup = o.host_setup != 0;
  how.updates = o.updates != 0;
  how.keep_going = keep_going_of(o.keep_going, o.context);
  if (o.near_nullspace_count < 0) wrong_usage("a number from 0 on is needed", "near_nullspace_count");
  if (o.near_nullspace_count > 0) need_memory(o.near_nullspace, "near_nullspace");
  how.near_nullspace.assign(o.near_nullspace, o.near_nullspace + o.near_nullspace_count * rows);
  return how;
}

// The matrix that a preconditioner is made from: the caller's, or the operator's own.
template <class V>
const Csr<V>& matrix_or_restored(const heddle_matrix* given, const Operator<V>& A, Csr<V>& restored) {
  if (!given) return restored = A.restore();
  const auto* matrix = std::get_if<Csr<V>>(&given->csr);
  if (!matrix) wrong_usage("another type of values than the operator's", "matrix");
  return *matrix;
}

}  // namespace heddle::c
