#include "formats/csb/csb.hpp"

#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "support/workload_of.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

template <class T>
std::vector<T> list(const Buffer<T>& array) {
  return {array.begin(), array.end()};
}

CsbFormat<double> built(const Csr<double>& A, CsbSettings settings) {
  CsbBands bands;
  CsbFormat<double>::settle(settings, A.view());
  (void)CsbFormat<double>::at_most(A.view(), settings, sizeof(double), bands);
  return CsbFormat<double>::build({A.view()}, settings, std::move(bands));
}

//  The drawing of csb.hpp.
TEST(Csb, stores_the_entries_of_a_cell_by_column_then_by_row) {
  const Csr<double> A = from_entries(4, 8, {{0, 0, 1}, {0, 4, 2}, {1, 0, 3}, {1, 2, 4}, {1, 7, 5}, {2, 5, 6}});
  const auto made = built(A, {.rows = 2, .cols = 4});
  EXPECT_EQ(list(made.bands.first_row), (std::vector<Index>{0, 2, 4}));
  EXPECT_EQ(list(made.bands.first_cell), (std::vector<Offset>{0, 2, 3}));
  EXPECT_EQ(list(made.tile), (std::vector<Index>{0, 1, 1}));
  EXPECT_EQ(list(made.start), (std::vector<Offset>{0, 3, 5, 6}));
  EXPECT_EQ(list(made.row), (std::vector<std::uint16_t>{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(list(made.col), (std::vector<std::uint16_t>{0, 0, 2, 0, 3, 1}));
  EXPECT_EQ(list(made.val), (std::vector<double>{1, 3, 4, 2, 5, 6}));
}

TEST(Csb, takes_12_bytes_an_entry_in_double_and_12_a_cell_and_a_band) {
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(300, 4), 900, 1);
  const auto made = built(A, {.rows = 100, .cols = 450});
  EXPECT_EQ(made.band_count(), 3);
  EXPECT_EQ(made.tile.size(), 6);
  const Footprint need = footprint(A.view(), Plan::parse("csb rows=100 cols=450"));
  EXPECT_EQ(need.bytes, 1200 * 12 + 4 * 12 + 6 * 12 + 8);
  EXPECT_EQ(footprint(A.view(), Plan::parse("csb rows=100 cols=450"), 4).bytes, need.bytes - 1200 * 4);
}

// A 32nd of the entries ends a band, and a row is never cut.
TEST(Csb, ends_a_band_where_it_has_its_share_of_the_entries) {
  std::vector<std::int64_t> lengths(3000, 100);
  lengths[7] = 60000;
  const Csr<double> A = with_lengths(lengths, 100000, 2);
  const std::vector<Index> first = list(built(A, {}).bands.first_row);
  EXPECT_GE(first.size(), 28u);
  const Offset share = A.nnz() / 32;
  for (std::size_t band = 0; band + 1 < first.size(); ++band) {
    const Offset entries = A.ptr[first[band + 1]] - A.ptr[first[band]];
    EXPECT_TRUE(entries <= share || first[band + 1] == first[band] + 1) << band << ": " << entries;
  }
  EXPECT_EQ(std::count(first.begin(), first.end(), 7), 1) << "the long row is a band of its own";
  EXPECT_EQ(std::count(first.begin(), first.end(), 8), 1);
}

TEST(Csb, has_bands_whose_sums_take_256_kilobytes) {
  const Csr<double> A = with_lengths({1, 2}, 3, 3);
  EXPECT_EQ(to_string(resolve(A.view(), Plan::parse("csb"), 8)), "csb rows=32768 cols=65536");
  EXPECT_EQ(to_string(resolve(A.view(), Plan::parse("csb"), 4)), "csb rows=65536 cols=65536");
}

// Columns beyond 16 bits, digits of columns beyond the first two, and a last tile that is cut short.
TEST(Csb, restores_columns_of_every_size) {
  std::vector<Entry> entries;
  Dice dice(4);
  for (Index row = 0; row < 40; ++row)
    for (int k = 0; k < 30; ++k)
      entries.push_back({row, static_cast<Index>(dice.below(max_dimension)), dice.integer()});
  const Csr<double> A = from_entries(40, max_dimension, entries);
  for (const char* plan : {"csb", "csb cols=3", "csb rows=1", "csb rows=7 cols=40000"})
    EXPECT_TRUE(identical(build(A, Plan::parse(plan)).restore(), A)) << plan;
}

template <class V>
void expect_the_sum_by_columns(V alpha, V beta) {
  const Csr<V> A = convert<V>(generate<double>("random,rows=3000,cols=200k,per_row=9").view());
  std::vector<V> x(static_cast<std::size_t>(A.cols)), wanted(static_cast<std::size_t>(A.rows), V(0.3));
  Dice dice(5);
  for (V& e : x) e = static_cast<V>(dice.real());
  std::vector<V> y = wanted;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    wanted[row] *= beta;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) wanted[row] += alpha * (A.val[k] * x[A.col[k]]);
  }
  const std::vector<V> before = y;
  for (const char* plan : {"csb", "csb rows=1", "csb rows=100 cols=1000", "csb rows=64 cols=1"}) {
    y = before;
    build(A, Plan::parse(plan)).multiply(alpha, x, beta, y);
    EXPECT_EQ(y, wanted) << plan;
  }
}

// Bits depend on neither bands nor tiles.
TEST(Csb, adds_up_each_row_in_the_order_of_its_columns) {
  expect_the_sum_by_columns<double>(1, 0.7);
  expect_the_sum_by_columns<double>(-0.3, 0.7);
  expect_the_sum_by_columns<float>(-0.3f, 0.7f);
}

TEST(Csb, is_proposed_on_a_cpu_where_neighbouring_rows_share_little_of_a_long_x) {
  const auto proposed = [](const char* matrix, bool on_gpu) {
    return find_rules("csb")->plans(analyze(generate<float>(matrix), Detail::planning), target_of_kind(on_gpu)).size();
  };
  EXPECT_EQ(proposed("random,rows=300k,cols=300k,per_row=4", false), 1u);
  EXPECT_EQ(proposed("random,rows=300k,cols=300k,per_row=4", true), 0u);
  EXPECT_EQ(proposed("random,rows=300k,cols=100k,per_row=4", false), 0u);
  EXPECT_EQ(proposed("stencil2d5,n=600", false), 0u);
}

TEST(Csb, is_predicted_with_its_bytes) {
  for (const char* text :
       {"random,rows=300k,cols=300k,per_row=4", "rmat,scale=14", "random,rows=40k,cols=2M,per_row=30"}) {
    const Csr<double> A = generate<double>(text);
    const auto exact = static_cast<double>(footprint(A.view(), Plan::parse("csb")).bytes);
    EXPECT_NEAR(on_cpu(text, "csb").bytes, exact, 0.02 * exact) << text;
  }
}

// Each band reads all of x where it has entries enough.
TEST(Csb, reads_x_once_for_each_band) {
  const Workload few = on_cpu("random,rows=300k,cols=300k,per_row=4", "csb"),
                 many = on_cpu("random,rows=300k,cols=300k,per_row=4", "csb rows=1000");
  EXPECT_EQ(few.misses, 0);
  EXPECT_EQ(few.pieces, 32);
  EXPECT_GT(many.pieces, 290);
  EXPECT_GT(many.stream_bytes, 1.2 * few.stream_bytes);
}

}  // namespace
}  // namespace heddle::test
