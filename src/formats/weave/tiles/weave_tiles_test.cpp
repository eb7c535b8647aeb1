#include "formats/weave/tiles/tiles.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include <heddle/heddle.hpp>

#include "formats/weave/tiles/tiles_cut.hpp"
#include "formats/weave/weave.hpp"
#include "support/oracle.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

using weave::ColumnOrder;
using weave::TileBlock;
using weave::Tiles;

template <class T>
std::vector<T> list(const Buffer<T>& buffer) {
  return {buffer.begin(), buffer.end()};
}

Tiles<double> built(const Csr<double>& A, int width, ColumnOrder order = ColumnOrder::natural, int per_lane = 4) {
  return Tiles<double>::build(A.view(), {.per_lane = per_lane, .width = width, .order = order});
}

template <class V>
std::vector<V> dice_vector(std::int64_t size, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<V> v(static_cast<std::size_t>(size));
  for (V& e : v) e = static_cast<V>(dice.integer());
  return v;
}

template <class V>
void expect_right(const Csr<V>& A, const std::string& plan) {
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    SCOPED_TRACE(plan + " on " + to_string(device));
    const auto op = build(A, Plan::parse(plan), {device});
    EXPECT_TRUE(identical(op.restore(), A));
    EXPECT_EQ(op.bytes(), footprint(A.view(), op.plan(), sizeof(V)).bytes);
    const auto x = dice_vector<V>(A.cols, 1), y = dice_vector<V>(A.rows, 2);
    std::vector<V> got = y;
    op.multiply(V(2), x, V(-1), got);
    EXPECT_EQ(got, exact_product(A, V(2), x, V(-1), y));
  }
}

void expect_right_in_every_way(const Csr<double>& A) {
  for (const char* order : {"natural", "degree"})
    for (const char* width : {"32", "37", "100", "auto"})
      for (const char* per_lane : {"4", "8"}) {
        const std::string plan =
            std::string("weave layout=tiles order=") + order + " width=" + width + " per_lane=" + per_lane;
        expect_right(A, plan);
        expect_right(convert<float>(A.view()), plan);
      }
}

std::int64_t ends_of(const Tiles<double>& A) {
  std::int64_t ends = 0;
  for (const std::uint32_t bits : A.ends) ends += std::popcount(bits);
  return ends;
}

// Row `heavy` has every column, each other row its own and column `popular`.
Csr<double> arrow(std::int64_t n, Index heavy, Index popular) {
  Dice dice(5);
  std::vector<Entry> entries;
  for (Index row = 0; row < n; ++row)
    for (Index col = 0; col < n; ++col)
      if (row == heavy || col == popular || row == col) entries.push_back({row, col, dice.integer()});
  return from_entries(n, n, entries);
}

TEST(Tiles, groups_entries_by_tile_and_row_and_lists_the_partials_of_each_row) {
  const Csr<double> A = from_entries(4, 70, {{0, 0, 1}, {0, 1, 2}, {0, 33, 3}, {2, 5, 4}, {2, 69, 5}, {3, 40, 6}});
  const Tiles<double> tiles = built(A, 32);
  // Tile 0: row 0 twice, row 2. Tile 1: rows 0 and 3. Tile 2: row 2.
  EXPECT_EQ(list(tiles.rank), (std::vector<Index>{0, 2, 4}));
  EXPECT_EQ(list(tiles.row_start), (std::vector<Index>{0, 2, 2, 4, 5}));
  EXPECT_EQ(list(tiles.of_row), (std::vector<Index>{0, 2, 1, 4, 3}));
  EXPECT_EQ(tiles.ends[0], 0b0110);
  EXPECT_EQ(tiles.col[0], 0);
  EXPECT_EQ(tiles.col[1], 1);
  EXPECT_EQ(tiles.col[2], 5);
  EXPECT_EQ(tiles.col[tiles.unit_entries()], 1) << "33 - 32";
  EXPECT_EQ(tiles.col[2 * tiles.unit_entries()], 5) << "69 - 64";
}

TEST(Tiles, numbers_columns_by_degree_and_leaves_out_those_without_entries) {
  const Csr<double> A =
      from_entries(3, 50, {{0, 7, 1}, {1, 7, 1}, {2, 7, 1}, {0, 3, 1}, {1, 49, 1}, {2, 49, 1}, {2, 4, 1}});
  const Tiles<double> tiles = built(A, 32, ColumnOrder::degree);
  EXPECT_EQ(list(tiles.column_of), (std::vector<Index>{7, 49, 3, 4}));
  EXPECT_EQ(tiles.packed_x.size(), 4);
  ASSERT_EQ(tiles.blocks.size(), 1);
  EXPECT_EQ(tiles.blocks[0].columns, 4);
  EXPECT_TRUE(identical(tiles.restore(), A));
}

