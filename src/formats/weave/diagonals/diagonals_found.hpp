// What kernels find out about the diagonals of a matrix on a device. Storing follows from it: with the rows of its
// diagonals known, a slice is stored without a look at the columns.
#pragma once

#include <memory>
#include <optional>

#include "formats/weave/diagonals/diagonals.hpp"
#include "simt/primitives/workspace.hpp"

namespace heddle::weave {

template <class V>
struct FoundDiagonal {
  RowMask rows;
  Index offset;
  V value;  // the last row's, where values were looked at
};

template <class V>
struct DiagonalsFound {
  explicit DiagonalsFound(Device device) : memory(device) {}

  std::int64_t diagonals = 0;         // of all slices
  bool constant = false;              // each has one value; false where nobody looked
  Offset pattern_size = 0;            // diagonals of all patterns
  Buffer<FoundDiagonal<V>> patterns;  // in host memory, where they are few
  // On the device.
  const FoundDiagonal<V>* patterns_there = nullptr;  // where they are many, or slices few
  device::Workspace memory;
  std::shared_ptr<Buffer<DiagonalSlice>> slices;
  Offset* list = nullptr;              // where the diagonals of a slice are
  FoundDiagonal<V>* listed = nullptr;  // in gaps
};

// Null: the host has to find out.
template <class V>
std::shared_ptr<const DiagonalsFound<V>> find_diagonals(simt::Emulator, const CsrView<V>& there, bool look_at_values,
                                                        Device device);
template <class V>
std::shared_ptr<const DiagonalsFound<V>> find_diagonals(simt::Cuda, const CsrView<V>& there, bool look_at_values,
                                                        Device device);

// Diagonals of a matrix of few slices, being looked for: only queued, so that who does not know yet whether they pay
// waits once for all that it asks.
inline constexpr std::int64_t few_slices = 8192;
template <class V>
class SoughtDiagonals {
 public:
  virtual ~SoughtDiagonals() = default;
  // What PatternFacts::diagonal_fill() says.
  virtual double fill() = 0;
  // Null: find_diagonals() has to find out, as patterns are many or a slice has far more diagonals than the mean.
  virtual std::shared_ptr<const DiagonalsFound<V>> found() = 0;
};
// Null: slices are not few. The arrays have the right sizes, but need not be a matrix: then what is found means
// nothing.
template <class V>
std::unique_ptr<SoughtDiagonals<V>> seek_diagonals(simt::Emulator, const CsrView<V>& there, bool look_at_values,
                                                   Device device);
template <class V>
std::unique_ptr<SoughtDiagonals<V>> seek_diagonals(simt::Cuda, const CsrView<V>& there, bool look_at_values,
                                                   Device device);

// By the way that is for its number of slices.
template <class Where, class V>
std::shared_ptr<const DiagonalsFound<V>> diagonals_of(Where where, const CsrView<V>& there, bool look_at_values,
                                                      Device device) {
  const auto sought = seek_diagonals(where, there, look_at_values, device);
  const auto found = sought ? sought->found() : nullptr;
  return found ? found : find_diagonals(where, there, look_at_values, device);
}

// What is stored of patterns, on the device.
struct DiagonalPatterns {
  Buffer<Diagonal> pattern;
  Buffer<RowMask> masks;
};
// Of patterns that lie on the device. None: the host has to do it.
template <class V>
std::optional<DiagonalPatterns> number_masks(simt::Emulator, const FoundDiagonal<V>* diagonals, std::int64_t count,
                                             Device device);
template <class V>
std::optional<DiagonalPatterns> number_masks(simt::Cuda, const FoundDiagonal<V>* diagonals, std::int64_t count,
                                             Device device);

}  // namespace heddle::weave
