// Reading and writing matrix files for the commands, with a progress bar.
#pragma once

#include <functional>
#include <string>

#include <heddle/analyze.hpp>
#include <heddle/io.hpp>
#include <heddle/matrix.hpp>
#include <heddle/plan.hpp>

#include "session/session.hpp"

namespace heddle {

template <class V>
struct Loaded {
  Csr<V> A;
  FileFacts facts;
  double seconds = 0;
};

// `watch` is called from time to time while a file is read; it may throw to stop that.
template <class V>
Loaded<V> load(Session& session, const std::string& source, const std::function<void()>& watch = {});

// A plan as text, or the file that holds one.
Plan read_plan(const std::string& text);

// Error(usage) unless the suffix says .mtx, .mtx.gz or .hdl, or it is a device or pipe (those get Matrix Market). To be
// called before the long work whose result would have no place to go.
void check_matrix_suffix(const std::string& path);
// Gives the seconds it took.
template <class V>
double save(Session& session, const std::string& path, const Loaded<V>& matrix);

// What `analyze` found, several lines; what the headline says is left out.
std::string facts_text(const Structure& facts);

// {name, rows, cols, nnz, symmetry, field}
template <class V>
Json matrix_json(const Loaded<V>& matrix);
// "cant: 62,451 x 62,451, 4,007,383 entries, real symmetric"
template <class V>
std::string headline(const Loaded<V>& matrix);

}  // namespace heddle