TEST(Tiles, have_classes_of_degrees_that_rise_with_them) {
  for (std::uint32_t degree = 0; degree < 32; ++degree) EXPECT_EQ(weave::degree_class(degree), degree);
  int before = weave::degree_class(31);
  for (std::uint64_t degree = 32; degree <= UINT32_MAX; degree += degree / 16 + 1) {
    const int its_class = weave::degree_class(static_cast<std::uint32_t>(degree));
    EXPECT_TRUE(its_class == before || its_class == before + 1) << degree;
    before = its_class;
  }
  EXPECT_LT(weave::degree_class(UINT32_MAX), weave::degree_classes);
}

TEST(Tiles, ends_a_run_where_its_unit_ends_and_nowhere_else) {
  const std::int64_t unit = 32 * 4;
  for (const std::int64_t length : {unit - 1, unit, unit + 1, 2 * unit, 2 * unit + 1}) {
    const Csr<double> A = with_lengths({length, 1}, 1000, 3);
    const Tiles<double> tiles = built(A, 1000);
    const std::int64_t pieces = (length + unit - 1) / unit;
    EXPECT_EQ(tiles.partials.size(), pieces + 1) << length;
    EXPECT_EQ(ends_of(tiles), pieces + 1) << length;
    EXPECT_EQ(tiles.row_start[1], pieces) << length;
  }
}

TEST(Tiles, makes_no_block_for_a_tile_without_entries) {
  const Csr<double> A = from_entries(2, 10000, {{0, 5, 1}, {1, 9999, 2}});
  const Tiles<double> tiles = built(A, 32);
  ASSERT_EQ(tiles.blocks.size(), 2);
  EXPECT_EQ(tiles.blocks[0].column, 0);
  EXPECT_EQ(tiles.blocks[1].column, 9984);
  EXPECT_EQ(tiles.blocks[1].columns, 16);
}

TEST(Tiles, shares_a_heavy_tile_among_blocks_that_cover_every_unit_once) {
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(300, 60), 100, 4);
  const Tiles<double> tiles = built(A, 64);
  ASSERT_GT(tiles.blocks.size(), 10);
  std::vector<int> covered(static_cast<std::size_t>(tiles.rank.size()), 0);
  for (const TileBlock& block : tiles.blocks)
    for (Index i = 0; i < block.units; ++i) ++covered[static_cast<std::size_t>(block.unit + i)];
  EXPECT_EQ(covered, std::vector<int>(covered.size(), 1));
}

// Snapshot.
TEST(Tiles, have_no_more_blocks_than_two_rounds_of_a_large_gpu) {
  for (const std::int64_t rows : {300, 1000, 3000, 9000}) {
    const std::int64_t blocks = built(with_lengths(std::vector<std::int64_t>(rows, 70), 700, 4), 100).blocks.size();
    EXPECT_LE(blocks, 264) << rows;
    EXPECT_GE(blocks, rows < 1000 ? 80 : 120) << rows;
    EXPECT_FALSE(blocks > 132 && blocks < 240) << rows << " rows: a round with idle multiprocessors";
  }
}

TEST(Tiles, fill_the_shared_memory_of_a_block_and_no_more) {
  for (const int per_lane : {4, 8})
    for (const int bytes : {4, 8}) {
      const std::int64_t columns = weave::widest_tile(per_lane, bytes);
      EXPECT_LE((columns + 1024 * per_lane) * bytes, 227 * 1024);
      EXPECT_LE(columns, 65536);
      EXPECT_GT(columns * bytes, 160 * 1024);
    }
  const Csr<double> wide = with_lengths({3000, 40, 0, 7}, 70000, 8);
  EXPECT_EQ(built(wide, 65536).width, weave::widest_tile(4, sizeof(double)));
  EXPECT_EQ(built(arrow(40, 0, 0), 65536).width, 40);
}

TEST(Tiles, multiply_and_restore_rows_that_cross_tiles_and_units) {
  expect_right_in_every_way(arrow(300, 17, 250));
  expect_right_in_every_way(with_lengths({0, 700, 3, 0, 129, 128, 127, 1, 1, 0}, 900, 6));
}

TEST(Tiles, add_up_a_giant_row_with_a_warp_and_the_others_with_threads) {
  std::vector<std::int64_t> lengths(400, 2);
  lengths[100] = 9000;
  const Csr<double> A = with_lengths(lengths, 12000, 7);
  const Tiles<double> tiles = built(A, 4096);
  EXPECT_EQ(list(tiles.long_rows), (std::vector<Index>{100}));
  expect_right(A, "weave layout=tiles width=4096");
  expect_right(A, "weave layout=tiles width=1000 order=degree per_lane=8");
}

