// The public functions of io.hpp: content decides how a file is read, the suffix how it is written.
#include <algorithm>
#include <memory>

#include <heddle/generate.hpp>
#include <heddle/io.hpp>

#include "core/check.hpp"
#include "io/gzip.hpp"
#include "io/hdl.hpp"
#include "io/matrix_market.hpp"
#include "io/write_market.hpp"

namespace heddle {

namespace {

using io::Text;

constexpr std::string_view generator_prefix = "gen:";

// "folder/cant.mtx.gz" -> "cant"
std::string bare_name(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  for (const char* suffix : {".gz", ".mtx", ".hdl", ".mm"})
    if (name.ends_with(suffix) && name.size() > std::string_view(suffix).size())
      name.erase(name.size() - std::string_view(suffix).size());
  return name;
}

Text unpacked(Text text, const Progress& progress) {
  return io::is_gzip(text) ? io::inflate_text(text, progress) : std::move(text);
}

bool is_packed(const std::string& path) { return path.ends_with(".gz"); }

}  // namespace

template <class V>
Csr<V> read_matrix(const std::string& source, FileFacts* facts, const ReadOptions& options) {
  if (source.starts_with(generator_prefix))
    return generate<V>(std::string_view(source).substr(generator_prefix.size()), facts);
  const auto file = std::make_shared<io::OpenFile>(source);
  Text text = unpacked(Text(source, file), {});
  FileFacts found{bare_name(source), "real", "general"};
  if (text.size() == 0) fail(ErrorKind::input, At{source + ":1"}, "the file is empty");
  Csr<V> A;
  if (io::is_hdl(text))
    A = io::read_hdl<V>(source, *file, &found, options.threads);
  else if (io::is_matrix_market(text))
    A = io::parse_matrix_market<V>(text, &found, {.threads = options.threads, .progress = options.progress});
  else
    fail(ErrorKind::input,
         At{source + ":1", "Matrix Market begins with %%MatrixMarket; .hdl is written by `heddle convert`"},
         "this is neither a Matrix Market nor an .hdl file");
  if (facts) *facts = std::move(found);
  return A;
}

template <class V>
void write_matrix(const std::string& path, CsrView<V> A, const Progress& progress, const FileFacts& facts) {
  validate(A);
  if (path.ends_with(".hdl")) return io::write_hdl(path, A, facts, progress);
  io::write_market(path, A, is_packed(path), progress);
}

template <class V>
Buffer<V> read_vector(const std::string& path) {
  const Text text = unpacked(Text(path, std::make_shared<io::OpenFile>(path)), {});
  if (text.size() == 0) fail(ErrorKind::input, At{path + ":1"}, "the file is empty");
  return io::parse_vector<V>(text);
}

template <class V>
void write_vector(const std::string& path, std::span<const V> x) {
  io::write_market(path, x, is_packed(path));
}

template Csr<float> read_matrix(const std::string&, FileFacts*, const ReadOptions&);
template Csr<double> read_matrix(const std::string&, FileFacts*, const ReadOptions&);
template void write_matrix(const std::string&, CsrView<float>, const Progress&, const FileFacts&);
template void write_matrix(const std::string&, CsrView<double>, const Progress&, const FileFacts&);
template Buffer<float> read_vector(const std::string&);
template Buffer<double> read_vector(const std::string&);
template void write_vector(const std::string&, std::span<const float>);
template void write_vector(const std::string&, std::span<const double>);

}  // namespace heddle
