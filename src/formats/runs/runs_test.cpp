#include "formats/runs/runs_cut.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include <heddle/heddle.hpp>

#include "core/isa.hpp"
#include "formats/runs/runs_aside_cut.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

constexpr int dear = 1000, cheap = 1;  // what a gathered step costs

StepCut cut_steps(const PatternView& A, std::int64_t first_row, int gather) {
  DiagonalFinder finder;
  return cut_slice(A, first_row, gather, finder).cut;
}

// Two whole diagonals, of which one ends at the border, and three entries off them.
Csr<double> two_diagonals_and_strays(std::int64_t rows) {
  std::vector<Entry> entries;
  for (Index r = 0; r < rows; ++r) {
    entries.push_back({r, r, 1.0 + r});
    if (r + 1 < rows) entries.push_back({r, r + 1, -2.0});
  }
  const auto last = static_cast<Index>(rows - 1);
  for (const Entry& stray : {Entry{2, last, 6.0}, Entry{5, last - 2, 7.0}, Entry{9, last - 1, 8.0}})
    entries.push_back(stray);
  return from_entries(rows, rows, entries);
}

TEST(Runs, are_diagonals_of_16_rows_and_what_is_left_is_gathered) {
  const StepCut cut = cut_steps(two_diagonals_and_strays(32).view(), 0, 25);
  EXPECT_EQ(cut.full, 2);
  EXPECT_EQ(cut.runs, 2);
  EXPECT_EQ(cut.whole, 0);
  EXPECT_EQ(cut.partly, 1);
}

TEST(Runs, need_at_most_what_is_said_before_a_look_at_the_columns) {
  for (const char* text : {"stencil2d5,n=40", "random,rows=3000,per_row=9", "rmat,scale=10", "dense,rows=50",
                           "arrow,rows=900", "arrow,rows=30000", "lp,rows=20,cols=9000,per_row=4000"})
    for (const int gather : {5, 16, 25, 1000})
      for (const int value_bytes : {4, 8}) {
        const Csr<double> A = generate<double>(text);
        const RunsSettings settings{gather};
        const Footprint most = RunsFormat<double>::at_most(A.view(), settings, value_bytes),
                        need = RunsFormat<double>::footprint(A.view(), settings, value_bytes);
        EXPECT_GE(most.bytes, need.bytes) << text << " gather=" << gather;
        EXPECT_GE(most.stored, need.stored) << text << " gather=" << gather;
      }
}

TEST(Runs, are_all_there_is_where_gathering_is_dear_and_few_where_it_is_cheap) {
  const Csr<double> A = generate<double>("random,rows=16,cols=4000,per_row=9");
  const StepCut runs = cut_steps(A.view(), 0, dear), gathered = cut_steps(A.view(), 0, cheap);
  EXPECT_EQ(runs.gathered(), 0);
  EXPECT_GT(runs.runs, 100);
  EXPECT_EQ(gathered.runs, 0);
  EXPECT_EQ(gathered.whole, 9);
}

// Diagonals have slots by their distance, or by hashing where they lie too far apart for that: the same cut, whatever
// was cut before.
TEST(Runs, are_cut_alike_near_each_other_and_far_apart) {
  DiagonalFinder finder;
  for (const char* text : {"random,rows=64,cols=300,per_row=9", "stencil2d5,n=9", "rmat,scale=7", "dense,rows=20"}) {
    const Csr<double> near = generate<double>(text);
    Csr<double> far = near;
    far.cols += 1 << 20;
    for (std::int64_t row = 0; row < far.rows; ++row)  // the right half of each row lies far away
      for (Offset k = far.ptr[row]; k < far.ptr[row + 1]; ++k)
        if (far.col[k] - row > far.rows / 4) far.col[k] += 1 << 20;
    for (std::int64_t row = 0; row < near.rows; row += rows_of_run)
      for (const int gather : {5, 16, 1000}) {
        const StepCut a = cut_slice(near.view(), row, gather, finder).cut,
                      b = cut_slice(far.view(), row, gather, finder).cut;
        EXPECT_EQ(std::tie(a.least, a.full, a.runs, a.whole, a.partly, a.entries_in_runs, a.aside),
                  std::tie(b.least, b.full, b.runs, b.whole, b.partly, b.entries_in_runs, b.aside))
            << text << ", row " << row << ", gather " << gather;
      }
  }
}

