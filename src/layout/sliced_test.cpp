#include "layout/sliced.hpp"

#include <gtest/gtest.h>

#include <set>

#include "layout/sliced_build.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

constexpr SlicedArrays all_arrays{.start = true, .length = true, .row_of = false};

// Paper 3's example (F1): 13 entries, row lengths 2 1 1 1 1 2 3 2.
Csr<double> paper_3_example() { return with_lengths({2, 1, 1, 1, 1, 2, 3, 2}, 8, 1); }

TEST(Sliced, groups_of_four_rows_start_where_paper_3_says) {
  const Csr<double> A = paper_3_example();
  const Sliced shape{.rows = 8, .slice = 4, .cut = true};
  const auto made = build_sliced(A.view(), shape, {}, all_arrays, RowPieces{A.ptr});
  EXPECT_EQ(std::vector<Offset>(made.start.begin(), made.start.end()), (std::vector<Offset>{0, 8, 20}));
  EXPECT_EQ(made.val.size() - A.nnz(), 7);
}

TEST(Sliced, gives_every_entry_a_place_of_its_own_by_the_index_formula) {
  const Csr<double> A = with_lengths({5, 0, 3, 9, 1, 4, 4, 7, 2, 6, 8}, 20, 2);
  for (const bool cut : {false, true})
    for (const int T : {1, 2, 4, 8})
      for (const std::int64_t C : {2, 3, 4, 7, 11, 32}) {
        SCOPED_TRACE("C = " + std::to_string(C) + ", T = " + std::to_string(T));
        const Sliced shape{.rows = A.rows, .slice = C, .lanes = T, .cut = cut};
        const auto made = build_sliced(A.view(), shape, {}, all_arrays, RowPieces{A.ptr});
        std::set<Offset> used;
        for (std::int64_t row = 0; row < A.rows; ++row)
          for (std::int64_t k = 0; k < A.view().length(row); ++k) {
            const std::int64_t s = row / C, height = cut && (s + 1) * C > A.rows ? A.rows % C : C;
            const Offset place = made.start[s] + (k / T * height + row % C) * T + k % T;
            EXPECT_EQ(made.col[place], A.col[A.ptr[row] + k]);
            EXPECT_EQ(made.val[place], A.val[A.ptr[row] + k]);
            used.insert(place);
          }
        EXPECT_EQ(static_cast<std::int64_t>(used.size()), A.nnz());
        for (Offset place = 0; place < made.val.size(); ++place)
          if (!used.contains(place)) {
            EXPECT_EQ(made.col[place], -1);
          }
      }
}

TEST(Sliced, stores_the_first_entries_of_rows_that_are_cut) {
  const Csr<double> A = with_lengths({5, 0, 3, 9, 1, 4}, 20, 3);
  const auto made =
      build_sliced(A.view(), one_slice(A.rows), {}, {.start = false, .length = false}, RowPieces{A.ptr, 3});
  const Csr<double> cut = restore_sliced(made.view(), A.cols);
  EXPECT_EQ(std::vector<Offset>(cut.ptr.begin(), cut.ptr.end()), (std::vector<Offset>{0, 3, 3, 6, 9, 10, 13}));
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = 0; k < cut.view().length(row); ++k) EXPECT_EQ(cut.col[cut.ptr[row] + k], A.col[A.ptr[row] + k]);
}

TEST(Sliced, stores_a_run_out_of_the_middle_of_a_row_as_16_bit_distances) {
  const Csr<double> A = from_entries(2, 40000, {{0, 0, 1}, {0, 32767, 2}, {0, 32768, 3}, {1, 1, 4}, {1, 32768, 5}});
  const auto near = [&](std::int64_t row) {
    RowPiece piece{A.ptr[row], 0};
    while (piece.first + piece.length < A.ptr[row + 1] && Column16::holds(row, A.col[piece.first + piece.length]))
      ++piece.length;
    return piece;
  };
  const auto made = build_sliced<double, Column16>(A.view(), one_slice(2), {}, {.start = false}, near);
  const Csr<double> kept = restore_sliced(made.view(), A.cols);
  EXPECT_TRUE(identical(kept, from_entries(2, 40000, {{0, 0, 1}, {0, 32767, 2}, {1, 1, 4}, {1, 32768, 5}})));
}

TEST(Column16, holds_distances_from_minus_32768_to_32767_and_no_others) {
  for (const std::int64_t row : {0, 40000, 100000})
    for (const std::int64_t distance : {-32769, -32768, -1, 0, 1, 32767, 32768}) {
      const auto col = static_cast<Index>(row + distance);
      ASSERT_EQ(Column16::holds(row, col), distance >= -32768 && distance <= 32767) << distance;
      if (Column16::holds(row, col)) {
        EXPECT_EQ(Column16::decode(row, Column16::encode(row, col)), col);
      }
    }
}

TEST(Sliced, counts_bytes_that_do_not_fit_63_bits_as_not_fitting) {
  const Index long_row = INT32_MAX;
  Sliced shape{.rows = 1, .slice = std::int64_t{1} << 31};
  const Footprint need = sliced_footprint(shape, {&long_row, 1}, all_arrays, 12);
  EXPECT_EQ(need.stored, std::int64_t{INT32_MAX} << 31);
  EXPECT_FALSE(need.fits);
}

}  // namespace
}  // namespace heddle::test
