// Diagonals of few slices are found in a way of their own, also before anybody knows whether they pay: it finds what
// the host finds, and says so where it cannot.
#include <gtest/gtest.h>

#include <algorithm>

#include <heddle/heddle.hpp>
#include <heddle/io.hpp>

#include "formats/registered.hpp"
#include "formats/weave/diagonals/diagonals_found.hpp"
#include "formats/weave/weave.hpp"
#include "simt/emulator.hpp"
#include "support/builders.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

using namespace weave;

template <class T>
std::string bits_of(const Buffer<T>& array) {
  return {reinterpret_cast<const char*>(array.data()), array.bytes()};
}

template <class V>
void expect_same_arrays(const Csr<V>& A, const DiagonalsSettings& settings,
                        std::shared_ptr<const DiagonalsFound<V>> found) {
  const auto there =
      weave::Diagonals<V>::build_there(simt::Emulator{}, A.view(), settings, Device::emulator(), std::move(found));
  ASSERT_TRUE(there);
  const auto here = weave::Diagonals<V>::build(A.view(), settings);
  EXPECT_EQ(bits_of(there->slices), bits_of(here.slices));
  EXPECT_EQ(bits_of(there->pattern), bits_of(here.pattern));
  EXPECT_EQ(bits_of(there->masks), bits_of(here.masks));
  EXPECT_EQ(bits_of(there->values.raw), bits_of(here.values.raw));
}

// Found in both ways, with masks that have numbers and with masks that have none.
template <class V>
void expect_same_both_ways(const Csr<V>& A, bool few_do = true) {
  for (const int per_lane : {4, 1}) {
    SCOPED_TRACE(per_lane);
    const DiagonalsSettings settings{.per_lane = per_lane};
    const auto found = seek_diagonals(simt::Emulator{}, A.view(), false, Device::emulator())->found();
    EXPECT_EQ(found != nullptr, few_do);
    if (found) expect_same_arrays(A, settings, found);
    expect_same_arrays(A, settings, find_diagonals(simt::Emulator{}, A.view(), false, Device::emulator()));
    expect_same_arrays<V>(A, settings, nullptr);
  }
}

// Patterns that the host numbers, and more of them; slices in several blocks of the kernel that numbers them; rows
// behind the last whole slice.
TEST(WeaveDiagonalsFew, are_found_as_the_host_finds_them) {
  for (const char* matrix : {"gen:stencil3d7,n=13,coefficients=varying", "gen:stencil2d9,n=61", "gen:stencil2d5,n=290",
                             "gen:band,rows=9000,width=5"}) {
    SCOPED_TRACE(matrix);
    const Csr<double> A = read_matrix(matrix);
    expect_same_both_ways(A);
    expect_same_both_ways(convert<float>(A.view()));
  }
}

TEST(WeaveDiagonalsFew, whatever_order_threads_run_in) {
  simt::emulator::set_order(simt::emulator::Order::reverse);
  expect_same_both_ways(read_matrix("gen:stencil2d9,n=61"));
  simt::emulator::set_order(simt::emulator::Order::forward);
}

// Slices in which so many rows have an entry beside the diagonal, each another set of rows.
Csr<double> with_patterns(std::int64_t slices) {
  std::vector<Entry> entries;
  for (Index row = 0; row < slices * slice_rows; ++row) {
    entries.push_back({row, row, 1.0});
    if ((row / slice_rows >> row % slice_rows % 12 & 1) != 0) entries.push_back({row, row + 1, 2.0});
  }
  return from_entries(slices * slice_rows, slices * slice_rows + 1, entries);
}

// As many patterns as the table in shared memory has places for, and more: then the other way is gone.
TEST(WeaveDiagonalsFew, are_left_to_the_other_way_where_patterns_are_many) {
  expect_same_both_ways(with_patterns(700));
  expect_same_both_ways(with_patterns(2200), false);
}

// An arrow has a slice with more diagonals than slices have room for.
TEST(WeaveDiagonalsFew, are_left_to_the_other_way_where_a_slice_has_many) {
  expect_same_both_ways(read_matrix("gen:arrow,rows=400"), false);
}

TEST(WeaveDiagonalsFew, know_whether_each_has_one_value) {
  const Csr<double> A = read_matrix("gen:stencil2d5,n=37");
  EXPECT_TRUE(seek_diagonals(simt::Emulator{}, A.view(), true, Device::emulator())->found()->constant);
  EXPECT_FALSE(seek_diagonals(simt::Emulator{}, A.view(), false, Device::emulator())->found()->constant);
  Csr<double> B = A;
  B.val[B.nnz() - 1] += 1;
  EXPECT_FALSE(seek_diagonals(simt::Emulator{}, B.view(), true, Device::emulator())->found()->constant);
}

TEST(WeaveDiagonalsFew, are_no_more_than_few_slices) {
  const Buffer<Offset> ptr = [] {
    Buffer<Offset> all(few_slices * slice_rows + 2);
    std::fill(all.begin(), all.end(), 0);
    return all;
  }();
  const auto seek = [&](std::int64_t rows) {
    const CsrView<float> A{rows, 1, ptr.span().subspan(0, static_cast<std::size_t>(rows + 1)), {}, {}};
    return seek_diagonals(simt::Emulator{}, A, true, Device::emulator());
  };
  EXPECT_FALSE(seek(0));
  EXPECT_FALSE(seek(few_slices * slice_rows + 1));
  ASSERT_TRUE(seek(1));
  EXPECT_EQ(seek(1)->found()->diagonals, 0);
}

