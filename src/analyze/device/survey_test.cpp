// The kernels of a survey against the host's analysis, field by field.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <tuple>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>

#include "analyze/facts_for.hpp"
#include "analyze/parts.hpp"
#include "analyze/slice_diagonals.hpp"
#include "analyze/value_bits.hpp"
#include "simt/simt.hpp"
#include "support/same_facts.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

void expect_same_facts_on_emulator(const Csr<double>& A) {
  expect_same_facts(A, Device::emulator());
  expect_same_facts(convert<float>(A.view()), Device::emulator());
}

TEST(Survey, says_of_every_awkward_matrix_what_the_host_says) {
  for (const Specimen& specimen : zoo(Zoo::full)) {
    SCOPED_TRACE(specimen.name);
    expect_same_facts(specimen.A, Device::emulator());
  }
  for (const Specimen& specimen : zoo(Zoo::small)) {
    SCOPED_TRACE(specimen.name);
    expect_same_facts(convert<float>(specimen.A.view()), Device::emulator());
  }
}

TEST(Survey, says_of_sampled_matrices_what_the_host_says) {
  for (const char* text :
       {"stencil2d5,n=150", "stencil3d27,n=12,coefficients=varying", "fem,n=7,dof=3", "rmat,scale=12",
        "random,rows=30k,per_row=3", "dense,rows=150", "dense,rows=30,cols=3000", "lp,rows=40,cols=9000,per_row=700"}) {
    SCOPED_TRACE(text);
    expect_same_facts_on_emulator(generate<double>(text));
  }
}

TEST(Survey, leaves_out_the_hash_alone_where_nobody_asks_for_it) {
  for (const char* text : {"stencil2d5,n=150", "circuit,rows=9000", "stencil3d7,n=30,coefficients=varying"}) {
    SCOPED_TRACE(text);
    const Csr<double> A = generate<double>(text);
    Structure expected = analyze(A, Detail::planning);
    expected.pattern_hash = 0;
    expect_equal(facts_for(A.to(Device::emulator()), Device::emulator(), false), expected);
  }
}

// Both the natural order of columns and that of degrees are looked at.
TEST(Survey, finds_popular_columns_of_a_large_matrix) {
  const Csr<double> A = generate<double>("rmat,scale=17,edges=10");
  ASSERT_GE(A.nnz(), 1 << 20);
  expect_same_facts(A, Device::emulator());
  const Columns columns = analyze(A.to(Device::emulator()), Detail::planning).columns;
  EXPECT_LT(columns.tile_rows_by_degree, columns.tile_rows);
}

TEST(Survey, does_not_depend_on_the_order_in_which_blocks_and_warps_run) {
  const Csr<double> A = generate<double>("rmat,scale=11");
  simt::emulator::set_order(simt::emulator::Order::reverse);
  expect_same_facts(A, Device::emulator());
  simt::emulator::set_order(simt::emulator::Order::forward);
}

Csr<double> with_values(std::int64_t different, bool zero, double scale) {
  Csr<double> A = generate<double>("stencil2d5,n=20");
  for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = static_cast<double>(k % different + 1) * scale;
  if (zero) A.val[A.nnz() / 2] = 0;
  return A;
}

TEST(Survey, counts_distinct_values_to_the_cap_and_tells_which_are_floats) {
  for (const auto& [different, zero, scale] : {std::tuple(planning_cap - 1, true, 0.1),
                                               {planning_cap, false, 1.0},
                                               {planning_cap, true, 1.0},
                                               {planning_cap + 1, false, 0.1}}) {
    SCOPED_TRACE(testing::Message() << different << " values, scale " << scale << (zero ? " and 0" : ""));
    expect_same_facts_on_emulator(with_values(different, zero, scale));
  }
}

TEST(Survey, guesses_the_number_of_many_doubles_as_the_host_does) {
  Csr<double> A = generate<double>("random,rows=300,cols=5000,per_row=900");
  for (const std::int64_t different : {3000, 100000}) {
    for (std::int64_t k = 0; k < A.nnz(); ++k) A.val[k] = static_cast<double>(k * 7919 % different) / 3;  // and +0
    expect_same_facts_on_emulator(A);
    const std::int64_t guess = analyze(A, Detail::planning).distinct_guess;
    if (different == 3000)
      EXPECT_NEAR(static_cast<double>(guess), 3000, 300);
    else
      EXPECT_GT(guess, 30000);
  }
}

TEST(Survey, tells_minus_zero_and_nan_from_other_values) {
  Csr<double> A = generate<double>("stencil2d5,n=20");
  A.val[3] = -0.0;
  A.val[5] = std::numeric_limits<double>::quiet_NaN();
  A.val[7] = std::numeric_limits<double>::infinity();
  expect_same_facts(A, Device::emulator());
  EXPECT_EQ(analyze(A.to(Device::emulator()), Detail::planning).distinct_values, 5);
}

// Rows of 8100 entries far from each other: more diagonals than anybody would store.
TEST(Survey, gives_up_on_diagonals_where_there_are_too_many) {
  const Csr<double> A = with_lengths({8100, 8100}, 2'000'000, 3);
  expect_same_facts_on_emulator(A);
  EXPECT_EQ(analyze(A, Detail::planning).diagonals.full, 0);
}

template <class T>
Buffer<T> shifted(const Buffer<T>& from, Buffer<T>& room) {
  room = Buffer<T>(from.size() + 1, Device::emulator());
  std::copy(from.begin(), from.end(), room.begin() + 1);
  return Buffer<T>::adopt(nullptr, room.data() + 1, from.size(), Device::emulator());
}

TEST(Survey, reads_arrays_that_begin_anywhere) {
  const Csr<double> A = generate<double>("random,rows=20k,per_row=4");
  Buffer<Index> col;
  Buffer<double> val;
  Csr<double> B{A.rows, A.cols, A.ptr.to(Device::emulator()), shifted(A.col, col), shifted(A.val, val)};
  expect_equal(analyze(B, Detail::planning), analyze(A, Detail::planning));
}

TEST(Survey, refuses_a_matrix_that_lies_in_two_places) {
  Csr<double> A = generate<double>("stencil2d5,n=4");
  A.col = A.col.to(Device::emulator());
  EXPECT_THROW(analyze(A, Detail::planning), Error);
}

TEST(Survey, leaves_everything_else_to_the_host) {
  const Csr<double> A = generate<double>("stencil2d5,n=30");
  expect_equal(analyze(A.to(Device::emulator())), analyze(A));
}

TEST(FloatHolds, what_survives_a_conversion_and_back) {
  Dice dice(5);
  const auto expect_like_conversion = [](std::uint64_t bits) {
    const auto value = std::bit_cast<double>(bits);
    const auto back = static_cast<double>(static_cast<float>(value));
    EXPECT_EQ(float_holds(bits), std::bit_cast<std::uint64_t>(back) == bits) << std::hex << bits;
  };
  for (int exponent = 0; exponent < 2048; ++exponent)
    for (int zeros = 0; zeros <= 52; ++zeros) {
      const std::uint64_t fraction = (dice.next() >> 12 | 1) << zeros & ((std::uint64_t{1} << 52) - 1);
      expect_like_conversion(static_cast<std::uint64_t>(exponent) << 52 | fraction);
      expect_like_conversion(static_cast<std::uint64_t>(exponent | 2048) << 52 | fraction);
    }
}

}  // namespace
}  // namespace heddle::test
