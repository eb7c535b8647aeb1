// Real matrices, where they lie next to the source folder: sizes as published, and the same for any number of threads.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <heddle/io.hpp>

#include "support/io_text.hpp"
#include "support/tree.hpp"

namespace heddle {
namespace {

const std::string folder = tree::folder() + "/../shared/matrices";

struct Known {
  std::string name, field;
  std::int64_t rows, cols, nnz;
};

// The rows "| name | rows | cols | nnz | field, symmetry ... |" of the table that comes with the matrices.
std::vector<Known> known_matrices() {
  std::vector<Known> known;
  std::ifstream table(folder + "/README.md");
  for (std::string line; std::getline(table, line);) {
    std::replace(line.begin(), line.end(), '|', ' ');
    std::istringstream words(line);
    Known matrix;
    if (words >> matrix.name >> matrix.rows >> matrix.cols >> matrix.nnz >> matrix.field) known.push_back(matrix);
  }
  return known;
}

TEST(RealMatrices, have_the_published_sizes) {
  const std::vector<Known> known = known_matrices();
  if (known.empty()) GTEST_SKIP() << "no matrices at " << folder;
  for (const Known& matrix : known) {
    const std::string path = folder + "/" + matrix.name + ".mtx.gz";
    if (matrix.field == "complex,") {
      const Error error = io::error_of([&] { read_matrix<double>(path); });
      EXPECT_EQ(error.kind(), ErrorKind::input) << path;
      EXPECT_EQ(error.where(), path + ":1");
      continue;
    }
    FileFacts facts;
    const Csr<double> A = read_matrix<double>(path, &facts);
    EXPECT_EQ(A.rows, matrix.rows) << matrix.name;
    EXPECT_EQ(A.cols, matrix.cols) << matrix.name;
    EXPECT_EQ(A.nnz(), matrix.nnz) << matrix.name;
    EXPECT_EQ(facts.name, matrix.name);
    EXPECT_EQ(facts.field + ",", matrix.field) << matrix.name;
    EXPECT_TRUE(violations(A.view(), Require::canonical).empty()) << matrix.name;
    EXPECT_TRUE(identical(read_matrix<double>(path, nullptr, {.threads = 1}), A)) << matrix.name;
  }
}

}  // namespace
}  // namespace heddle