// The same number as from a sample: where diagonals pay, where they do not, at the limit, and where parts are left out.
TEST(WeaveDiagonalsFew, tell_what_a_sample_of_slices_tells) {
  std::vector<Specimen> all;
  for (const Specimen& specimen : zoo(Zoo::full))
    for (const char* name : {"5x5_without_entries", "1x1000_full_row", "wide_10x1000", "dense", "lengths_0_to_129",
                             "power_law", "blocks_with_holes", "rows_1025", "far_columns"})
      if (specimen.name == name) all.push_back(specimen);
  for (const char* matrix : {"gen:stencil3d7,n=13", "gen:band,rows=1000,width=20", "gen:arrow,rows=3000",
                             "gen:random,rows=3000,per_row=4", "gen:stencil2d5,n=330"})
    all.push_back({matrix, read_matrix(matrix)});
  for (const auto& [name, A] : all) {
    SCOPED_TRACE(name);
    const double fill = seek_diagonals(simt::Emulator{}, A.view(), true, Device::emulator())->fill();
    EXPECT_EQ(fill, facts_of(A.view())->diagonal_fill());
    EXPECT_EQ(fill, facts_of(simt::Emulator{}, A.view(), 0, Device::emulator())->diagonal_fill());
  }
}

template <class V>
void expect_same_build(const Csr<V>& A) {
  const Csr<V> there = A.to(Device::emulator());
  const Operator<V> made = build(there, Plan::parse("weave"), {Device::emulator()});
  EXPECT_EQ(made.plan(), settled<V>({A.view()}, "weave"));
  const Csr<V> back = made.restore();
  EXPECT_EQ(bits_of(back.ptr), bits_of(A.ptr));
  EXPECT_EQ(bits_of(back.col), bits_of(A.col));
  EXPECT_EQ(bits_of(back.val), bits_of(A.val));
}

// More than 2^18 entries and short rows: diagonals are looked for before anybody knows whether they pay. They do, with
// one value each and with many; they do not; and they would, but for a slice that find_diagonals alone has room for.
TEST(WeaveDiagonalsFew, give_the_plan_that_the_host_gives) {
  expect_same_build(read_matrix("gen:stencil2d5,n=230"));
  expect_same_build(convert<float>(read_matrix("gen:stencil2d9,n=172").view()));
  expect_same_build(read_matrix("gen:stencil2d9,n=172,coefficients=varying"));
  expect_same_build(read_matrix("gen:random,rows=40000,per_row=7"));
  expect_same_build(read_matrix("gen:circuit,rows=50000"));
  Csr<double> with_long_row = read_matrix("gen:stencil2d5,n=230");
  std::vector<Entry> entries;
  for (Index row = 0; row < with_long_row.rows; ++row)
    for (Offset k = with_long_row.ptr[row]; k < with_long_row.ptr[row + 1]; ++k)
      entries.push_back({row, with_long_row.col[k], with_long_row.val[k]});
  for (Index col = 0; col < 100; ++col) entries.push_back({40'000, 3 * col, 1.5});
  expect_same_build(from_entries(with_long_row.rows, with_long_row.cols, entries));
}

// Ten entries a row in full blocks of 2: as full as diagonals of such rows can be, and still blocks.
TEST(WeaveDiagonalsFew, do_not_hide_full_blocks) {
  constexpr Index rows = 66'000;  // with fewer columns they would be padded rows
  std::vector<Entry> entries;
  for (Index row = 0; row < rows; ++row)
    for (Index col = std::max(0, row / 2 * 2 - 4); col < std::min(rows, row / 2 * 2 + 6); ++col)
      entries.push_back({row, col, 1.0 + (row + 3 * col) % 1000});
  const Csr<double> A = from_entries(rows, rows, entries);
  EXPECT_NEAR(facts_of(A.view())->diagonal_fill(), 1.1, 0.01);
  EXPECT_EQ(*resolve(A.view(), Plan::parse("weave")).find("layout"), "blocks");
  expect_same_build(A);
}

// They are looked for before anybody knows whether the arrays are a matrix.
TEST(WeaveDiagonalsFew, read_nothing_behind_the_arrays_of_what_is_no_matrix) {
  const Csr<double> A = read_matrix("gen:stencil2d5,n=230");
  const auto broken = [&](std::int64_t row, Offset begin) {
    Csr<double> B = A;
    B.ptr[row] = begin;
    return B;
  };
  for (const Csr<double>& B : {broken(0, -7), broken(128, -1), broken(128, A.nnz() + 9), broken(77, 1 << 30),
                               broken(200, A.ptr[500]), broken(A.rows, A.nnz() + 5), broken(A.rows, 3)}) {
    (void)seek_diagonals(simt::Emulator{}, B.view(), true, Device::emulator())->found();
    EXPECT_THROW((void)build(B.to(Device::emulator()), Plan::parse("weave"), {Device::emulator()}), Error);
  }
  Csr<double> unsorted = A;
  std::reverse(unsorted.col.begin(), unsorted.col.end());
  EXPECT_THROW((void)build(unsorted.to(Device::emulator()), Plan::parse("weave"), {Device::emulator()}), Error);
  Csr<double> few_values = A;
  few_values.val = Buffer<double>(7);
  EXPECT_THROW((void)build(few_values.to(Device::emulator()), Plan::parse("weave"), {Device::emulator()}), Error);
}

}  // namespace
}  // namespace heddle::test
