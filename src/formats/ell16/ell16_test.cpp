// What 16 bits can name (fixture F7), what goes to the rest, and what reordering does for it.
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "formats/ell16/ell16.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

Ell16Format<double> stored(const Csr<double>& A, Ell16Settings settings) {
  Ell16Format<double>::settle(settings, A.view());
  return Ell16Format<double>::build({A.view()}, settings);
}

TEST(Ell16, takes_distances_from_minus_32768_to_32767_and_no_others) {  // fixture F7
  const std::int64_t n = 100000, row = 40000;
  for (const auto& [distance, near] :
       {std::pair{-32768, true}, {-32769, false}, {32767, true}, {32768, false}, {0, true}, {-40000, false}}) {
    const Csr<double> A = from_entries(n, n, {{row, static_cast<Index>(row + distance), 3}});
    EXPECT_EQ(stored(A, {.K = 5}).parts.rest.nnz(), near ? 0 : 1) << "distance " << distance;
  }
}

TEST(Ell16, stores_the_run_around_the_diagonal_and_leaves_both_far_ends_to_the_rest) {
  const std::int64_t n = 200000;
  const Index row = 100000;
  const Csr<double> A = from_entries(n, n,
                                     {{row, 0, 1},
                                      {row, row - 32769, 2},
                                      {row, row - 32768, 3},
                                      {row, row, 4},
                                      {row, row + 7, 5},
                                      {row, row + 32768, 6}});
  const auto all = stored(A, {.K = 3}), two = stored(A, {.K = 2});
  EXPECT_EQ(all.parts.ell.length[row], 3);
  const std::int64_t ld = n;  // a multiple of 32
  const auto& col = all.parts.ell.col;
  EXPECT_EQ((std::vector<int>{col[row], col[ld + row], col[2 * ld + row]}), (std::vector<int>{-32768, 0, 7}));
  const auto values = [](const Buffer<double>& val) { return std::vector<double>(val.begin(), val.end()); };
  EXPECT_EQ(values(all.parts.rest.val), (std::vector<double>{1, 2, 6}));
  EXPECT_EQ(values(two.parts.rest.val), (std::vector<double>{1, 2, 5, 6})) << "beyond K, in the order of columns";
  EXPECT_TRUE(identical(two.restore(), A));
}

TEST(Ell16, gives_back_rows_with_only_one_far_end) {
  const std::int64_t n = 70000;
  const Csr<double> A = from_entries(n, n, {{0, 0, 1}, {0, 32768, 2}, {69999, 5, 3}, {69999, 69999, 4}});
  const auto format = stored(A, {.K = 2});
  EXPECT_EQ(format.parts.rest.nnz(), 2);
  EXPECT_TRUE(identical(format.restore(), A));
}

TEST(Ell16, needs_two_bytes_less_for_an_entry_than_ellpack_with_lengths) {
  const Csr<double> A = generate("band,rows=6400,width=5,fill=1");
  const std::int64_t places = 6400 * 11;
  EXPECT_EQ(footprint(A.view(), Plan::parse("ell16"), 8).bytes, places * 10 + 6400 * 4);
  EXPECT_EQ(footprint(A.view(), Plan::parse("ell16"), 4).bytes, places * 6 + 6400 * 4);
}

TEST(Ell16, pads_to_the_longest_row_while_that_is_at_most_three_times_the_matrix) {
  const auto K = [](const std::vector<std::int64_t>& lengths) {
    return *resolve(with_lengths(lengths, 50, 1).view(), Plan::parse("ell16")).find("K");
  };
  EXPECT_EQ(K({1, 1, 1, 6}), "6");   // 24 places for 9 entries
  EXPECT_EQ(K({1, 1, 1, 10}), "1");  // 40 places for 13
}

TEST(Ell16, refuses_to_reorder_a_matrix_that_is_not_square) {
  const Csr<double> A = with_lengths({1, 2, 3}, 9, 1);
  const Footprint need = footprint(A.view(), Plan::parse("ell16 reorder=rcm"));
  EXPECT_FALSE(need.fits);
  EXPECT_NE(need.reason.find("square"), std::string::npos);
  EXPECT_THROW((void)build(A, Plan::parse("ell16 reorder=rcm")), Error);
}

Csr<double> shuffled(const Csr<double>& A) {
  Dice dice(5);
  Permutation mix = Permutation::identity(A.rows);
  for (std::int64_t i = A.rows - 1; i > 0; --i) std::swap(mix.new_to_old[i], mix.new_to_old[dice.below(i + 1)]);
  return permute(A.view(), mix, mix);
}

TEST(Ell16, leaves_nothing_of_a_shuffled_mesh_to_the_rest_when_it_may_reorder) {
  for (const char* mesh : {"stencil2d5,n=270", "stencil3d7,n=41"}) {
    const Csr<double> A = shuffled(generate(mesh));
    ASSERT_GT(A.rows, 65536);
    EXPECT_GT(stored(A, {}).parts.rest.nnz(), A.nnz() / 10);
    EXPECT_EQ(stored(A, {.reorder = Ell16Settings::rcm}).parts.rest.nnz(), 0);
  }
}

TEST(Ell16, multiplies_a_reordered_matrix_like_the_original) {
  const Csr<double> A = shuffled(generate("stencil2d5,n=60"));
  std::vector<double> x(static_cast<std::size_t>(A.cols)), y(x.size(), 2), expected(x.size(), 2);
  Dice dice(6);
  for (double& e : x) e = dice.integer();
  build(A, Plan::parse("csr")).multiply(3.0, x, -1.0, expected);
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    std::vector<double> got = y;
    build(A, Plan::parse("ell16 reorder=rcm"), {device}).multiply(3.0, x, -1.0, got);
    EXPECT_EQ(got, expected) << to_string(device);
  }
}

}  // namespace
}  // namespace heddle::test
