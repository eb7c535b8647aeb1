// The contract of a generator: it describes a matrix row by row, `assemble` makes a Csr of it.
//
//   text  ->  Arguments  ->  make()  ->  Rows  ->  length(row) or pattern(row)  ->  ptr
//                                              ->  pattern(row), values(row)    ->  col, val
//
// A row is a pure function of the arguments and its number. That is what makes rows parallel, and the matrix the same
// on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <heddle/generate.hpp>

#include "core/system.hpp"
#include "generate/arguments.hpp"

namespace heddle::synthetic {

// One row under construction.
struct Row {
  Vector<Index> col;   // ascending, distinct
  Vector<double> val;  // as many as columns
};

class Rows {
 public:
  // Error(usage) beyond the largest dimension; Error(unavailable) when the expected number of entries cannot fit into
  // the memory of this machine. Runs before anything of size is allocated.
  Rows(double row_count, double column_count, double expected_entries);
  virtual ~Rows() = default;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  std::int64_t rows, cols;
  bool symmetric = false;  // pattern and values, by construction

  // The length of a row where that is known without making the row; `counted` says so. Other rows are made once, kept
  // until all are, and copied: 4 bytes per entry more for a while, but no row is made twice.
  bool counted = false;
  virtual std::int64_t length(std::int64_t) const { return 0; }
  // Fills out.col.
  virtual void pattern(std::int64_t row, Row& out) const = 0;
  // Fills out.val for the columns there; called only for a generator with values of its own.
  virtual void values(std::int64_t, Row&) const {}
};

// Where the numbers come from when the generator has none of its own, or when others were asked for.
struct ValueLaw {
  enum class Kind { natural, random, ones, integer };
  Kind kind = Kind::random;
  std::uint64_t seed = 1;
};

template <class V>
Csr<V> assemble(const Rows& source, const ValueLaw& law);

// Error(unavailable) when such a matrix cannot fit into memory.
void check_memory(double row_count, double entries, int value_bytes);

using Key = GeneratorInfo::Key;

struct Generator {
  std::string name, summary;
  bool natural = false;   // has values of its own, used unless values= says otherwise
  std::vector<Key> keys;  // without `seed` and `values`, which every generator has
  std::unique_ptr<Rows> (*make)(const Arguments& given) = nullptr;
};

// The list, in the order of the documentation.
const std::vector<Generator>& registry();
// Error(usage), with a suggestion, for a text of another kind.
const Generator& find_generator(std::string_view text);
// With `seed` and `values`.
std::vector<Key> all_keys(const Generator& generator);

}  // namespace heddle::synthetic
