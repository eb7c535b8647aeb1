#include <gtest/gtest.h>

#include <heddle/analyze.hpp>
#include <heddle/generate.hpp>

#include "analyze/block_windows.hpp"
#include "analyze/column_tiles.hpp"
#include "analyze/kinds.hpp"
#include "analyze/windows.hpp"
#include "support/looks.hpp"
#include "support/zoo.hpp"

namespace heddle {
namespace {

Csr<double> tridiagonal(std::int64_t n) {
  return generate<double>("band,rows=" + std::to_string(n) + ",width=1,fill=1");
}

double stored(const Structure& facts, int C, std::int64_t sigma) {
  for (const SlicePadding& p : facts.padding)
    if (p.C == C && p.sigma == sigma) return p.stored;
  ADD_FAILURE() << "no padding for " << C << ", " << sigma;
  return -1;
}

//  64 rows: 63 of one entry and one of 33 in the middle. Slices of 32: 32 * 1 + 32 * 33; sorted: the same, the long row
//  just leads its slice. Slices of 128: 128 * 33.
TEST(Padding, counts_what_slices_store) {
  std::vector<std::int64_t> lengths(64, 1);
  lengths[40] = 33;
  const Structure facts = analyze(test::with_lengths(lengths, 50, 1));
  const double nnz = 63 + 33;
  EXPECT_DOUBLE_EQ(stored(facts, 32, 1), (32 * 1 + 32 * 33) / nnz);
  EXPECT_DOUBLE_EQ(stored(facts, 32, 256), (32 * 1 + 32 * 33) / nnz);
  EXPECT_DOUBLE_EQ(stored(facts, 128, 1), 128 * 33 / nnz);
}

TEST(Padding, falls_when_rows_are_sorted_in_windows) {
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < 1024; ++i) lengths.push_back(i % 32 == 0 ? 300 : 2);  // one long row in each slice
  const Structure facts = analyze(test::with_lengths(lengths, 400, 1));
  const double nnz = 32 * 300 + 992 * 2;
  EXPECT_DOUBLE_EQ(stored(facts, 32, 1), 1024 * 300 / nnz);
  EXPECT_DOUBLE_EQ(stored(facts, 32, 256), (4 * 32 * 300 + 4 * 7 * 32 * 2) / nnz);
  EXPECT_DOUBLE_EQ(stored(facts, 32, 1024), (32 * 300 + 31 * 32 * 2) / nnz);
}

TEST(Padding, agrees_with_what_sell_stores) {
  for (const auto& specimen : test::zoo(test::Zoo::small)) {
    if (specimen.A.nnz() == 0 || specimen.A.rows % 32 != 0) continue;
    const Structure facts = analyze(specimen.A);
    std::int64_t exact = 0;
    for (std::int64_t first = 0; first < specimen.A.rows; first += 32) {
      std::int64_t longest = 0;
      for (std::int64_t row = first; row < first + 32; ++row)
        longest = std::max(longest, specimen.A.view().length(row));
      exact += 32 * longest;
    }
    EXPECT_DOUBLE_EQ(stored(facts, 32, 1) * static_cast<double>(specimen.A.nnz()), static_cast<double>(exact));
  }
}

TEST(Columns, of_a_diagonal_touch_each_sector_once) {
  const Structure facts = analyze(generate<double>("band,rows=4096,width=0,fill=1"));
  EXPECT_DOUBLE_EQ(facts.gather_f64.rows, 1 / 4.0);
  EXPECT_DOUBLE_EQ(facts.gather_f64.entries, 1 / 4.0);
  EXPECT_DOUBLE_EQ(facts.gather_f64.window, 1 / 4.0);
  EXPECT_DOUBLE_EQ(facts.gather_f32.rows, 1 / 8.0);
  EXPECT_DOUBLE_EQ(facts.columns.mean_run, 1);
  EXPECT_EQ(facts.diagonals.full, 1);
  EXPECT_DOUBLE_EQ(facts.diagonals.full_share, 1);
  EXPECT_DOUBLE_EQ(facts.diagonals.slice_fill, 1);
}

TEST(Columns, of_a_dense_matrix_are_shared_by_all_rows_of_a_window) {
  const Structure facts = analyze(generate<double>("dense,rows=64"));
  EXPECT_DOUBLE_EQ(facts.columns.mean_run, 64);
  EXPECT_DOUBLE_EQ(facts.columns.delta4, 1);
  EXPECT_DOUBLE_EQ(facts.gather_f64.rows, 1 / 32.0);    // 32 rows read the same element
  EXPECT_DOUBLE_EQ(facts.gather_f64.entries, 1 / 4.0);  // 32 neighbours, 4 a sector
  EXPECT_DOUBLE_EQ(facts.gather_f64.window, 16.0 / (64 * 64));
}

TEST(Columns, far_apart_cost_a_sector_each_and_do_not_fit_16_bits) {
  const Structure facts = analyze(generate<double>("random,rows=2000,cols=1M,per_row=8"));
  EXPECT_GT(facts.gather_f32.rows, 0.99);
  EXPECT_GT(facts.gather_f32.entries, 0.99);
  EXPECT_GT(facts.gather_f32.window, 0.95);
  EXPECT_EQ(facts.columns.slices16, 0);
  EXPECT_LT(facts.columns.near16, 0.1);
  EXPECT_LT(facts.columns.delta8, 0.1);
  EXPECT_EQ(facts.diagonals.full, 0);
  EXPECT_GT(facts.columns.tile_rows, 0.8);
}

TEST(Columns, of_constant_stencils_lie_on_constant_diagonals_and_of_varying_ones_do_not) {
  const Diagonals constant = analyze(generate<double>("stencil2d5,n=80")).diagonals;
  EXPECT_EQ(constant.full, 5);
  EXPECT_EQ(constant.constant, 5);
  EXPECT_NEAR(constant.full_share, 1, 1e-12);
  EXPECT_LT(constant.slice_fill, 1.1);
  const Diagonals varying = analyze(generate<double>("stencil2d5,n=80,coefficients=varying")).diagonals;
  EXPECT_EQ(varying.full, 5);
  EXPECT_EQ(varying.constant, 0);
}

TEST(Columns, of_grids_repeat_and_of_torn_bands_do_not) {
  const auto patterns = [](const char* text) {
    return analyze(generate<double>(text), Detail::planning).diagonals.patterns;
  };
  EXPECT_LE(patterns("stencil2d5,n=128"), 12);
  EXPECT_LE(patterns("stencil3d7,n=64"), 100);  // of 2048 slices, sampled
  EXPECT_EQ(patterns("band,rows=12800,width=2,fill=0.8"), 100);
  EXPECT_GT(patterns("band,rows=400000,width=2,fill=0.8"), 0.5 * 400000 / 128);
}

TEST(Kinds, are_guessed_from_a_sample) {
  test::Dice dice(3);
  for (const std::int64_t kinds : {1, 30, 1000, 8000, 40000}) {
    std::vector<bool> met(static_cast<std::size_t>(kinds));
    for (int i = 0; i < 4096; ++i) met[dice.next() % static_cast<std::uint64_t>(kinds)] = true;
    const auto seen = std::count(met.begin(), met.end(), true);
    EXPECT_NEAR(static_cast<double>(kinds_in_all(seen, 4096, 1'000'000)), static_cast<double>(kinds),
                0.1 * static_cast<double>(kinds));
  }
  EXPECT_EQ(kinds_in_all(0, 0, 7), 7);
  EXPECT_EQ(kinds_in_all(50, 50, 60), 60);  // never more than there are things
}

// What sampling says of a large matrix is near to what looking at all of it says.
TEST(Columns, sampled_are_like_the_whole) {
  for (const char* text : {"stencil3d7,n=50", "fem,n=16,dof=3", "rmat,scale=14", "circuit,rows=60000"}) {
    const Csr<double> A = generate<double>(text);
    const ColumnFacts whole = test::columns_of(A.view(), A.nnz()), part = test::columns_of(A.view(), A.nnz() / 8);
    EXPECT_EQ(whole.entries, A.nnz());
    EXPECT_LT(part.entries, A.nnz() / 4) << text;
    EXPECT_NEAR(part.gather_f64.rows, whole.gather_f64.rows, 0.15 * whole.gather_f64.rows) << text;
    EXPECT_NEAR(part.gather_f64.entries, whole.gather_f64.entries, 0.15 * whole.gather_f64.entries) << text;
    EXPECT_NEAR(part.columns.delta8, whole.columns.delta8, 0.1) << text;
    EXPECT_NEAR(part.columns.near16, whole.columns.near16, 0.1) << text;
  }
}

// The cost of planning in entries read, which no other work on the machine can change.
TEST(Columns, are_sampled_from_a_bounded_number_of_entries) {
  for (const std::int64_t nnz : {std::int64_t{1} << 18, std::int64_t{1} << 22, std::int64_t{1} << 26})
    for (const Detail detail : {Detail::all, Detail::planning}) {
      EXPECT_LE(column_sample(nnz, detail), nnz / 16);
      EXPECT_LE(block_sample(nnz, detail), nnz / 16);
    }
  const Csr<double> A = tridiagonal(400000);
  const Structure facts = analyze(A, Detail::planning);
  EXPECT_LE(facts.sampled_entries, 2 * column_sample(A.nnz(), Detail::planning));
  EXPECT_GE(facts.sampled_entries, column_sample(A.nnz(), Detail::planning) / 4);
}

TEST(Windows, stay_inside_the_matrix_and_below_their_bounds) {
  for (const char* text : {"circuit,rows=50000", "arrow,rows=60000", "lp,rows=20,cols=100000,per_row=30000",
                           "empty,rows=100000,share=0.9"}) {
    const Csr<double> A = generate<double>(text);
    const RowWindows windows(A.view(), A.nnz() / 8);
    ASSERT_GT(windows.count, 0);
    for (std::int64_t i = 0; i < windows.count; ++i) {
      const RowWindow w = windows[i];
      EXPECT_LT(w.first, w.last) << text;
      EXPECT_LE(w.last, A.rows) << text;
      EXPECT_LE(w.last - w.first, WindowChoice::rows) << text;
      EXPECT_LT(w.begin, w.end) << text;
      EXPECT_GE(w.begin, A.ptr[w.first]) << text;
      EXPECT_LE(w.end, A.ptr[w.last]) << text;
      EXPECT_LE(w.end - w.begin, 2 * WindowChoice::entries) << text;
    }
  }
}

TEST(PatternHash, names_the_pattern_and_not_the_values) {
  Csr<double> A = generate<double>("rmat,scale=8");
  const std::uint64_t hash = test::hash_of(A.view());
  A.val[3] = 7;
  EXPECT_EQ(test::hash_of(A.view()), hash);
  EXPECT_EQ(analyze(A).pattern_hash, hash);
  EXPECT_NE(test::hash_of(generate<double>("rmat,scale=8,seed=2").view()), hash);
  Csr<double> wider = A;
  ++wider.cols;
  EXPECT_NE(test::hash_of(wider.view()), hash);
}

// Rows {0, 1, 50} and {99}.
TEST(ColumnTiles, count_pairs_of_rows_and_tiles_per_entry) {
  const Csr<double> A = test::from_entries(2, 100, {{0, 0, 1}, {0, 1, 1}, {0, 50, 1}, {1, 99, 1}});
  EXPECT_DOUBLE_EQ(column_tiles(A.view(), 32).natural, 3.0 / 4);
  EXPECT_DOUBLE_EQ(column_tiles(A.view(), 100).natural, 2.0 / 4);
  EXPECT_DOUBLE_EQ(column_tiles(A.view(), 2).by_degree, 3.0 / 4) << "columns 0, 1 and 50, 99";
  EXPECT_DOUBLE_EQ(column_tiles(test::from_entries(3, 3, {}).view(), 32).natural, 1);
}

// Popular columns lie far apart; in the order of degrees they share a tile. Uniform columns gain nothing, and a sample
// must not make it seem so.
TEST(ColumnTiles, in_the_order_of_degrees_hold_what_is_popular_together) {
  const ColumnTiles skewed = column_tiles(generate<double>("rmat,scale=16,edges=16").view(), 1 << 12);
  EXPECT_LT(skewed.by_degree, 0.8 * skewed.natural);
  const ColumnTiles uniform = column_tiles(generate<double>("random,rows=200k,per_row=6").view(), 1 << 12);
  EXPECT_GT(uniform.by_degree, 0.95 * uniform.natural);
}

// As above, from the sample that planning takes.
TEST(ColumnDegrees, tell_popular_columns_from_columns_like_any_other) {
  const Columns skewed = analyze(generate<double>("rmat,scale=17,edges=10"), Detail::planning).columns;
  EXPECT_LT(skewed.tile_rows_by_degree, 0.9 * skewed.tile_rows);
  const Columns uniform = analyze(generate<double>("random,rows=150k,per_row=8"), Detail::planning).columns;
  EXPECT_GT(uniform.tile_rows_by_degree, 0.95 * uniform.tile_rows);
}

TEST(Detail, of_planning_looks_at_larger_blocks_only_where_2x2_ones_hold_something) {
  EXPECT_EQ(analyze(generate<double>("random,rows=3000,per_row=6"), Detail::planning).blocks.size(), 1u);
  const Structure fem = analyze(generate<double>("fem,n=8,dof=3"), Detail::planning);
  EXPECT_GT(fem.blocks.size(), 4u);
  for (const BlockFill& block : fem.blocks)
    if (block.r == 3 && block.c == 3) {
      EXPECT_DOUBLE_EQ(block.fill, 1);
    }
}

TEST(Detail, of_planning_gives_the_facts_a_choice_needs) {
  const Csr<double> A = generate<double>("fem,n=8,dof=3");
  const Structure all = analyze(A), some = analyze(A, Detail::planning);
  EXPECT_EQ(all.rows_len.counts, some.rows_len.counts);
  EXPECT_EQ(all.pattern_hash, some.pattern_hash);
  EXPECT_TRUE(all.symmetric);
  EXPECT_FALSE(some.symmetric);
  std::int64_t rows = 0, entries = 0;
  for (std::size_t k = 0; k < all.rows_len.counts.size(); ++k) {
    rows += all.rows_len.counts[k];
    entries += all.rows_len.counts[k] * static_cast<std::int64_t>(k);
  }
  EXPECT_EQ(rows, A.rows);
  EXPECT_EQ(entries, A.nnz());
}

}  // namespace
}  // namespace heddle
