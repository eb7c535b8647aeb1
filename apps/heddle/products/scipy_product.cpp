#include "products/scipy_product.hpp"

#include <array>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace heddle {

namespace {

constexpr const char* version_script = "import scipy.io, scipy.sparse; print(scipy.__version__)";
constexpr const char* product_script = R"(
import statistics, sys, time
import numpy, scipy.io, scipy.sparse
A = scipy.sparse.csr_matrix(scipy.io.mmread(sys.argv[1])).astype(sys.argv[2])
x = numpy.ones(A.shape[1], A.dtype)
samples = []
for _ in range(20):
    begun = time.perf_counter()
    A @ x
    samples.append(time.perf_counter() - begun)
print(statistics.median(samples))
)";

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + '\'';
}

// What python3 prints, without the end of its line; empty where it fails.
std::string told_by_python(const std::string& script, const std::string& arguments) {
  const std::string command = "python3 -c " + quoted(script) + arguments + " </dev/null 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  std::array<char, 256> piece;
  while (std::fgets(piece.data(), static_cast<int>(piece.size()), pipe)) text += piece.data();
  if (pclose(pipe) != 0) return {};
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string scipy_version() { return told_by_python(version_script, ""); }

double scipy_product_seconds(const std::string& path, const std::string& type) {
  try {
    return std::stod(told_by_python(product_script, ' ' + quoted(path) + ' ' + type));
  } catch (const std::logic_error&) {  // no number
    return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace heddle