// What a map of all entries says.
TEST(Runs, have_all_diagonals_of_a_slice_with_the_rows_on_them) {
  DiagonalFinder finder;
  for (const char* text : {"random,rows=40,cols=60,per_row=9", "random,rows=40,cols=3000000,per_row=30",
                           "stencil2d5,n=9", "rmat,scale=7", "dense,rows=20", "dense,rows=16,cols=400"}) {
    const Csr<double> A = generate<double>(text);
    for (std::int64_t first = 0; first < A.rows; first += rows_of_run)
      for (const std::uint16_t aside : {0, 0x8421}) {
        std::map<Index, unsigned> expected, found;
        for (int i = 0; i < rows_of_run && first + i < A.rows; ++i)
          for (Offset k = A.ptr[first + i]; k < A.ptr[first + i + 1] && (aside >> i & 1) == 0; ++k)
            expected[A.col[k] - i] |= 1u << i;
        for (const auto& [column, rows] : finder.find(A.view(), RowsOfRun(A.view(), first, aside)))
          EXPECT_TRUE(found.emplace(column, rows).second) << text;
        EXPECT_EQ(found, expected) << text << ", row " << first << ", aside " << aside;
      }
  }
}

// The rule in so many words: of the k longest rows those are aside that save most.
TEST(Runs, leave_the_rows_aside_that_save_most) {
  for (const char* text : {"lengths,law=power,max=900,rows=400", "circuit,rows=500", "rmat,scale=9", "arrow,rows=100",
                           "random,rows=50,per_row=9", "lengths,law=uniform,max=60,rows=90"}) {
    const Csr<double> A = generate<double>(text);
    for (std::int64_t first = 0; first < A.rows; first += rows_of_run)
      for (const int gather : {16, 28, 50}) {
        std::vector<std::pair<Offset, int>> rows;  // by descending length
        for (int i = 0; i < rows_of_run; ++i)
          rows.push_back({first + i < A.rows ? -(A.ptr[first + i + 1] - A.ptr[first + i]) : 0, i});
        std::ranges::sort(rows);
        Offset saved = 0, most = 0;
        unsigned aside = 0, best = 0;
        for (std::size_t k = 0; k < rows.size(); ++k) {
          const Offset length = -rows[k].first, next = k + 1 < rows.size() ? -rows[k + 1].first : 0;
          saved += (length - next) * std::min<Offset>(gather, 10 * (static_cast<Offset>(k) + 1));
          saved -= 100 + gather * length / 12;
          aside |= 1u << rows[k].second;
          if (saved > most) most = saved, best = aside;
        }
        EXPECT_EQ(rows_aside(A.view(), first, gather), best) << text << ", row " << first;
      }
  }
}

TEST(Runs, keep_entries_of_the_last_column_there_can_be) {
  constexpr std::int64_t rows = 16, cols = INT32_MAX;
  Csr<double> A{rows, cols, Buffer<Offset>(rows + 1), Buffer<Index>(rows), Buffer<double>(rows)};
  for (std::int64_t i = 0; i <= rows; ++i) A.ptr[i] = i;
  for (std::int64_t i = 0; i < rows; ++i) A.col[i] = INT32_MAX - 1, A.val[i] = static_cast<double>(i + 1);
  const Csr<double> restored = build(A, Plan::parse("runs gather=1000")).restore();
  EXPECT_TRUE(std::ranges::equal(restored.col.span(), A.col.span()));
  EXPECT_TRUE(std::ranges::equal(restored.val.span(), A.val.span()));
}

