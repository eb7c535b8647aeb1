#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <random>
#include <set>
#include <utility>

#include <heddle/analyze.hpp>
#include <heddle/choose.hpp>
#include <heddle/generate.hpp>

#include "analyze/facts_for.hpp"
#include "support/looks.hpp"
#include "support/zoo.hpp"

namespace heddle {
namespace {

using Lengths = std::vector<std::int64_t>;

std::int64_t places(Lengths lengths, std::int64_t C, std::int64_t sigma) {
  const auto n = static_cast<std::int64_t>(lengths.size());
  for (std::int64_t first = 0; sigma > 1 && first < n; first += sigma)
    std::sort(lengths.begin() + first, lengths.begin() + std::min(n, first + sigma), std::greater<>());
  std::int64_t stored = 0;
  for (std::int64_t first = 0; first < n; first += C)
    stored += C * *std::max_element(lengths.begin() + first, lengths.begin() + std::min(n, first + C));
  return stored;
}

void expect_counted(const Lengths& lengths) {
  SCOPED_TRACE(testing::Message() << lengths.size() << " rows");
  const Csr<double> A = test::with_lengths(lengths, 1500, 1);
  const RowFacts facts = test::rows_of(A.view());
  EXPECT_EQ(facts.lengths.min, *std::min_element(lengths.begin(), lengths.end()));
  EXPECT_EQ(facts.lengths.max, *std::max_element(lengths.begin(), lengths.end()));
  for (std::int64_t k = 0; k < short_row; ++k)
    EXPECT_EQ(facts.lengths.counts[k], std::count(lengths.begin(), lengths.end(), k)) << k;
  for (std::size_t bits = 0; bits < facts.lengths.histogram.size(); ++bits)
    EXPECT_EQ(facts.lengths.histogram[bits], std::count_if(lengths.begin(), lengths.end(), [&](std::int64_t length) {
                return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length))) == bits;
              }));
  for (const SlicePadding& p : facts.padding)
    EXPECT_DOUBLE_EQ(p.stored, static_cast<double>(places(lengths, p.C, p.sigma)) / static_cast<double>(A.nnz()))
        << p.C << ", " << p.sigma;
}

// Windows have 1024 rows in four quarters; rows of 256 entries and more are not in their tables.
TEST(Rows, are_counted_as_one_by_one_in_windows_of_any_size) {
  std::mt19937 random(1);
  for (const int rows : {1, 31, 33, 255, 257, 1023, 1024, 1025, 2100, 9000})
    for (const int longest : {1, 40, 255, 256, 1200}) {
      Lengths lengths(static_cast<std::size_t>(rows));
      for (std::int64_t& length : lengths) length = random() % 20 == 0 ? random() % (longest + 1) : random() % 5;
      lengths[random() % lengths.size()] = longest;
      expect_counted(lengths);
    }
}

TEST(Rows, of_one_length_are_counted_too) {
  for (const int rows : {1000, 1024, 3000})
    for (const int length : {1, 255, 256, 300}) expect_counted(Lengths(static_cast<std::size_t>(rows), length));
}

// Hundreds of kinds in a table of familiar ones, in no order: some share their places with two others.
template <class V>
void expect_kinds(int kinds, std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(kinds));
  std::vector<V> known, values;
  std::set<V> different;
  for (int k = 0; k < kinds; ++k) known.push_back(static_cast<V>(k == 3 ? 0 : 1.0 / (1 + k)));
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(i == count - 1 ? known.back() : known[random() % (i < count / 2 ? std::min(kinds, 2) : kinds)]);
    different.insert(values.back());
  }
  const ValueFacts facts = test::values_of(std::span<const V>(values), planning_cap);
  const auto all = static_cast<std::int64_t>(different.size());
  EXPECT_EQ(facts.distinct, std::min(all, planning_cap)) << kinds << " of " << count;
  EXPECT_EQ(facts.capped, all > planning_cap) << kinds << " of " << count;
}

