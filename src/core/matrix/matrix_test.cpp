// Arrays from outside: what is wrong with them is said before anything is multiplied, and what is allowed is made
// canonical.
#include <heddle/matrix.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <heddle/error.hpp>

namespace heddle {
namespace {

struct Arrays {
  std::int64_t rows, cols;
  std::vector<Offset> ptr;
  std::vector<Index> col;

  PatternView view() const { return {rows, cols, ptr, col}; }
};

std::string first_violation(const Arrays& arrays, Require level = Require::safe) {
  const auto found = violations(arrays.view(), level);
  return found.empty() ? "" : found.front();
}

TEST(Validate, accepts_what_may_be_multiplied_even_out_of_order) {
  EXPECT_EQ(first_violation({0, 0, {0}, {}}), "");
  EXPECT_EQ(first_violation({2, 3, {0, 2, 3}, {2, 0, 1}}), "");
  EXPECT_EQ(first_violation({1, 3, {0, 2}, {1, 1}}), "");
}

TEST(Validate, names_the_first_bad_place) {
  EXPECT_EQ(first_violation({2, 3, {0, 1, 2}, {0, 3}}), "col[1] = 3 in row 1 is outside 0..2");
  EXPECT_EQ(first_violation({2, 3, {0, 1, 2}, {-1, 0}}), "col[0] = -1 in row 0 is outside 0..2");
  EXPECT_EQ(first_violation({2, 3, {1, 1, 2}, {0, 1}}), "ptr[0] = 1, not 0");
  EXPECT_EQ(first_violation({2, 3, {0, 1, 3}, {0, 1}}), "ptr[2] = 3, but there are 2 entries");
  EXPECT_EQ(first_violation({3, 3, {0, 2, 1, 2}, {0, 1}}), "ptr[2] = 1 is below ptr[1] = 2");
  EXPECT_EQ(first_violation({3, 3, {0, 2}, {0, 1}}), "ptr has 2 elements, 3 rows need 4");
  EXPECT_EQ(first_violation({-1, 3, {0}, {}}), "-1 x 3 is not a possible shape");
}

// Rows of a thousand entries, few of which are a task.
TEST(Validate, names_the_first_bad_place_of_long_rows_in_many_tasks) {
  constexpr Index rows = 500, length = 1000;
  Arrays arrays{rows, length, {0}, {}};
  for (Index row = 0; row < rows; ++row) {
    for (Index k = 0; k < length; ++k) arrays.col.push_back(k);
    arrays.ptr.push_back(arrays.ptr.back() + length);
  }
  EXPECT_EQ(first_violation(arrays, Require::canonical), "");
  for (const Index row : {499, 333, 130}) {
    arrays.col[static_cast<std::size_t>(row * length + 7)] = length;
    EXPECT_EQ(first_violation(arrays), "col[" + std::to_string(row * length + 7) + "] = 1000 in row " +
                                           std::to_string(row) + " is outside 0..999");
  }
}

TEST(Validate, sees_order_and_duplicates_only_when_asked) {
  EXPECT_EQ(first_violation({1, 3, {0, 2}, {1, 1}}, Require::canonical), "col[1] = 1 in row 0 repeats");
  EXPECT_EQ(first_violation({2, 3, {0, 0, 2}, {1, 3}}, Require::canonical), "col[1] = 3 in row 1 is outside 0..2");
  EXPECT_EQ(first_violation({2, 3, {0, 2, 2}, {-1, 2}}, Require::canonical), "col[0] = -1 in row 0 is outside 0..2");
  EXPECT_EQ(first_violation({1, 3, {0, 3}, {0, 7, 1}}, Require::canonical), "col[1] = 7 in row 0 is outside 0..2");
  EXPECT_EQ(first_violation({1, 3, {0, 2}, {2, 0}}, Require::canonical),
            "col[1] = 0 in row 0 comes after a larger one");
}

// Short rows, some without entries, in many tasks; from a row to the next columns fall, stay or rise. Every pair of
// neighbours in a row is put out of order once, and every first and last column outside.
TEST(Validate, sees_every_place_of_short_rows_that_is_out_of_order) {
  constexpr Index rows = 40000, cols = 1000;
  Arrays arrays{rows, cols, {0}, {}};
  for (Index row = 0; row < rows; ++row) {
    const Index length = row * 7 % 4;
    for (Index k = 0; k < length; ++k) arrays.col.push_back(row * 31 % 900 + 20 * k);
    arrays.ptr.push_back(arrays.ptr.back() + length);
  }
  ASSERT_EQ(first_violation(arrays, Require::canonical), "");
  const auto with = [&](Offset at, Index column) {
    const Index before = std::exchange(arrays.col[static_cast<std::size_t>(at)], column);
    const std::string found = first_violation(arrays, Require::canonical);
    arrays.col[static_cast<std::size_t>(at)] = before;
    return found;
  };
  for (Index row = 0; row < rows; row += 331) {
    const Offset begin = arrays.ptr[static_cast<std::size_t>(row)], end = arrays.ptr[static_cast<std::size_t>(row) + 1];
    for (Offset k = begin + 1; k < end; ++k) {
      const Index before = arrays.col[static_cast<std::size_t>(k) - 1];
      EXPECT_NE(with(k, before), "") << row;
      EXPECT_NE(with(k, 0), "") << row;
    }
    if (begin == end) continue;
    EXPECT_NE(with(begin, -1), "") << row;
    EXPECT_NE(with(end - 1, cols), "") << row;
  }
}

TEST(MakeCsr, sorts_rows_and_adds_duplicates_but_keeps_zeros) {
  const std::vector<Offset> ptr{0, 4, 4, 5};
  const std::vector<Index> col{2, 0, 2, 1, 0};
  const std::vector<double> val{1, 0, -1, 5, 7};
  const Csr<double> A = make_csr<double>(3, 3, ptr, col, val);
  EXPECT_EQ(std::vector<Offset>(A.ptr.begin(), A.ptr.end()), (std::vector<Offset>{0, 3, 3, 4}));
  EXPECT_EQ(std::vector<Index>(A.col.begin(), A.col.end()), (std::vector<Index>{0, 1, 2, 0}));
  EXPECT_EQ(std::vector<double>(A.val.begin(), A.val.end()), (std::vector<double>{0, 5, 0, 7}));
}

TEST(MakeCsr, refuses_a_column_outside_as_an_error_of_the_input) {
  const std::vector<Offset> ptr{0, 1};
  const std::vector<Index> col{1};
  const std::vector<float> val{1};
  try {
    (void)make_csr<float>(1, 1, ptr, col, val);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
  }
}

}  // namespace
}  // namespace heddle