TEST(Runs, count_rows_behind_the_last_as_empty) {
  const StepCut cut = cut_steps(two_diagonals_and_strays(20).view(), 16, 25);
  EXPECT_EQ(cut.full, 0);
  EXPECT_EQ(cut.whole, 0);
  EXPECT_GT(cut.steps(), 0);
}

TEST(Runs, have_their_places_where_the_drawing_says) {
  const Csr<double> A = two_diagonals_and_strays(32);
  const auto made = RunsFormat<double>::build({A.view()}, {.gather = 25});
  ASSERT_EQ(made.slices.size(), 3);
  EXPECT_EQ(made.slices[1].step, 3);
  EXPECT_EQ(made.slices[1].before, 1);
  EXPECT_EQ(std::vector<Index>(made.run_col.begin(), made.run_col.begin() + 2), (std::vector<Index>{0, 1}));
  EXPECT_EQ(made.mask[2], 1u << 2 | 1u << 5 | 1u << 9);
  EXPECT_EQ(made.col[5], 29);
  EXPECT_EQ(made.val[2 * 16 + 5], 7.0);
}

// A diagonal, in row 5 also every fifth column, and in row 20 every third.
Csr<double> diagonal_with_long_rows() {
  std::vector<Entry> entries;
  for (Index r = 0; r < 40; ++r)
    for (Index c = 0; c < 900; ++c)
      if (c == r || (r == 5 && c % 5 == 0) || (r == 20 && c % 3 == 0)) entries.push_back({r, c, r - c * 0.5});
  return from_entries(40, 900, entries);
}

template <class V>
void expect_equal(const Csr<V>& a, const Csr<V>& b) {
  EXPECT_TRUE(std::equal(a.ptr.begin(), a.ptr.end(), b.ptr.begin(), b.ptr.end()));
  EXPECT_TRUE(std::equal(a.col.begin(), a.col.end(), b.col.begin(), b.col.end()));
  EXPECT_TRUE(std::equal(a.val.begin(), a.val.end(), b.val.begin(), b.val.end()));
}

// Full ones first, whether diagonals near each other are noted or rows far apart merged; what was put in is in there.
TEST(Runs, come_by_ascending_columns) {
  for (const char* text :
       {"fem,n=7,dof=3", "stencil2d9,n=30", "circuit,rows=3000", "road,rows=70000", "random,rows=3000"}) {
    const Csr<double> A = generate<double>(text);
    const auto made = RunsFormat<double>::build({A.view()}, {16});
    EXPECT_TRUE(identical(made.restore(), A)) << text;
    for (std::int64_t s = 0; s + 1 < made.slices.size(); ++s) {
      const RunSlice slice = made.slices[s];
      const Index* first = made.run_col.data() + (slice.step - slice.before);
      EXPECT_TRUE(std::is_sorted(first, first + slice.full)) << text << ", slice " << s;
      EXPECT_TRUE(std::is_sorted(first + slice.full, first + slice.runs)) << text << ", slice " << s;
    }
  }
}

TEST(Runs, leave_a_row_aside_that_is_far_longer_than_its_neighbours) {
  const Csr<double> A = diagonal_with_long_rows();
  const StepCut first = cut_steps(A.view(), 0, 25), second = cut_steps(A.view(), 16, 25),
                last = cut_steps(A.view(), 32, 25);
  EXPECT_EQ(first.aside, 1u << 5);
  EXPECT_EQ(first.entries_aside, 180);
  EXPECT_EQ(first.steps(), 1);
  EXPECT_EQ(second.aside, 1u << 4);
  EXPECT_EQ(last.aside, 0);
  const auto made = RunsFormat<double>::build({A.view()}, {.gather = 25});
  EXPECT_EQ(std::vector<Index>(made.aside.row.begin(), made.aside.row.end()), (std::vector<Index>{5, 20}));
  EXPECT_EQ(made.slices[1].aside, 1);
  EXPECT_EQ(made.slices[2].aside, 2);
  ASSERT_EQ(made.aside.col.size(), 180);  // row 20 is dense: it has masks
  EXPECT_EQ(made.aside.col[179], 895);
  expect_equal(made.restore(), A);
}

