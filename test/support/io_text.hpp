// What the io tests share: matrices out of text in memory, matrices as text, scratch files.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/matrix_market/matrix_market.hpp"

namespace heddle::io {

inline Csr<double> parse(std::string_view content, const ParseOptions& options = {}, FileFacts* facts = nullptr) {
  return parse_matrix_market<double>(Text("m.mtx", std::span<const char>(content)), facts, options);
}

// "2x3 1,1=5 2,3=-0.5": shape, then all entries with 1-based indices.
template <class V>
std::string show(const Csr<V>& A) {
  std::string text = fmt::format("{}x{}", A.rows, A.cols);
  for (std::int64_t r = 0; r < A.rows; ++r)
    for (Offset k = A.ptr[r]; k < A.ptr[r + 1]; ++k) text += fmt::format(" {},{}={}", r + 1, A.col[k] + 1, A.val[k]);
  return text;
}

// The error that f throws, as "kind where"; what it gives instead when it throws none.
template <class F>
Error error_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::internal, "no error was thrown");
}

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "heddle-io-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder");
    path_ = name;
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline void save(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}
inline std::string load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace heddle::io
