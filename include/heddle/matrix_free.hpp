// MatrixFree: a square matrix that is known by its product with a vector alone, for `solve`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <heddle/device.hpp>
#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {

template <class V>
struct MatrixFree {
  std::int64_t size = 0;  // of x and of y
  // Sets all of y = A x. The two do not overlap and are memory of `device`; on a GPU the work is queued on `stream`.
  // Called by the thread that solves, never twice at once. What it throws becomes an Error(input) that is also a
  // std::nested_exception with what was thrown. In the first call of a solve an element of y that was not written, or
  // one beyond its end that was, is an Error(input) too. A NaN that it gives: Status::not_finite.
  std::function<void(std::span<const V> x, std::span<V> y, Stream stream)> multiply;
  Device device;
  // What method "auto" goes by: gmres; minres for a symmetric matrix, cg if that is positive definite as well.
  bool symmetric = false, positive_definite = false;
  bool recordable = false;  // the same kernels with the same arguments every time and nothing else: a CUDA graph may
                            // replay them
  std::string name = "matrix-free";  // stands in reports for the plan
};

}  // namespace heddle
