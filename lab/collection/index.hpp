// The built-in index of the SuiteSparse Matrix Collection: what its matrices are called and how large they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::collection {

struct Entry {
  std::string_view group, name;
  std::int64_t rows = 0, cols = 0;
  std::int64_t nnz = 0;       // of the whole matrix, zeros that its file stores included
  bool complex = false;       // its values
  bool definite = false;      // symmetric and positive definite
  std::string label() const;  // "Williams/cant"
};

// The index itself, matrices.txt of this folder.
extern const std::string_view matrices_txt;

// Error(internal) with the line that is none.
std::vector<Entry> parse_index(std::string_view text);
// In the order of the collection's own numbers.
const std::vector<Entry>& entries();

// "cant", "Williams/cant". Error(usage) for a name that is not there, or that several groups have.
const Entry& entry(const std::string& name);
const Entry* find(const std::string& name);  // null where there is none, or several

// Paper 3 tested 1,598 square matrices and printed their largest sizes, not their names. These are the first 1,598
// square real ones within those sizes.
std::vector<const Entry*> corpus();
// Paper 2 solved with every symmetric positive definite matrix of more than 100,000 rows.
std::vector<const Entry*> large_definite();

}  // namespace heddle::collection
