// values=symmetric: one value is stored for the two entries (i, j) and (j, i), its twins, and the row of the lower one
// reads it where the row of the upper one keeps it. What the formats with this setting share.
//
//   a plan     the field `values`
//   a build    twins have the same bits, or it is refused
//   an update  numbers for a map of values (update/value_map.hpp): one map places the upper entries, another says which
//              lower entry has to have the same bits
#pragma once

#include <heddle/matrix.hpp>

#include "core/system.hpp"
#include "formats/settings.hpp"

namespace heddle {

enum class StoredValues { raw, symmetric };

inline Field stored_values_field(int& values) {
  return {.name = "values",
          .value = &values,
          .meaning = "raw: all of them; symmetric: of a symmetric matrix those on and above the main diagonal",
          .words = {"raw", "symmetric"},
          .used = values == static_cast<int>(StoredValues::symmetric)};
}
bool stores_symmetric(const Plan& plan);

// The entry at (row, col); -1: there is none.
Offset entry_at(const PatternView& A, std::int64_t row, std::int64_t col);

// Error(unavailable) unless twins have the same bits. Entries without a twin: as the format is.
enum class WithoutTwin { kept, refused };
template <class V>
void check_symmetric(const CsrView<V>& A, WithoutTwin single);

// Values for a build that say where each value of A comes from: the numbers of the upper, or of the lower, of two
// twins; of an entry without a twin its own.
enum class Twin { upper, lower };
template <class V>
Buffer<V> twin_numbers(const PatternView& A, Twin which);

}  // namespace heddle
