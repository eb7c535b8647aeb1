// Bytes -> the two readers of numbers: where the fast one decides, the careful one must give the same bits.
#include <bit>
#include <cstdlib>
#include <string>

#include "io/number.hpp"

using namespace heddle::io;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line = std::string(reinterpret_cast<const char*>(data), size) + "\n" + std::string(32, '\0');
  double fast = 0, careful = 0;
  const char* end = scan_number(line.data(), fast);
  if (end == nullptr) return 0;
  const std::string_view text(line.data(), static_cast<std::size_t>(end - line.data()));
  if (parse_number(text, careful) != Verdict::good) std::abort();
  if (std::bit_cast<std::uint64_t>(fast) != std::bit_cast<std::uint64_t>(careful)) std::abort();
  return 0;
}
