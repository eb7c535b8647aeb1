// Matrix Market text out of matrices and vectors: shortest digits that read back to the same bits.
#pragma once

#include <heddle/io.hpp>

namespace heddle::io {

// `gzip`: packed. Both are formatted (and packed) by all threads and written in order.
template <class V>
void write_market(const std::string& path, CsrView<V> A, bool gzip, const Progress& progress);
template <class V>
void write_market(const std::string& path, std::span<const V> x, bool gzip);

}  // namespace heddle::io