TEST(Values, of_few_kinds_are_all_found) {
  for (const int kinds : {1, 2, 3, 17, 255, 256, 257, 400})
    for (const std::size_t count : {1u, 15u, 16u, 17u, 5000u, 100'003u}) {
      expect_kinds<float>(kinds, count);
      expect_kinds<double>(kinds, count);
    }
}

// Rows of a grid repeat: one value that does not, wherever it stands, is found all the same.
template <class V>
void expect_strangers(std::size_t period) {
  std::mt19937 random(static_cast<unsigned>(period));
  std::vector<V> values(40'000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = i < period ? static_cast<V>(1.0 / static_cast<double>(1 + random() % 90)) : values[i - period];
  const auto distinct = [&] { return test::values_of(std::span<const V>(values), planning_cap).distinct; };
  const std::int64_t kinds = distinct();
  for (int round = 0; round < 60; ++round) {
    V& some = values[random() % values.size()];
    const V was = std::exchange(some, V(-7));
    EXPECT_EQ(distinct(), kinds + 1) << period << ", place " << &some - values.data();
    some = was;
  }
}

TEST(Values, that_come_again_after_a_period_hide_no_other) {
  for (const std::size_t period : {16u, 17u, 81u, 243u, 1024u, 1500u}) {
    expect_strangers<float>(period);
    expect_strangers<double>(period);
  }
}

// Sectors that a window of 256 rows reads, by sets: all at once, 32 neighbouring entries, the k-th of 32 rows.
Gather sectors_by_sets(const PatternView& A, int elements) {
  const auto sectors = [&](const std::vector<Offset>& entries) {
    std::set<Index> read;
    for (const Offset k : entries) read.insert(A.col[k] / elements);
    return static_cast<double>(read.size());
  };
  double by_rows = 0, along = 0, at_once = 0;
  for (std::int64_t first = 0; first < A.rows; first += 256) {
    const std::int64_t last = std::min(A.rows, first + 256);
    std::vector<Offset> all;
    for (Offset k = A.ptr[first]; k < A.ptr[last]; ++k) all.push_back(k);
    at_once += sectors(all);
    for (std::size_t at = 0; at < all.size(); at += 32)
      along += sectors({all.begin() + at, all.begin() + std::min(all.size(), at + 32)});
    for (std::int64_t slice = first; slice < last; slice += 32)
      for (Offset k = 0; k < A.cols; ++k) {
        std::vector<Offset> step;
        for (std::int64_t row = slice; row < std::min(last, slice + 32); ++row)
          if (k < A.length(row)) step.push_back(A.ptr[row] + k);
        if (step.empty()) break;
        by_rows += sectors(step);
      }
  }
  const auto nnz = static_cast<double>(A.nnz());
  return {by_rows / nnz, along / nnz, at_once / nnz};
}

TEST(Columns, read_the_sectors_that_sets_of_them_count) {
  for (const char* matrix :
       {"random,rows=700,cols=900,per_row=9", "random,rows=300,cols=20000000,per_row=7",
        "random,rows=40,cols=5000,per_row=150", "stencil2d5,n=40", "arrow,rows=1000", "rmat,scale=9", "empty,rows=900",
        "band,rows=500,width=0", "lengths,law=F1,max=60,rows=400"}) {
    const Csr<double> A = generate<double>(matrix);
    const SampledFacts facts = test::columns_of(A.view(), A.nnz());
    for (const auto& [found, exact] : {std::pair{facts.gather_f32, sectors_by_sets(A.view(), 8)},
                                       std::pair{facts.gather_f64, sectors_by_sets(A.view(), 4)}}) {
      EXPECT_DOUBLE_EQ(found.rows, exact.rows) << matrix;
      EXPECT_DOUBLE_EQ(found.entries, exact.entries) << matrix;
      EXPECT_DOUBLE_EQ(found.window, exact.window) << matrix;
    }
  }
}

// What a CPU does not ask decides nothing there.
TEST(FactsFor, a_cpu_lead_to_the_plan_that_all_facts_lead_to) {
  const Machine machine = built_in_machine(Device::Kind::cpu);
  const ChooseOptions options{.device = Device::cpu()};
  for (const char* matrix : {"rmat,scale=16", "random,rows=70000,cols=70000,per_row=16", "stencil3d7,n=20"}) {
    const Csr<double> A = generate<double>(matrix);
    EXPECT_EQ(choose(A, facts_for(A, Device::cpu()), machine, options).plan,
              choose(A, analyze(A, Detail::planning), machine, options).plan)
        << matrix;
  }
}

}  // namespace
}  // namespace heddle
