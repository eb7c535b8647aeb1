#include "formats/ell/ell.hpp"

#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "support/zoo.hpp"

namespace heddle::test {
namespace {

// F1: 8 rows, 13 entries, longest row 3. The paper counts places of the 8 rows; memory has 32 of them a column.
TEST(Ell, stores_24_places_with_11_zeros_for_the_example_of_paper_3) {
  const Csr<double> A = with_lengths({2, 1, 1, 1, 1, 2, 3, 2}, 8, 1);
  const auto made = EllFormat<double>::build({A.view()}, {});
  const Sliced& shape = made.part.shape;
  const std::int64_t width = made.part.val.size() / shape.stride(0);
  EXPECT_EQ(width * A.rows, 24);
  EXPECT_EQ(width * A.rows - A.nnz(), 11);
  EXPECT_EQ(made.part.val.size(), width * 32);
}

// F3: a diagonal and one full row.
TEST(Ell, stores_n_squared_places_for_a_diagonal_and_one_full_row) {
  const std::int64_t n = 96;
  std::vector<Entry> entries;
  for (Index i = 0; i < n; ++i) entries.push_back({i, i, 1});
  for (Index i = 0; i < n; ++i)
    if (i != 5) entries.push_back({5, i, 1});
  const Csr<double> A = from_entries(n, n, entries);
  ASSERT_EQ(A.nnz(), 2 * n - 1);
  EXPECT_EQ(footprint(A.view(), Plan::parse("ell")).stored, n * n);
}

TEST(Ell, keeps_no_array_beside_columns_and_values) {
  const Csr<double> A = with_lengths({2, 1, 4}, 8, 1);
  EXPECT_EQ(footprint(A.view(), Plan::parse("ell"), 8).bytes, 32 * 4 * (4 + 8));
  EXPECT_EQ(footprint(A.view(), Plan::parse("ell"), 4).bytes, 32 * 4 * (4 + 4));
}

TEST(Ell, and_its_relatives_refuse_a_matrix_with_one_row_of_a_million) {
  std::vector<std::int64_t> lengths(200000, 1);
  Buffer<Offset> ptr(200001);
  ptr[0] = 0;
  for (std::int64_t row = 0; row < 200000; ++row) ptr[row + 1] = ptr[row] + (row == 77 ? 1000000 : 1);
  Csr<float> A{200000, 1000000, std::move(ptr), Buffer<Index>(1199999), Buffer<float>(1199999)};
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.col[k] = k < 77 || k >= 1000077 ? 0 : static_cast<Index>(k - 77);
  std::fill(A.val.begin(), A.val.end(), 1.f);
  for (const char* plan :
       {"ell", "ellr", "ellr T=8", "sell C=32", "sell C=1024 sigma=4096", "rgcsr", "rgcsr group=32"}) {
    const Footprint need = footprint(A.view(), Plan::parse(plan), 4);
    EXPECT_FALSE(need.fits) << plan;
    EXPECT_FALSE(need.reason.empty()) << plan;
    EXPECT_THROW((void)build(A, Plan::parse(plan)), Error) << plan;
  }
}

}  // namespace
}  // namespace heddle::test
