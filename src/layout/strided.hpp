// Vectors with gaps: copied to where others need them without, and scaled where alpha = 0 leaves nothing else to do.
#pragma once

#include "core/update_many.hpp"
#include "layout/scale.hpp"
#include "simt/simt.hpp"

namespace heddle {

// `size` elements, `from_step` and `to_step` apart.
template <class V>
struct StridedCopy {
  const V* from;
  std::int64_t from_step;
  V* to;
  std::int64_t to_step, size;
};

template <class V>
void copy_strided(OnCpu, const StridedCopy<V>& copy, Stream stream);
template <class V>
void copy_strided(simt::Emulator, const StridedCopy<V>& copy, Stream stream);
template <class V>
void copy_strided(simt::Cuda, const StridedCopy<V>& copy, Stream stream);

// Y = beta Y; beta = 0 gives +0 and never reads Y.
template <class V>
void scale_many(OnCpu, const UpdateMany<V>& update, std::int64_t rows, Stream stream);
template <class V>
void scale_many(simt::Emulator, const UpdateMany<V>& update, std::int64_t rows, Stream stream);
template <class V>
void scale_many(simt::Cuda, const UpdateMany<V>& update, std::int64_t rows, Stream stream);

// Number t of all rows x count elements, neighbours in memory being neighbours in number.
template <class V>
SIMT_BOTH void scale_element(const UpdateMany<V>& update, std::int64_t rows, std::int64_t t) {
  const bool by_vector = update.element == 1;
  const std::int64_t i = by_vector ? t % rows : t / update.count;
  update.row(i, static_cast<int>(by_vector ? t / rows : t % update.count), V(0), false);
}

}  // namespace heddle
