// Matrix Market text out of matrices and vectors: shortest digits that read back to the same bits.
#pragma once

#include <heddle/io.hpp>

namespace heddle::io {

// `gzip`: packed. All are formatted (and packed) by all threads and written in order. `symmetric`: the lower triangle
// alone, where the matrix equals its transpose in every bit. Columns must ascend.
template <class V>
void write_market(const std::string& path, CsrView<V> A, bool gzip, bool symmetric, const Progress& progress);
// A vector, one number a line; behind a banner, or for those who read numbers alone.
template <class V>
void write_lines(const std::string& path, std::span<const V> x, bool gzip, bool banner);

}  // namespace heddle::io
