// Bytes -> the readers of numbers: where a fast one decides, the careful one must give the same bits.
#include <bit>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/matrix_market/number.hpp"

using namespace heddle::io;

namespace {

void expect_same(double fast, std::string_view text) {
  double careful = 0;
  if (parse_number(text, careful) != Verdict::good) std::abort();
  if (std::bit_cast<std::uint64_t>(fast) != std::bit_cast<std::uint64_t>(careful)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line = std::string(reinterpret_cast<const char*>(data), size) + "\n" + std::string(64, '\0');
  double fast = 0;
  if (const char* end = scan_number(line.data(), fast)) expect_same(fast, {line.data(), end});
  const std::size_t point = line.find_first_not_of("0123456789");
  const std::size_t end = line.find_first_not_of("0123456789", point + 1);
  if (line[point] == '.' && end != line.npos &&
      plain_decimal(line.data(), line.data() + point, line.data() + end, false, fast))
    expect_same(fast, std::string_view(line).substr(0, end));
  return 0;
}
