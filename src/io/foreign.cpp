#include "io/foreign.hpp"

#include <algorithm>

namespace heddle::io {

namespace {

struct Kind {
  std::int64_t at;
  std::string_view bytes;
  const char* hint;
};

constexpr std::string_view npy_bytes = "\x93NUMPY";

constexpr Kind kinds[] = {
    {257, "ustar", "this is a tar archive: unpack it with `tar xf` and name the .mtx file in it"},
    {0, "PK\x03\x04", "this is a .zip or .npz file: in Python scipy.io.mmwrite(\"a.mtx\", scipy.sparse.load_npz(...))"},
    {0, "MATLAB ", "this is a MATLAB file: in Python scipy.io.mmwrite(\"a.mtx\", scipy.io.loadmat(...)[name])"},
    {0, "\x89HDF\r\n\x1a\n", "this is an HDF5 file (or one of MATLAB 7.3): write the matrix with scipy.io.mmwrite"},
    {0, npy_bytes, "this is an array of NumPy: a dense matrix is written with scipy.io.mmwrite"},
    {0, "BZh", "this is packed by bzip2: unpack it with bunzip2"},
    {0,
     "\xFD"
     "7zXZ",
     "this is packed by xz: unpack it with unxz"},
    {0, "\x28\xB5\x2F\xFD", "this is packed by zstd: unpack it with unzstd"}};

bool holds(const Text& text, const Kind& kind) {
  const auto length = static_cast<std::int64_t>(kind.bytes.size());
  if (text.size() < kind.at + length) return false;
  std::string found(kind.bytes.size(), '\0');
  text.read(kind.at, kind.at + length, found.data());
  return found == kind.bytes;
}

// .rb, .rua, .rsa, ...: Rutherford-Boeing has no first bytes of its own, only its suffix.
bool is_rutherford_boeing(const std::string& name) {
  for (const char* suffix : {".rb", ".rua", ".rsa", ".rra", ".pua", ".psa"})
    if (name.ends_with(suffix)) return true;
  return false;
}

}  // namespace

std::string hint_about_foreign(const Text& text) {
  const auto* kind = std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return holds(text, k); });
  if (kind != std::end(kinds)) return kind->hint;
  if (is_rutherford_boeing(text.name()))
    return "Rutherford-Boeing is not read: take the Matrix Market form, or scipy.io.mmwrite after scipy.io.hb_read";
  return {};
}

}  // namespace heddle::io
