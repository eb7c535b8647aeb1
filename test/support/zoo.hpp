// Awkward matrices: the shapes and patterns that break sparse kernels. All values are small integers (-8..8, never 0
// unless the specimen is about zeros), so that sums are exact in any order and in both precisions.
#pragma once

#include <string>
#include <vector>

#include <heddle/matrix.hpp>

namespace heddle::test {

struct Specimen {
  std::string name;
  Csr<double> A;
};

// small: up to a few hundred rows, quick even on the emulator. full: also sizes around warps, blocks and slices, long
// rows over many blocks, columns far apart.
enum class Zoo { small, full };
const std::vector<Specimen>& zoo(Zoo size);
const Csr<double>& small_specimen(const std::string& name);  // one of the small ones

// Deterministic stream of integers for test data.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  std::uint64_t next();
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n)); }
  double integer() {  // -8..8 without 0
    const std::int64_t v = below(16);
    return static_cast<double>(v < 8 ? v - 8 : v - 7);
  }
  double real() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1.0; }  // [-1, 1)

 private:
  std::uint64_t state_;
};

// Rows of given lengths, columns random and distinct, integer values.
Csr<double> with_lengths(const std::vector<std::int64_t>& lengths, std::int64_t cols, std::uint64_t seed);
// From triples (row, column, value).
struct Entry {
  Index row, col;
  double value;
};
Csr<double> from_entries(std::int64_t rows, std::int64_t cols, const std::vector<Entry>& entries);

}  // namespace heddle::test
