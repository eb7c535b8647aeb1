// Several right-hand sides, as a kernel sees them: element i of vector j is at data[i * element + j * vector], so one
// kernel serves vectors that lie one after another (element = 1) and vectors side by side (vector = 1).
#pragma once

#include <heddle/device.hpp>
#include <heddle/matrix.hpp>

#include "simt/annotations.hpp"

namespace heddle {

// What one pass over the matrix serves at most.
inline constexpr int most_vectors = 16;

template <class V>
struct VectorsView {
  const V* data = nullptr;
  std::int64_t element = 1, vector = 0;
  int count = 0;
  bool packed = false;  // 16 aligned bytes of an element at a time: see layout/many.hpp

  SIMT_BOTH const V* at(std::int64_t i, int j) const { return data + i * element + j * vector; }
};

// How sums reach Y; the rules of Update, for vector j.
template <class V>
struct UpdateMany {
  V alpha = 1, beta = 0;
  V* data = nullptr;
  std::int64_t element = 1, vector = 0;
  int count = 0;
  bool packed = false;

  SIMT_BOTH V* at(std::int64_t i, int j) const { return data + i * element + j * vector; }
  SIMT_BOTH V updated(V sum, V old, bool has_entries) const {
    if (!has_entries) return beta == V(0) ? V(0) : beta * old;
    return beta == V(0) ? alpha * sum : alpha * sum + beta * old;
  }
  SIMT_BOTH void row(std::int64_t i, int j, V sum, bool has_entries) const {
    V& target = *at(i, j);
    target = updated(sum, beta == V(0) ? V(0) : target, has_entries);
  }
};

// At most most_vectors of them; alpha = 0 never gets here.
template <class V>
struct ProductMany {
  VectorsView<V> x;
  UpdateMany<V> update;
  Stream stream;
};

}  // namespace heddle
