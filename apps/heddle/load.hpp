// Reading M, the matrix argument of every command, with a progress bar.
#pragma once

#include <string>

#include <heddle/io.hpp>
#include <heddle/matrix.hpp>

#include "session.hpp"

namespace heddle {

template <class V>
struct Loaded {
  Csr<V> A;
  FileFacts facts;
  double seconds = 0;
};

template <class V>
Loaded<V> load(Session& session, const std::string& source);

// {name, rows, cols, nnz, symmetry, field}
template <class V>
Json matrix_json(const Loaded<V>& matrix);
// "cant: 62,451 x 62,451, 4,007,383 entries, real symmetric"
template <class V>
std::string headline(const Loaded<V>& matrix);

}  // namespace heddle
