// What is special about layout=segments: rows that fit a tile and those that have teams, tiles of empty rows, chunks.
#include "formats/weave/segments/segments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <heddle/generate.hpp>
#include <heddle/operator.hpp>

#include "support/every_shape.hpp"
#include "support/exact.hpp"

namespace heddle::test {
namespace {

TEST(WeaveSegments, puts_the_pieces_of_long_rows_together) {
  for (const int per_lane : {4, 8}) {
    const std::int64_t tile = 32 * per_lane;
    for (const std::int64_t length : {tile / 4 - 1, tile / 4, tile - 1, tile, tile + 1, 3 * tile, 10 * tile + 5,
                                      16 * tile, 16 * tile + 1, 40 * tile + 5})
      for (const std::int64_t before : {std::int64_t{0}, std::int64_t{1}, tile - 3, tile}) {
        const Csr<double> A = with_lengths({before, length, 0, 2, length, 0, 0}, 45 * tile, 3);
        expect_exact(A, "weave layout=segments per_lane=" + std::to_string(per_lane));
      }
  }
}

// What fits a tile does not cross into another; longer rows have teams of threads, one up to 2,048 entries.
// Snapshot.
TEST(WeaveSegments, divides_the_rows_of_a_large_matrix_between_tiles_and_teams) {
  std::vector<std::int64_t> lengths(9000, 250);
  lengths[0] = lengths[4000] = 8 * 256;
  lengths[1] = 257;
  lengths[17] = lengths[8999] = 300 * 256 + 3;
  const Csr<double> A = with_lengths(lengths, 100'000, 5);
  ASSERT_GE(A.nnz(), 1 << 21);
  const auto made = weave::Segments<double>::build(A.view(), {.per_lane = 8});
  EXPECT_EQ(made.teams.size(), 3 + 2 * 76);
  EXPECT_EQ(made.long_rows.size(), 2);
  EXPECT_EQ(made.pieces.size(), 2 * 76);
  EXPECT_EQ(made.tiles.size(), 9000 - 5);
  expect_exact(A, "weave layout=segments");
}

// A mark that is left behind would let the next product add up the pieces of this one.
template <class Where>
void expect_pieces_are_taken(Where where, const Csr<double>& A) {
  const auto made = weave::Segments<double>::build(A.view(), {.per_lane = 4});
  ASSERT_GT(made.pieces.size(), 4);
  const std::vector<double> x(static_cast<std::size_t>(A.cols), 1);
  std::vector<double> y(static_cast<std::size_t>(A.rows));
  made.multiply(where, {x.data(), {1, 0, y.data()}, {}});
  EXPECT_EQ(y, exact_product(A, 1.0, x, 0.0, y));
  for (const Piece<double>& piece : made.pieces) EXPECT_EQ(piece.half[0] | piece.half[1], 0u);
}

TEST(WeaveSegments, takes_the_pieces_of_long_rows_away_when_it_adds_them_up) {
  const Csr<double> A = with_lengths({5000, 3, 0, 2500}, 6000, 8);
  expect_pieces_are_taken(OnCpu{}, A);
  expect_pieces_are_taken(simt::Emulator{}, A);
}

// A warp writes 32 rows at a time: it is not left alone with thousands of empty ones.
TEST(WeaveSegments, gives_a_tile_few_rows_where_most_are_empty) {
  std::vector<std::int64_t> lengths(10'000, 0);
  for (std::size_t row = 0; row < lengths.size(); row += 100) lengths[row] = 3;
  const Csr<double> A = with_lengths(lengths, 50, 6);
  const auto made = weave::Segments<double>::build(A.view(), {.per_lane = 4});
  for (const weave::SegmentTile& tile : made.tiles) EXPECT_LE(tile.rows, 128);
  expect_exact(A, "weave layout=segments");
}

// Kept by the L1, short rows have lanes that fetch their own entries; else 32 entries are fetched at a time. The sums
// are the same to the last bit.
TEST(WeaveSegments, adds_up_short_rows_alike_however_they_are_fetched) {
  for (const char* matrix : {"empty,rows=3000", "random,rows=700,cols=900,per_row=11", "road,rows=2000"})
    for (const std::string values : {"raw", "f32", "dictionary16"})
      for (const std::string per_lane : {"4", "8"}) {
        SCOPED_TRACE(matrix + (" " + values) + " " + per_lane);
        Csr<double> A = generate<double>(matrix);
        if (values != "raw")
          for (double& v : A.val) v = static_cast<float>(v);
        const auto product = [&](const std::string& keep) {
          const Plan plan =
              Plan::parse("weave layout=segments values=" + values + " per_lane=" + per_lane + " keep=" + keep);
          std::vector<double> x(static_cast<std::size_t>(A.cols)), y(static_cast<std::size_t>(A.rows));
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 / (1.0 + static_cast<double>(i % 97));
          build(A, plan, {Device::emulator()}).multiply(x, y);
          return y;
        };
        const std::vector<double> by_lanes = product("matrix");
        EXPECT_EQ(by_lanes, product("nothing"));
        EXPECT_GT(std::count_if(by_lanes.begin(), by_lanes.end(), [](double sum) { return sum != 0; }), A.rows / 3);
      }
}

// More chunks than add up for themselves what comes before them.
TEST(WeaveSegments, of_very_many_rows_are_cut_on_the_device_as_on_the_host) {
  std::vector<Entry> entries;
  for (Index row = 5; row < 2'200'000; row += 70'001)
    for (Index k = 0; k < 1 + row % 4; ++k) entries.push_back({row, k, 1.0 + k});
  const Csr<double> A = from_entries(2'200'000, 10, entries);
  const weave::SegmentsSettings settings{.per_lane = 4};
  const auto here = weave::Segments<double>::build(A.view(), settings);
  const auto there = weave::Segments<double>::build_there(simt::Emulator{}, A.view(), settings, Device::emulator());
  ASSERT_TRUE(there);
  const auto bytes = [](const auto& array) {
    return std::string(reinterpret_cast<const char*>(array.data()), array.bytes());
  };
  EXPECT_GT(here.tiles.size(), 1100);
  EXPECT_TRUE(bytes(here.tiles) == bytes(there->tiles));
  EXPECT_TRUE(bytes(here.col) == bytes(there->col));
  EXPECT_TRUE(bytes(here.filled) == bytes(there->filled));
  EXPECT_EQ(here.short_rows, there->short_rows);
}

// Tiles are counted with the first look: nothing outside the arrays is read or written, and kernels come to their end.
// (The sanitizers see what is read.)
TEST(WeaveSegments, of_arrays_that_are_no_matrix_are_counted_to_an_end) {
  std::vector<std::int64_t> lengths(9000, 3);
  lengths[70] = 3000;
  lengths[8999] = 700;
  const Csr<double> A = with_lengths(lengths, 4000, 2);
  const auto count = [&](const Csr<double>& arrays) {
    return weave::count_segments(simt::Emulator{}, arrays.view(), {256, 128}, Device::emulator());
  };
  for (const std::int64_t wrong : {std::int64_t{-9}, A.nnz() + 9, std::int64_t{1} << 40, std::int64_t{0}, A.nnz()})
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, std::int64_t{200}, std::int64_t{4500}, A.rows}) {
      Csr<double> broken = A;
      if (broken.ptr[at] == wrong) continue;
      broken.ptr[at] = wrong;
      EXPECT_TRUE(count(broken)) << wrong << " at " << at;
      EXPECT_THROW(build(broken.to(Device::emulator()), Plan::parse("weave layout=segments per_lane=8"),
                         {.device = Device::emulator()}),
                   Error)
          << wrong << " at " << at;
    }
  Csr<double> wild = A;
  for (std::int64_t i = 0; i <= wild.rows; ++i)
    wild.ptr[i] = static_cast<Offset>(static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u >> 40);
  EXPECT_TRUE(count(wild));
  for (std::int64_t i = 0; i <= wild.rows; ++i) wild.ptr[i] = A.nnz() - A.ptr[i];
  EXPECT_TRUE(count(wild));
  // A tooth between the rows that a search looks at first: its chunk would have more tiles than there is room for.
  wild = A;
  for (std::int64_t i = 1129; i < 1410; ++i) wild.ptr[i] = A.ptr[1128] + (i < 1290 ? 130 * (i - 1128) : 50);
  EXPECT_TRUE(count(wild));
  wild = A;  // more rows than a chunk has, all of one weight
  for (std::int64_t i = 2000; i < 8000; ++i) wild.ptr[i] = 12'000 - i;
  EXPECT_TRUE(count(wild));
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {  // a stretch of rows in any order, or all at one place
    wild = A;
    const std::int64_t first = random() % 8000, last = first + 1 + random() % 1000, place = random() % A.nnz();
    for (std::int64_t i = first; i < last; ++i) wild.ptr[i] = round % 2 == 0 ? random() % A.nnz() : place;
    EXPECT_TRUE(count(wild));
  }
}

}  // namespace
}  // namespace heddle::test
