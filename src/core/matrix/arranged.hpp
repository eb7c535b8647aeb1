// From the caller's arrays (heddle/arrays.hpp) to a canonical Csr, on the host.
#pragma once

#include <string>
#include <vector>

#include <heddle/arrays.hpp>

namespace heddle {

// A Csr whose buffers are the caller's own arrays where these fit, and the map from the caller's entries to its own.
template <class V>
struct Arranged {
  Csr<V> A;
  EntryMap map;
  std::vector<std::string> conversions;  // in words; empty: none
};

// A buffer that takes part as if it owned the array, which the caller keeps alive and nothing may write to.
template <class T>
Buffer<T> lent(const void* data, std::int64_t size, Device device) {
  auto* first = const_cast<T*>(static_cast<const T*>(data));
  return Buffer<T>::adopt(std::shared_ptr<void>(std::shared_ptr<void>(), first), first, size, device);
}

// Shape, base and sizes of a view, which say nothing yet of what is in the arrays.
template <class V>
void check_view(const MatrixView<V>& A);

// Of a checked view of host memory. Error(input) names the first bad place in the caller's own counting.
template <class V>
Arranged<V> arrange(const MatrixView<V>& A);

// Copies of the arrays that are the view's.
template <class V>
Csr<V> owned(Csr<V> A, const MatrixView<V>& view);

// Whether arrays of this type are used as they are.
template <class T>
bool fits_as(const Integers& array, int base) {
  return base == 0 && array.bytes == static_cast<int>(sizeof(T)) && (array.has_sign || sizeof(T) == 8);
}
// In words, what it takes to make int64 offsets and int32 columns of a view by rows.
template <class V>
std::vector<std::string> conversions_of(const MatrixView<V>& by_rows);

// f(pointer of the type).
template <class F>
auto with_type(const Integers& array, F f) {
  switch (array.bytes) {
    case 1:
      return array.has_sign ? f(static_cast<const std::int8_t*>(array.data))
                            : f(static_cast<const std::uint8_t*>(array.data));
    case 2:
      return array.has_sign ? f(static_cast<const std::int16_t*>(array.data))
                            : f(static_cast<const std::uint16_t*>(array.data));
    case 4:
      return array.has_sign ? f(static_cast<const std::int32_t*>(array.data))
                            : f(static_cast<const std::uint32_t*>(array.data));
    default:
      return array.has_sign ? f(static_cast<const std::int64_t*>(array.data))
                            : f(static_cast<const std::uint64_t*>(array.data));
  }
}

}  // namespace heddle
