// Stand-ins by name have the numbers that are printed.
#include <heddle/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <heddle/error.hpp>
#include <heddle/reorder.hpp>

#include "generate/like.hpp"

namespace heddle {
namespace {

using synthetic::LikeProfile;

std::int64_t longest_of(const Csr<float>& A) {
  std::int64_t longest = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) longest = std::max(longest, A.ptr[row + 1] - A.ptr[row]);
  return longest;
}

Csr<float> like(const std::string& name) { return generate<float>("like,name=" + name); }

TEST(Like, has_the_rows_entries_and_longest_row_that_are_printed) {
  for (const LikeProfile& profile : synthetic::like_profiles()) {
    const Csr<float> A = like(profile.name);
    EXPECT_EQ(A.rows, profile.rows) << profile.name;
    EXPECT_EQ(A.cols, profile.cols) << profile.name;
    EXPECT_NEAR(static_cast<double>(A.nnz()) / static_cast<double>(profile.nnz), 1, 0.02) << profile.name;
    EXPECT_EQ(longest_of(A), profile.longest) << profile.name;
  }
}

// Rows r .. r + 5 of one point of the mesh have the same columns, and these come six by six.
TEST(Like, keeps_the_blocks_of_meshes) {
  for (const auto& [name, dof] : {std::pair("pwtk", 6), std::pair("shipsec1", 6), std::pair("cant", 3)}) {
    const Csr<float> A = like(name);
    std::int64_t apart = 0;
    for (std::int64_t row = 0; row + 1 < A.rows; ++row) {
      if (row % dof == dof - 1) continue;
      const auto begin = A.col.begin() + A.ptr[row], middle = A.col.begin() + A.ptr[row + 1];
      apart += !std::equal(begin, middle, middle, A.col.begin() + A.ptr[row + 2]);
    }
    EXPECT_LE(apart, 3) << name << ": the longest row alone may differ";
  }
}

TEST(Like, is_symmetric_and_positive_definite_where_it_is_a_mesh_of_blocks) {
  FileFacts facts;
  const Csr<double> A = generate<double>("like,name=bcsstk24", &facts);
  EXPECT_EQ(facts.symmetry, "symmetric");
  EXPECT_TRUE(identical(A, transpose(A.view())));
  for (std::int64_t row = 0; row < A.rows; ++row) {
    double others = 0, diagonal = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) (A.col[k] == row ? diagonal : others) += std::abs(A.val[k]);
    ASSERT_GT(diagonal, others) << "row " << row;
  }
}

// What reverse Cuthill-McKee can win back is the kind of numbering: lines of a mesh leave it little, a mesh with its
// points numbered at random nearly everything.
TEST(Like, is_numbered_as_its_original_is) {
  const auto mean_distance = [](const Csr<float>& A) {
    double sum = 0;
    for (std::int64_t row = 0; row < A.rows; ++row)
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) sum += std::abs(static_cast<double>(A.col[k] - row));
    return sum / static_cast<double>(A.nnz()) / static_cast<double>(A.rows);
  };
  EXPECT_LT(mean_distance(like("pwtk")), 0.01);
  EXPECT_LT(mean_distance(like("cant")), 0.01);
  const Csr<float> scattered = like("cop20k_A");
  EXPECT_GT(mean_distance(scattered), 0.3);
  const Permutation order = rcm_order(scattered.view());
  EXPECT_LT(mean_distance(permute(scattered.view(), order, order)), 0.05);
}

TEST(Like, lists_its_names_when_there_is_none_of_that_name) {
  try {
    like("pwtj");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("did you mean 'pwtk'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("shipsec1"), std::string::npos);
  }
}

}  // namespace
}  // namespace heddle
