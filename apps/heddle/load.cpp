#include "load.hpp"

#include <chrono>

#include "text.hpp"

namespace heddle {

template <class V>
Loaded<V> load(Session& session, const std::string& source) {
  Loaded<V> made;
  const auto begun = std::chrono::steady_clock::now();
  made.A = read_matrix<V>(source, &made.facts, {.progress = session.progress("reading " + source)});
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return made;
}

template <class V>
Json matrix_json(const Loaded<V>& matrix) {
  return {{"name", matrix.facts.name},
          {"rows", matrix.A.rows},
          {"cols", matrix.A.cols},
          {"nnz", matrix.A.nnz()},
          {"symmetry", matrix.facts.symmetry},
          {"field", matrix.facts.field}};
}

template <class V>
std::string headline(const Loaded<V>& matrix) {
  return fmt::format("{}: {}, {} entries, {} {}", matrix.facts.name, as_shape(matrix.A.rows, matrix.A.cols),
                     with_commas(matrix.A.nnz()), matrix.facts.field, matrix.facts.symmetry);
}

template Loaded<float> load(Session&, const std::string&);
template Loaded<double> load(Session&, const std::string&);
template Json matrix_json(const Loaded<float>&);
template Json matrix_json(const Loaded<double>&);
template std::string headline(const Loaded<float>&);
template std::string headline(const Loaded<double>&);

}  // namespace heddle