TEST(Tiles, take_every_shape_without_entries) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 5}, {5, 0}, {40, 40}})
    expect_right_in_every_way(from_entries(rows, cols, {}));
}

TEST(Tiles, hold_values_in_every_codec) {
  Csr<double> A = arrow(200, 3, 9);
  for (const char* codec : {"raw", "f32", "dictionary"})
    expect_right(A, std::string("weave layout=tiles width=64 per_lane=8 order=degree values=") + codec);
}

// Places without an entry are multiplied with something; it must not be seen.
TEST(Tiles, keep_what_is_behind_the_last_entry_out_of_every_sum) {
  Csr<double> A = from_entries(3, 3, {{0, 0, 1}, {1, 1, 2}, {2, 2, 3}});
  const double infinity = std::numeric_limits<double>::infinity();
  A.val[0] = -infinity;  // the first value of a dictionary is the one such places name
  for (const char* codec : {"raw", "dictionary"})
    for (const Device device : {Device::cpu(), Device::emulator()}) {
      const auto op = build(A, Plan::parse(std::string("weave layout=tiles values=") + codec), {device});
      std::vector<double> y(3);
      op.multiply(std::vector<double>{infinity, 5, 7}, y);
      EXPECT_EQ(y, (std::vector<double>{-infinity, 10, 21})) << codec;
    }
}

// A pattern large enough for several chunks of rows: the same arrays whoever builds them.
TEST(Tiles, build_the_same_arrays_with_any_number_of_threads) {
  std::vector<std::int64_t> lengths(9000);
  for (std::size_t row = 0; row < lengths.size(); ++row) lengths[row] = static_cast<std::int64_t>(row * 7919 % 47);
  const Csr<double> A = with_lengths(lengths, 3000, 9);
  ASSERT_GT(A.nnz(), 3 << 16);
  for (const ColumnOrder order : {ColumnOrder::natural, ColumnOrder::degree}) {
    set_threads(1);
    const Tiles<double> one = built(A, 500, order);
    set_threads(4);
    const Tiles<double> four = built(A, 500, order);
    EXPECT_EQ(list(one.col), list(four.col));
    EXPECT_EQ(list(one.ends), list(four.ends));
    EXPECT_EQ(list(one.rank), list(four.rank));
    EXPECT_EQ(list(one.of_row), list(four.of_row));
    EXPECT_EQ(list(one.ended_before), list(four.ended_before));
    EXPECT_EQ(list(one.values.raw), list(four.values.raw));
    EXPECT_EQ(ends_of(one), one.partials.size());
    EXPECT_TRUE(identical(one.restore(), A));
  }
}

TEST(Tiles, need_at_most_what_is_said_before_a_look_at_the_entries) {
  for (const std::int64_t length : {1, 20})
    for (const ColumnOrder order : {ColumnOrder::natural, ColumnOrder::degree}) {
      const weave::TilesSettings settings{.per_lane = 4, .width = 500, .order = order};
      const Csr<double> A = with_lengths(std::vector<std::int64_t>(3000, length), 3000, 10);
      const Footprint most = Tiles<double>::at_most(A.view(), settings, 8);
      const Footprint exact = Tiles<double>::footprint(A.view(), settings, 8);
      EXPECT_GE(most.bytes, exact.bytes);
      EXPECT_GE(most.stored, exact.stored);
      EXPECT_TRUE(most.fits);
    }
}

// Each row has ten columns that all rows have, far apart, and one that no other row has.
// Snapshot.
TEST(Tiles, order_columns_by_degree_where_that_saves_partials) {
  std::vector<Entry> popular, band;
  for (Index row = 0; row < 200; ++row) {
    popular.push_back({row, static_cast<Index>(row * 4 + 1), 1});
    for (Index i = 0; i < 10; ++i) popular.push_back({row, 80 * i, 1});
    for (Index i = 0; i < 10; ++i) band.push_back({row, row * 3 + i, 1});
  }
  const auto order = [](const std::vector<Entry>& entries, const char* width) {
    const Plan plan = Plan::parse(std::string("weave layout=tiles width=") + width);
    return *resolve(from_entries(200, 801, entries).view(), plan).find("order");
  };
  EXPECT_EQ(order(popular, "64"), "degree");
  EXPECT_EQ(order(popular, "auto"), "natural") << "one tile has all columns";
  EXPECT_EQ(order(band, "64"), "natural");
}

}  // namespace
}  // namespace heddle::test
