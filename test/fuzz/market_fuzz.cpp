// Bytes -> the Matrix Market reader. Accepted means canonical, the same from several threads and small chunks, and the
// same again after writing and reading; rejected means an error of the input with its line.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "io/matrix_market/matrix_market.hpp"
#include "io/matrix_market/write_market.hpp"

using namespace heddle;

namespace {

struct Outcome {
  std::string error;
  Csr<double> A;
};

Outcome outcome(const io::Text& text, const io::ParseOptions& options) {
  try {
    return {"", io::parse_matrix_market<double>(text, nullptr, options)};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input || error.where().empty()) std::abort();
    return {error.what(), {}};
  }
}

bool same_but_for_nan_bits(const Csr<double>& A, const Csr<double>& B) {
  bool same = A.rows == B.rows && A.cols == B.cols && A.nnz() == B.nnz();
  for (std::int64_t r = 0; same && r <= A.rows; ++r) same = A.ptr[r] == B.ptr[r];
  for (Offset k = 0; same && k < A.nnz(); ++k)
    same = A.col[k] == B.col[k] && (A.val[k] == B.val[k] || (A.val[k] != A.val[k] && B.val[k] != B.val[k]));
  return same;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const io::Text text("fuzz", std::span(reinterpret_cast<const char*>(data), size));
  const Outcome one = outcome(text, {.threads = 1});
  const Outcome many = outcome(text, {.threads = 2, .chunk_bytes = static_cast<std::int64_t>(1 + size % 37)});
  if (one.error != many.error || !identical(one.A, many.A)) std::abort();
  if (!one.error.empty()) return 0;
  if (!violations(one.A.view(), Require::canonical).empty()) std::abort();
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("market_fuzz-" + std::to_string(::getpid()) + ".mtx")).string();
  io::write_market(path, one.A.view(), false, {});
  if (!same_but_for_nan_bits(read_matrix<double>(path), one.A)) std::abort();
  return 0;
}
