// Real matrices, of the folder HEDDLE_MATRICES or of one beside the tree.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <heddle/io.hpp>

#include "support/dense_matrix.hpp"
#include "support/tree.hpp"

namespace heddle::test {

// Its file, whether it is there or not.
inline std::filesystem::path stored_file(const std::string& name) {
  const char* named = std::getenv("HEDDLE_MATRICES");
  const std::filesystem::path folder = named != nullptr ? named : tree::folder() + "/../shared/matrices";
  return folder / (name + ".mtx.gz");
}

// "laplacian NAME" is that of the graph whose edges are the entries of a symmetric matrix, each of weight 1, plus 0.001.
inline std::optional<Csr<double>> stored_matrix(const std::string& name) {
  const std::string laplacian = "laplacian ";
  const bool of_graph = name.starts_with(laplacian);
  const std::filesystem::path file = stored_file(of_graph ? name.substr(laplacian.size()) : name);
  if (!std::filesystem::exists(file)) return std::nullopt;
  Csr<double> A = read_matrix(file.string());
  if (!of_graph) return A;
  std::vector<Entry> entries;
  for (Index row = 0; row < A.rows; ++row) {
    double degree = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
      if (A.col[k] != row) entries.push_back({row, A.col[k], -1.0}), ++degree;
    entries.push_back({row, row, degree + 0.001});
  }
  return from_entries(A.rows, A.rows, entries);
}

}  // namespace heddle::test
