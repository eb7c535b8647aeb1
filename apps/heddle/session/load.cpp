#include "session/load.hpp"

#include <sys/stat.h>

#include <fstream>

#include "core/check.hpp"
#include "core/stopwatch.hpp"
#include "terminal/text.hpp"

namespace heddle {

template <class V>
Loaded<V> load(Session& session, const std::string& source, const std::function<void()>& watch) {
  Loaded<V> made;
  ReadOptions options;
  options.progress = session.progress("reading " + source);
  if (watch)
    options.progress = [watch, bar = options.progress](double share) {
      watch();
      if (bar) bar(share);
    };
  made.seconds = seconds_of([&] { made.A = read_matrix<V>(source, &made.facts, options); });
  for (std::string* text : {&made.facts.name, &made.facts.field, &made.facts.symmetry}) *text = printable(*text);
  return made;
}

Plan read_plan(const std::string& text) {
  struct stat status {};
  if (stat(text.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return Plan::parse(text);
  constexpr std::size_t longest = 4096;
  std::string words(longest, '\0');
  std::ifstream file(text, std::ios::binary);
  words.resize(static_cast<std::size_t>(file.read(words.data(), longest).gcount()));
  return Plan::parse(words);
}

void check_matrix_suffix(const std::string& path) {
  for (const char* suffix : {".mtx", ".mtx.gz", ".hdl"})
    if (path.ends_with(suffix)) return;
  struct stat status {};
  const bool is_stream = stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  if (!is_stream) fail(ErrorKind::usage, At{path, "known: .mtx, .mtx.gz, .hdl"}, "the suffix names no matrix format");
}

template <class V>
double save(Session& session, const std::string& path, const Loaded<V>& matrix) {
  const Progress progress = session.progress("writing " + path);
  return seconds_of([&] { write_matrix(path, matrix.A, progress, matrix.facts); });
}

std::string facts_text(const Structure& facts) {
  const std::string text = to_string(facts);
  const char* symmetry = facts.symmetric                ? "pattern and values"
                         : facts.structurally_symmetric ? "pattern alone"
                                                        : "none";
  return fmt::format("symmetry      {}\n{}", symmetry, text.substr(text.find('\n') + 1));
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

template Loaded<float> load(Session&, const std::string&, const std::function<void()>&);
template Loaded<double> load(Session&, const std::string&, const std::function<void()>&);
template double save(Session&, const std::string&, const Loaded<float>&);
template double save(Session&, const std::string&, const Loaded<double>&);
template Json matrix_json(const Loaded<float>&);
template Json matrix_json(const Loaded<double>&);
template std::string headline(const Loaded<float>&);
template std::string headline(const Loaded<double>&);

}  // namespace heddle
