#include <heddle/reorder.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <heddle/device.hpp>
#include <heddle/error.hpp>

#include "support/zoo.hpp"

namespace heddle::test {
namespace {

std::vector<Index> listed(const Permutation& order) { return {order.new_to_old.begin(), order.new_to_old.end()}; }

bool is_bijection(const Permutation& order, std::int64_t size) {
  std::vector<Index> sorted = listed(order), all(static_cast<std::size_t>(size));
  std::sort(sorted.begin(), sorted.end());
  std::iota(all.begin(), all.end(), Index{0});
  return sorted == all;
}

Permutation shuffled(std::int64_t size, std::uint64_t seed) {
  Dice dice(seed);
  Permutation order = Permutation::identity(size);
  for (std::int64_t i = size - 1; i > 0; --i) std::swap(order.new_to_old[i], order.new_to_old[dice.below(i + 1)]);
  return order;
}

// A symmetric pattern from undirected edges, without a diagonal.
Csr<double> from_edges(std::int64_t n, const std::vector<std::pair<Index, Index>>& edges) {
  std::vector<Entry> entries;
  for (const auto& [a, b] : edges) {
    entries.push_back({a, b, 1});
    if (a != b) entries.push_back({b, a, 1});
  }
  return from_entries(n, n, entries);
}

Csr<double> band(std::int64_t n, std::int64_t width) {
  std::vector<Entry> entries;
  for (std::int64_t r = 0; r < n; ++r)
    for (std::int64_t c = std::max<std::int64_t>(0, r - width); c <= std::min(n - 1, r + width); ++c)
      entries.push_back({static_cast<Index>(r), static_cast<Index>(c), static_cast<double>(r * 1000 + c)});
  return from_entries(n, n, entries);
}

std::vector<Specimen> square_specimens() {
  std::vector<Specimen> all;
  for (const Specimen& s : zoo(Zoo::full))
    if (s.A.rows == s.A.cols) all.push_back({s.name, Csr<double>(s.A)});
  std::vector<std::pair<Index, Index>> star, path, complete;
  for (Index v = 1; v < 101; ++v) star.push_back({50, v == 50 ? 0 : v});
  for (Index v = 0; v + 1 < 101; ++v) path.push_back({v, v + 1});
  for (Index a = 0; a < 13; ++a)
    for (Index b = 0; b < a; ++b) complete.push_back({a, b});
  all.push_back({"star", from_edges(101, star)});
  all.push_back({"path", from_edges(101, path)});
  all.push_back({"complete", from_edges(13, complete)});
  all.push_back({"two_vertices", from_edges(2, {{0, 1}})});
  all.push_back({"two_vertices_apart", from_edges(2, {})});
  all.push_back({"self_loops_only", from_edges(5, {{0, 0}, {3, 3}})});
  all.push_back({"components_and_isolated", from_edges(11, {{0, 9}, {9, 4}, {2, 7}, {7, 7}, {10, 1}})});
  all.push_back(
      {"one_way_cycle", from_entries(6, 6, {{0, 3, 1}, {3, 1, 1}, {1, 5, 1}, {5, 2, 1}, {2, 4, 1}, {4, 0, 1}})});
  return all;
}

TEST(Rcm, gives_every_vertex_one_place_and_the_way_back_restores_the_matrix) {
  for (const Specimen& specimen : square_specimens()) {
    SCOPED_TRACE(specimen.name);
    const Csr<double>& A = specimen.A;
    const Permutation P = rcm_order(A.view());
    ASSERT_TRUE(is_bijection(P, A.rows));
    const Csr<double> B = permute(A.view(), P, P);
    EXPECT_TRUE(violations(B.view(), Require::canonical).empty());
    const Permutation back = P.inverse();
    EXPECT_TRUE(identical(permute(B.view(), back, back), A));
  }
}

TEST(Rcm, numbers_a_shuffled_path_along_the_path) {
  const Csr<double> path = band(101, 1);
  const Permutation mix = shuffled(101, 3);
  const Csr<double> mixed = permute(path.view(), mix, mix);
  const Permutation P = rcm_order(mixed.view());
  EXPECT_EQ(bandwidth(permute(mixed.view(), P, P).view()), 1);
}

TEST(Rcm, recovers_the_band_of_a_shuffled_matrix) {
  for (const std::int64_t width : {2, 5}) {
    const Csr<double> A = band(2001, width);
    const Permutation mix = shuffled(A.rows, 4);
    const Csr<double> mixed = permute(A.view(), mix, mix);
    ASSERT_GT(bandwidth(mixed.view()), 1500);
    const Permutation P = rcm_order(mixed.view());
    EXPECT_LE(bandwidth(permute(mixed.view(), P, P).view()), 2 * width);
  }
}

TEST(Rcm, orders_a_small_graph_as_by_hand) {
  //  4 - 3 - 1 - 0     from the end 4: 4, 3, then 3's neighbours by degree: 5 (1) before 1 (2), then 0; reversed
  //      |
  //      5             2 is isolated and comes when the loop over the vertices meets it
  const Csr<double> A = from_edges(6, {{4, 3}, {3, 1}, {1, 0}, {3, 5}});
  EXPECT_EQ(listed(rcm_order(A.view())), (std::vector<Index>{2, 0, 1, 5, 3, 4}));
}

TEST(Rcm, starts_at_an_end_even_when_the_first_vertex_lies_in_the_middle) {
  //  3 - 1 - 0 - 2 - 4
  const Csr<double> A = from_edges(5, {{0, 1}, {0, 2}, {1, 3}, {2, 4}});
  EXPECT_EQ(listed(rcm_order(A.view())), (std::vector<Index>{3, 1, 0, 2, 4}));
}

TEST(Rcm, sees_an_unsymmetric_pattern_as_that_plus_its_transpose) {
  const Csr<double> one_way = from_entries(5, 5, {{0, 4, 1}, {4, 2, 1}, {2, 1, 1}, {1, 3, 1}, {2, 2, 1}});
  const Csr<double> both = from_edges(5, {{0, 4}, {4, 2}, {2, 1}, {1, 3}});
  EXPECT_EQ(listed(rcm_order(one_way.view())), listed(rcm_order(both.view())));
}

TEST(Rcm, does_not_depend_on_the_number_of_threads) {
  std::vector<std::int64_t> lengths(3000);
  for (std::size_t r = 0; r < lengths.size(); ++r) lengths[r] = static_cast<std::int64_t>(5 + r % 23);
  const Csr<double> A = with_lengths(lengths, 3000, 9);
  set_threads(1);
  const auto alone = listed(rcm_order(A.view()));
  for (const int count : {2, 3, 7}) {
    set_threads(count);
    EXPECT_EQ(listed(rcm_order(A.view())), alone) << count;
  }
}

TEST(Rcm, and_amd_refuse_a_matrix_that_is_not_square) {
  const Csr<double> A = from_entries(3, 4, {{0, 3, 1}});
  EXPECT_THROW((void)rcm_order(A.view()), Error);
  EXPECT_THROW((void)amd_order(A.view()), Error);
}

TEST(Amd, gives_every_vertex_one_place_or_says_that_it_is_missing) {
  for (const Specimen& specimen : square_specimens()) {
    SCOPED_TRACE(specimen.name);
    if (amd_available()) {
      EXPECT_TRUE(is_bijection(amd_order(specimen.A.view()), specimen.A.rows));
      continue;
    }
    try {
      (void)amd_order(specimen.A.view());
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable);
      EXPECT_NE(error.hint().find("suitesparse"), std::string::npos);
    }
  }
}

TEST(Amd, eliminates_the_hub_of_a_star_among_the_last) {
  if (!amd_available()) GTEST_SKIP() << "built without AMD";
  std::vector<std::pair<Index, Index>> star;
  for (Index v = 1; v < 50; ++v) star.push_back({0, v});
  const auto order = listed(amd_order(from_edges(50, star).view()));
  EXPECT_GE(std::find(order.begin(), order.end(), 0) - order.begin(), 48);
}

TEST(LengthOrder, puts_long_rows_first_and_keeps_equal_ones_as_they_were) {
  const Csr<double> A = with_lengths({2, 5, 0, 5, 2, 9}, 20, 1);
  EXPECT_EQ(listed(length_order(A.view())), (std::vector<Index>{5, 1, 3, 0, 4, 2}));
  EXPECT_EQ(listed(length_order(A.view(), 4)), (std::vector<Index>{1, 3, 0, 2, 5, 4}));
  EXPECT_EQ(listed(length_order(A.view(), 1)), (std::vector<Index>{0, 1, 2, 3, 4, 5}));
}

TEST(LengthOrder, sorts_the_longest_rows_of_a_large_matrix_too) {
  std::vector<std::int64_t> lengths(2000, 1);
  lengths[5] = 2000, lengths[6] = 3000, lengths[1900] = 2000, lengths[1901] = 2001;
  const auto order = listed(length_order(with_lengths(lengths, 4000, 7).view()));
  EXPECT_EQ(std::vector<Index>(order.begin(), order.begin() + 5), (std::vector<Index>{6, 1901, 5, 1900, 0}));
}

TEST(LengthOrder, agrees_with_a_stable_sort_on_every_specimen_and_window) {
  for (const Specimen& specimen : zoo(Zoo::full))
    for (const std::int64_t window : {0, 1, 32, 1000}) {
      const Csr<double>& A = specimen.A;
      std::vector<Index> expected(static_cast<std::size_t>(A.rows));
      std::iota(expected.begin(), expected.end(), Index{0});
      const std::int64_t step = window == 0 ? std::max<std::int64_t>(A.rows, 1) : window;
      for (std::int64_t first = 0; first < A.rows; first += step)
        std::stable_sort(expected.begin() + first, expected.begin() + std::min(first + step, A.rows),
                         [&](Index a, Index b) { return A.view().length(a) > A.view().length(b); });
      EXPECT_EQ(listed(length_order(A.view(), window)), expected) << specimen.name << ", window " << window;
    }
}

TEST(Permute, moves_rows_and_columns_of_a_rectangular_matrix_independently) {
  const Csr<double> A = from_entries(2, 3, {{0, 0, 1}, {0, 2, 2}, {1, 1, 3}});
  const Permutation rows{{1, 0}}, cols{{2, 0, 1}};
  EXPECT_TRUE(identical(permute(A.view(), rows, cols), from_entries(2, 3, {{1, 0, 2}, {1, 1, 1}, {0, 2, 3}})));
  EXPECT_TRUE(identical(permute_rows(A.view(), rows), from_entries(2, 3, {{1, 0, 1}, {1, 2, 2}, {0, 1, 3}})));
  EXPECT_THROW((void)permute(A.view(), cols, rows), Error);
}

TEST(Permute, keeps_every_bit_of_every_value) {
  Csr<float> A = convert<float>(with_lengths({7, 0, 3, 5}, 9, 2).view());
  const float odd[] = {-0.f, 0.f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::denorm_min()};
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = odd[k % 4];
  const Permutation rows = shuffled(4, 5), cols = shuffled(9, 6);
  EXPECT_TRUE(identical(permute(permute(A.view(), rows, cols).view(), rows.inverse(), cols.inverse()), A));
}

TEST(Bandwidth, is_the_largest_distance_from_the_diagonal) {
  EXPECT_EQ(bandwidth(from_entries(0, 0, {}).view()), 0);
  EXPECT_EQ(bandwidth(from_entries(3, 9, {}).view()), 0);
  EXPECT_EQ(bandwidth(from_entries(9, 9, {{4, 4, 1}}).view()), 0);
  EXPECT_EQ(bandwidth(from_entries(9, 9, {{4, 4, 1}, {8, 2, 1}}).view()), 6);
  EXPECT_EQ(bandwidth(from_entries(3, 9, {{0, 1, 1}, {1, 8, 1}}).view()), 7);
}

}  // namespace
}  // namespace heddle::test