// 32 columns without a gap, 400 of which every second is there, 300 far apart, 99 without a gap again.
Csr<double> one_row_of_all_kinds() {
  std::vector<Entry> entries;
  const auto add = [&](Index begin, Index count, Index step) {
    for (Index k = 0; k < count; ++k) entries.push_back({3, begin + k * step, 1.0 + k % 13});
  };
  add(5, 32, 1), add(38, 200, 2), add(1000, 300, 40), add(20000, 99, 1);
  return from_entries(17, 20100, entries);
}

TEST(Runs, have_masks_where_a_row_aside_is_dense_and_columns_where_it_is_not) {
  const Csr<double> A = one_row_of_all_kinds();
  const auto made = RunsFormat<double>::build({A.view()}, {.gather = 25});
  ASSERT_EQ(made.aside.spans.size(), 4);
  EXPECT_EQ(made.aside.spans[0].first, 5);
  EXPECT_FALSE(made.aside.spans[1].is_dense());
  EXPECT_EQ(made.aside.spans[2].first, 20000);
  EXPECT_EQ(made.aside.mask[0], ~0u);
  EXPECT_EQ(made.aside.mask[1], 0xaaaaaaaau);
  EXPECT_EQ(made.aside.mask[made.aside.mask.size() - 1], 7u);
  EXPECT_LT(made.aside.col.size(), 310);
  expect_equal(made.restore(), A);
}

// A row of all columns but every tenth, one of every 50th, both of several parts, among single entries.
template <class V>
Csr<V> shared_rows() {
  constexpr Index rows = 600, cols = 300'000;
  std::vector<Entry> entries;
  for (Index r = 0; r < rows; ++r) {
    if (r != 7 && r != 599) entries.push_back({r, r * 11, 0.5 + r});
    for (Index c = 0; (r == 7 || r == 599) && c < cols; ++c)
      if (r == 7 ? c % 10 != 3 : c % 50 == 1) entries.push_back({r, c, static_cast<double>(c % 7) - 3.25});
  }
  return convert<V>(from_entries(rows, cols, entries).view());
}

TEST(Runs, share_giant_rows_among_threads) {
  const Csr<double> A = shared_rows<double>();
  const auto made = RunsFormat<double>::build({A.view()}, {.gather = 25});
  EXPECT_EQ(made.aside.shared.size(), 132 + 3);
  EXPECT_LE(made.aside.shared.size(), most_shared_parts);
  expect_equal(made.restore(), A);
  EXPECT_EQ(RunsFormat<double>::footprint(A.view(), {.gather = 25}, 8).bytes, [&] {
    std::int64_t bytes = 0;
    RunsFormat<double>::each_array(made, [&](const auto& array) { bytes += array.bytes(); });
    return bytes;
  }());
}

TEST(Runs, have_no_more_shared_parts_than_there_is_room_for) {
  for (const Offset entries : {Offset{1} << 20, Offset{5'000'000}, Offset{1} << 33}) {
    const Offset part = entries_of_part(entries);  // rows just long enough to be shared have the most parts
    EXPECT_LE(entries / (2 * part) * 3, most_shared_parts) << entries;
  }
}

template <class V>
std::vector<V> times(const Csr<V>& A, V beta, Isa most, int count) {
  std::vector<V> x(static_cast<std::size_t>(A.cols)), y(static_cast<std::size_t>(A.rows), V(2));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<V>(std::sin(static_cast<double>(i)));
  cap_isa(most);
  set_threads(count);
  build(A, Plan::parse("runs gather=25")).multiply(beta + 1, x, beta, y);
  set_threads(0);
  cap_isa(Isa::avx512);
  return y;
}

