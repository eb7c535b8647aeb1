// Matrix Market text -> matrix or vector.
#pragma once

#include "io/matrix_market/data_lines.hpp"
#include "io/matrix_market/market_header.hpp"
#include "io/text.hpp"

namespace heddle::io {

// Error(input) with name:line for the first line that is wrong.
template <class V>
Csr<V> parse_matrix_market(const Text& text, FileFacts* facts = nullptr, const ParseOptions& options = {});

// One column or one row of Matrix Market, or plain numbers one a line with % or # comments.
template <class V>
Buffer<V> parse_vector(const Text& text, const ParseOptions& options = {});

}  // namespace heddle::io
