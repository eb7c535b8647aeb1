// The public functions of io.hpp: content decides how a file is read, the suffix how it is written.
#include <algorithm>
#include <memory>

#include <heddle/generate.hpp>
#include <heddle/io.hpp>

#include "core/check.hpp"
#include "core/memory_errors.hpp"
#include "core/watch.hpp"
#include "io/foreign.hpp"
#include "io/gzip.hpp"
#include "io/hdl.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_market/write_market.hpp"
#include "io/npy.hpp"

namespace heddle {

namespace {

using io::Text;

constexpr std::string_view generator_prefix = "gen:";

// "folder/cant.mtx.gz" -> "cant"
std::string bare_name(const std::string& path) {
  if (path == io::standard_input) return "stdin";
  std::string name = path.substr(path.rfind('/') + 1);
  for (const char* suffix : {".gz", ".mtx", ".hdl", ".mm"})
    if (name.ends_with(suffix) && name.size() > std::string_view(suffix).size())
      name.erase(name.size() - std::string_view(suffix).size());
  return name;
}

// What no reader takes is refused by its first bytes, before the rest of a pipe or a packed file is kept.
void judge_matrix(const Text& text) {
  if (text.size() == 0 || io::is_gzip(text) || io::is_hdl(text) || io::is_matrix_market(text)) return;
  const std::string known = "Matrix Market begins with %%MatrixMarket; .hdl is written by `heddle convert`";
  const std::string foreign = io::hint_about_foreign(text);
  fail(ErrorKind::input, At{text.name() + ":1", foreign.empty() ? known : foreign},
       "this is neither a Matrix Market nor an .hdl file");
}

// Plain numbers have no first bytes of their own: anything printable may be a wrong line, and the parser names it.
void judge_vector(const Text& text) {
  if (io::is_gzip(text) || io::is_matrix_market(text) || io::is_npy(text)) return;
  std::string start(static_cast<std::size_t>(std::min<std::int64_t>(text.size(), 4096)), '\0');
  text.read(0, static_cast<std::int64_t>(start.size()), start.data());
  const bool binary = std::any_of(start.begin(), start.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' && c != '\t' && c != '\n' && c != '\r';
  });
  const std::string foreign = io::hint_about_foreign(text);
  if (binary || !foreign.empty())
    fail(ErrorKind::input, At{text.name() + ":1", foreign},
         "this is no vector: neither Matrix Market nor plain numbers");
}

Text text_of(const std::string& path, const io::Judge& judge, const Progress& unpacking = {}) {
  Text text(path, std::make_shared<io::OpenFile>(path), judge);
  if (io::is_gzip(text)) text = io::inflate_text(text, unpacking, judge);
  if (text.size() == 0) fail(ErrorKind::input, At{path + ":1"}, "the file is empty");
  return text;
}

bool is_packed(const std::string& path) { return path.ends_with(".gz"); }

// "x.csv.gz" -> ".csv"
bool has_suffix(const std::string& path, std::string_view suffix) {
  std::string_view name = path;
  if (is_packed(path)) name.remove_suffix(3);
  return name.ends_with(suffix);
}

}  // namespace

template <class V>
Csr<V> read_matrix(const std::string& source, FileFacts* facts, const ReadOptions& options) {
  // Whoever does not know how far it is asks by the watch: the share is the last one that was known.
  double known = 0;
  Progress progress, unpacking;
  KeepGoing ask;
  if (options.progress) {
    progress = [&](double done) { options.progress(known = done); };
    unpacking = [&](double) { options.progress(known); };
    ask = [&](std::string_view, double) { return unpacking(known), true; };
  }
  const Watch watch(ask);
  if (ask) Watch::enter("read");
  return with_memory_errors([&] {
    if (source.starts_with(generator_prefix))
      return generate<V>(std::string_view(source).substr(generator_prefix.size()), facts);
    const Text text = text_of(source, judge_matrix, unpacking);
    FileFacts found{bare_name(source), "real", "general"};
    Csr<V> A = io::is_hdl(text)
                   ? io::read_hdl<V>(text, &found, options.threads)
                   : io::parse_matrix_market<V>(text, &found, {.threads = options.threads, .progress = progress});
    if (facts) *facts = std::move(found);
    return A;
  });
}

template <class V>
void write_matrix(const std::string& path, CsrView<V> A, const Progress& progress, const FileFacts& facts) {
  return with_memory_errors([&] {
    const bool binary = path.ends_with(".hdl");
    validate(A, binary ? Require::canonical : Require::safe);
    if (binary) return io::write_hdl(path, A, facts, progress);
    io::write_market(path, A, is_packed(path), facts.symmetry == "symmetric", progress);
  });
}

template <class V>
Buffer<V> read_vector(const std::string& path) {
  return with_memory_errors([&] {
    const Text text = text_of(path, judge_vector);
    return io::is_npy(text) ? io::read_npy<V>(text) : io::parse_vector<V>(text);
  });
}

template <class V>
void write_vector(const std::string& path, std::span<const V> x) {
  return with_memory_errors([&] {
    if (path.ends_with(".npy")) return io::write_npy(path, x);
    io::write_lines(path, x, is_packed(path), !has_suffix(path, ".txt") && !has_suffix(path, ".csv"));
  });
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