template <class V>
void expect_the_same_bits() {
  const Csr<V> A = shared_rows<V>();
  for (const V beta : {V(0), V(3)}) {
    const std::vector<V> expected = times<V>(A, beta, Isa::baseline, 1);
    for (const Isa set : {Isa::baseline, Isa::avx2, Isa::avx512})
      for (const int count : {1, 2, 7}) {
        const std::vector<V> y = times<V>(A, beta, set, count);
        EXPECT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(V)), 0) << to_string(set) << " " << count;
      }
  }
}

TEST(Runs, give_the_same_bits_on_every_instruction_set_and_number_of_threads) {
  expect_the_same_bits<double>();
  expect_the_same_bits<float>();
}

TEST(Runs, do_not_touch_columns_that_a_dense_row_does_not_have) {
  const Csr<double> A = shared_rows<double>();
  std::vector<double> x(static_cast<std::size_t>(A.cols), 1.0), y(static_cast<std::size_t>(A.rows));
  for (std::size_t i = 3; i < x.size(); i += 10) x[i] = NAN;
  for (const Device device : {Device::cpu(), Device::emulator()}) {
    build(A, Plan::parse("runs gather=25"), {device}).multiply(x, y);
    EXPECT_FALSE(std::isnan(y[7]));
    x[100] = NAN;
    build(A, Plan::parse("runs gather=25"), {device}).multiply(x, y);
    EXPECT_TRUE(std::isnan(y[7]));
    x[100] = 1;
  }
}

TEST(Runs, leave_no_row_aside_where_rows_are_alike) {
  for (const char* text : {"dense,rows=64", "random,rows=64,cols=4000,per_row=200", "stencil2d5,n=12"}) {
    const Csr<double> A = generate<double>(text);
    for (std::int64_t row = 0; row < A.rows; row += rows_of_run)
      EXPECT_EQ(cut_steps(A.view(), row, 25).aside, 0) << text;
  }
}

// alpha and beta reach a row aside once, and so does y = A x.
void expect_updates(const Csr<double>& A) {
  std::vector<double> x(static_cast<std::size_t>(A.cols)), y(static_cast<std::size_t>(A.rows)), expected(y);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 9) - 4;
  for (const Device device : {Device::cpu(), Device::emulator()})
    for (const double beta : {0.0, 3.0}) {
      std::fill(y.begin(), y.end(), 2.0);
      std::fill(expected.begin(), expected.end(), 2.0);
      build(A, Plan::parse("csr")).multiply(beta + 1, x, beta, expected);
      build(A, Plan::parse("runs gather=25"), {device}).multiply(beta + 1, x, beta, y);
      EXPECT_EQ(y, expected) << "beta " << beta;
    }
}
TEST(Runs, update_rows_that_are_aside_like_others) {
  expect_updates(diagonal_with_long_rows());
  expect_updates(one_row_of_all_kinds());
  expect_updates(shared_rows<double>());
}

class RunsOf : public testing::TestWithParam<const char*> {};

TEST_P(RunsOf, give_the_same_product_however_they_are_cut) {
  const Csr<double> A = generate<double>(GetParam());
  std::vector<double> x(static_cast<std::size_t>(A.cols)), expected(static_cast<std::size_t>(A.rows)), y(expected);
  Csr<double> integers = A;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 9) - 4;
  for (double& value : integers.val) value = static_cast<double>(static_cast<int>(value * 16) % 8);
  build(integers, Plan::parse("csr")).multiply(x, expected);
  for (const Device device : {Device::cpu(), Device::emulator()})
    for (const char* plan : {"runs", "runs gather=1", "runs gather=12", "runs gather=1000"}) {
      build(integers, Plan::parse(plan), {device}).multiply(x, y);
      EXPECT_EQ(y, expected) << plan;
    }
}

INSTANTIATE_TEST_SUITE_P(Matrices, RunsOf, testing::Values("fem,n=4,dof=3", "arrow,rows=300", "circuit,rows=600"));

}  // namespace
}  // namespace heddle::test
