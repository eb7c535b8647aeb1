// Several vectors in one piece of memory, for products with many right-hand sides.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include <heddle/export.hpp>

namespace HEDDLE_PUBLIC heddle {

// by_vector    one vector after another: element i of vector j at data[j * stride + i]   (column-major)
// by_element   side by side:             element i of vector j at data[i * stride + j]   (row-major, interleaved)
enum class VectorOrder { by_vector, by_element };

template <class V>
struct Vectors {
  std::span<V> data;
  std::int64_t count = 1;
  VectorOrder order = VectorOrder::by_vector;
  std::int64_t stride = 0;  // 0: without gaps

  operator Vectors<const V>() const requires(!std::is_const_v<V>) { return {data, count, order, stride}; }
};

}  // namespace heddle
