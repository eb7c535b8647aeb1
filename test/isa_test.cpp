// One binary, several instruction sets: each must give right results in every format, on every number of threads.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include <heddle/heddle.hpp>

#include "conformance/plans.hpp"
#include "core/isa.hpp"
#include "support/oracle.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

// Sets beyond those of this CPU are what the CPU has: nothing is skipped, some are tried twice.
constexpr Isa every_set[] = {Isa::baseline, Isa::avx2, Isa::avx512};

class EveryIsa : public testing::TestWithParam<std::string> {
 protected:
  static void use_gathers(bool fast) { gathers_pay = {fast, fast, fast}; }
  // f(V{}, A) for every set, both ways to fetch elements of x and both precisions.
  template <class F>
  void each_specimen(F f) const {
    for (const Isa set : every_set)
      for (const Specimen& specimen : zoo(Zoo::small)) {
        SCOPED_TRACE("plan \"" + GetParam() + "\" on " + specimen.name + " with " + to_string(set));
        if (!footprint(specimen.A.view(), Plan::parse(GetParam())).fits) continue;
        cap_isa(set);
        for (const bool fast : {true, false}) {
          SCOPED_TRACE(fast ? "fast gathers" : "slow gathers");
          use_gathers(fast);
          f(float{}, convert<float>(specimen.A.view()));
          f(double{}, convert<double>(specimen.A.view()));
        }
      }
  }
};

template <class V>
std::vector<V> numbers(std::int64_t count, double (Dice::*draw)()) {
  Dice dice(7);
  std::vector<V> v(static_cast<std::size_t>(count));
  for (V& e : v) e = static_cast<V>((dice.*draw)());
  return v;
}

TEST_P(EveryIsa, gives_exact_sums_with_and_without_alpha_and_beta) {
  each_specimen([&](auto v, const auto& A) {
    using V = decltype(v);
    const Operator<V> op = build(A, Plan::parse(GetParam()));
    const auto x = numbers<V>(A.cols, &Dice::integer);
    std::vector<V> y(static_cast<std::size_t>(A.rows), std::numeric_limits<V>::quiet_NaN());
    op.multiply(x, y);
    EXPECT_EQ(y, exact_product(A, V(1), x, V(0), y));
    const auto expected = exact_product(A, V(-3), x, V(2), y);
    op.multiply(V(-3), x, V(2), y);
    EXPECT_EQ(y, expected);
  });
}

TEST_P(EveryIsa, lets_infinities_reach_only_rows_that_store_their_column) {
  each_specimen([&](auto v, const auto& A) {
    using V = decltype(v);
    const Operator<V> op = build(A, Plan::parse(GetParam()));
    auto x = numbers<V>(A.cols, &Dice::integer);
    for (std::size_t i = 0; i < x.size(); i += 7) x[i] = i % 2 == 0 ? std::numeric_limits<V>::infinity() : -x[i];
    if (!x.empty()) x.front() = std::numeric_limits<V>::quiet_NaN();
    std::vector<V> y(static_cast<std::size_t>(A.rows));
    op.multiply(x, y);
    for (std::int64_t row = 0; row < A.rows; ++row) EXPECT_EQ(class_of(y[row]), class_of_row(A, row, x)) << row;
  });
}

TEST_P(EveryIsa, has_the_same_bits_on_one_thread_and_on_three) {
  const Csr<double> A = generate<double>("rmat,scale=11,edges=16");
  if (!footprint(A.view(), Plan::parse(GetParam())).fits) return;
  const auto x = numbers<double>(A.cols, &Dice::real);
  const Operator<double> op = build(A, Plan::parse(GetParam()));
  for (const Isa set : every_set) {
    cap_isa(set);
    std::vector<double> one(static_cast<std::size_t>(A.rows)), three = one;
    set_threads(1);
    op.multiply(x, one);
    set_threads(3);
    op.multiply(x, three);
    EXPECT_EQ(std::memcmp(one.data(), three.data(), one.size() * sizeof(double)), 0) << to_string(set);
  }
}

// Rows of every length, so that each way to end a row is taken; real numbers, so that another order of adding shows.
TEST_P(EveryIsa, has_the_same_bits_whether_elements_of_x_are_gathered_or_loaded) {
  std::vector<std::int64_t> lengths(700);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = static_cast<std::int64_t>(i * 7 % 35);
  const Csr<double> A = with_lengths(lengths, 900, 3);
  if (!footprint(A.view(), Plan::parse(GetParam())).fits) return;
  const auto compare = [&](const auto& matrix) {
    using V = std::decay_t<decltype(matrix.val[0])>;
    const Operator<V> op = build(matrix, Plan::parse(GetParam()));
    const auto x = numbers<V>(matrix.cols, &Dice::real);
    std::vector<V> gathered(static_cast<std::size_t>(matrix.rows)), loaded = gathered;
    for (const Isa set : every_set) {
      cap_isa(set);
      use_gathers(true);
      op.multiply(x, gathered);
      use_gathers(false);
      op.multiply(x, loaded);
      EXPECT_EQ(std::memcmp(gathered.data(), loaded.data(), gathered.size() * sizeof(V)), 0) << to_string(set);
    }
  };
  compare(A);
  compare(convert<float>(A.view()));
}

std::vector<std::string> default_plans() {
  std::vector<std::string> plans;
  for (const FormatInfo& format : formats())
    for (const std::string& start : starts(format)) plans.push_back(start);
  return plans;
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryIsa, testing::ValuesIn(default_plans()), [](const auto& test) {
  std::string name = test.param;
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
});

// A row of random columns as long as the whole rest of the matrix, cut into pieces that threads share.
TEST(GiantRow, is_exact_and_has_the_same_bits_on_any_number_of_threads) {
  const std::int64_t width = 300000;
  std::vector<std::int64_t> lengths(2000, 3);
  lengths[700] = width;
  lengths.back() = width / 2;
  const Csr<double> A = with_lengths(lengths, 2 * width, 5);
  const Operator<double> op = build(A, Plan::parse("csr"));
  const auto integers = numbers<double>(A.cols, &Dice::integer), reals = numbers<double>(A.cols, &Dice::real);
  for (const Isa set : every_set) {
    cap_isa(set);
    std::vector<double> first(static_cast<std::size_t>(A.rows)), y = first;
    op.multiply(integers, y);
    EXPECT_EQ(y, exact_product(A, 1.0, integers, 0.0, y));
    const auto expected = exact_product(A, 2.0, integers, 3.0, y);
    op.multiply(2.0, integers, 3.0, y);
    EXPECT_EQ(y, expected);
    set_threads(1);
    op.multiply(reals, first);
    for (const int count : {2, 3, 5}) {
      set_threads(count);
      op.multiply(reals, y);
      EXPECT_EQ(std::memcmp(first.data(), y.data(), y.size() * sizeof(double)), 0) << count << " threads";
    }
    set_threads(0);
  }
}

// Short rows among their like take another way than among long ones.
template <class V>
void expect_rows_not_to_depend_on_neighbours() {
  std::vector<std::int64_t> lengths, mixed;
  for (std::int64_t i = 0; i < 400; ++i) {
    lengths.push_back(i < 200 ? i % 4 + i % 7 / 5 : i * 7 % 5);
    mixed.push_back(lengths.back());
    mixed.push_back(30);
  }
  auto alone = convert<V>(with_lengths(lengths, 500, 3).view()), among = convert<V>(with_lengths(mixed, 500, 4).view());
  Dice dice(8);
  for (std::int64_t row = 0; row < alone.rows; ++row)
    for (Offset k = 0; k < lengths[static_cast<std::size_t>(row)]; ++k) {
      alone.val[alone.ptr[row] + k] = static_cast<V>(dice.below(5) == 0 ? -0.0 : dice.real());
      among.val[among.ptr[2 * row] + k] = alone.val[alone.ptr[row] + k];
      among.col[among.ptr[2 * row] + k] = alone.col[alone.ptr[row] + k];
    }
  const auto x = numbers<V>(500, &Dice::real);
  std::vector<V> y(static_cast<std::size_t>(alone.rows)), y_among(static_cast<std::size_t>(among.rows));
  build(alone, Plan::parse("csr")).multiply(x, y);
  build(among, Plan::parse("csr")).multiply(x, y_among);
  for (std::size_t row = 0; row < y.size(); ++row)
    EXPECT_EQ(std::memcmp(&y[row], &y_among[2 * row], sizeof(V)), 0) << "row " << row << ": " << y[row];
}

TEST(RowsOfCsr, have_the_same_bits_whatever_rows_are_beside_them) {
  for (const Isa set : every_set) {
    SCOPED_TRACE(to_string(set));
    cap_isa(set);
    expect_rows_not_to_depend_on_neighbours<double>();
    expect_rows_not_to_depend_on_neighbours<float>();
  }
}

// Bytes of what `compute` returns, which must be the same on every set.
template <class F>
void expect_same_bits_on_every_set(F compute) {
  cap_isa(Isa::baseline);
  const auto expected = compute();
  for (const Isa set : every_set) {
    cap_isa(set);
    const auto found = compute();
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), expected.size() * sizeof(expected[0])), 0) << to_string(set);
  }
}

template <class V>
void expect_products_to_have_the_same_bits(const Csr<V>& A, const std::string& plan) {
  const Operator<V> op = build(A, Plan::parse(plan));
  const auto x = numbers<V>(A.cols, &Dice::real);
  expect_same_bits_on_every_set([&] {
    std::vector<V> y(static_cast<std::size_t>(A.rows), V(1));
    op.multiply(V(2), x, V(-0.5), y);
    return y;
  });
  expect_same_bits_on_every_set([&] {
    std::vector<V> y(static_cast<std::size_t>(A.rows), std::numeric_limits<V>::quiet_NaN());
    op.multiply(x, y);
    return y;
  });
}

TEST(BlocksOfBcsr, have_the_same_bits_on_every_set_with_and_without_holes) {
  for (const char* matrix : {"fem,n=5,dof=3", "rmat,scale=9,edges=16", "dense,rows=50"})
    for (const char* plan : {"bcsr r=3 c=3", "bcsr r=4 c=4", "bcsr r=8 c=8", "bcsr r=2 c=5", "bcsr r=1 c=1"}) {
      SCOPED_TRACE(std::string(plan) + " on " + matrix);
      expect_products_to_have_the_same_bits(generate<double>(matrix), plan);
      expect_products_to_have_the_same_bits(generate<float>(matrix), plan);
    }
}

// Full blocks, such with holes, blocks that reach beyond the last row and column; columns of 16 and of 32 bits.
TEST(BlocksOfWeave, have_the_same_bits_on_every_set_with_and_without_holes) {
  for (const char* matrix : {"fem,n=5,dof=3", "rmat,scale=9,edges=16", "dense,rows=50", "random,rows=90,cols=300000"})
    for (const char* plan : {"block=2 lanes=1", "block=3 lanes=1", "block=3 lanes=8", "block=4 lanes=4"}) {
      SCOPED_TRACE(std::string(plan) + " on " + matrix);
      expect_products_to_have_the_same_bits(generate<double>(matrix), std::string("weave layout=blocks ") + plan);
      expect_products_to_have_the_same_bits(generate<float>(matrix), std::string("weave layout=blocks ") + plan);
    }
}

// Neighbouring slices and columns of all rows, with lengths and with marks, rows that have ended and none at all.
TEST(SlicesOfRows, have_the_same_bits_on_every_set) {
  for (const char* matrix : {"road,rows=3000", "rmat,scale=9,edges=16", "band,rows=77,width=9", "fem,n=5,dof=3"})
    for (const char* plan : {"sell", "sell C=8 sigma=64", "sell C=64 lanes=4", "ell", "ellr", "ellr T=4", "rgcsr",
                             "hyb", "ell16", "runs", "runs gather=1", "runs gather=1000"}) {
      SCOPED_TRACE(std::string(plan) + " on " + matrix);
      expect_products_to_have_the_same_bits(generate<double>(matrix), plan);
      expect_products_to_have_the_same_bits(generate<float>(matrix), plan);
    }
}

// Whole diagonals, such with gaps, rows without entries, and ends where x has no element for some rows.
TEST(DiagonalsOfWeave, have_the_same_bits_on_every_set_with_every_codec) {
  const auto check = [](auto A, const char* codec) {
    if (std::string(codec) != "raw")
      for (auto& value : A.val) value = static_cast<float>(static_cast<int>(value * 8)) / 8;
    expect_products_to_have_the_same_bits(A, std::string("weave layout=diagonals values=") + codec);
  };
  for (const char* matrix : {"road,rows=3000", "stencil2d9,n=31,coefficients=varying", "fem,n=5,dof=3"})
    for (const char* codec : {"raw", "f32", "dictionary"}) {
      SCOPED_TRACE(std::string(codec) + " on " + matrix);
      check(generate<double>(matrix), codec);
      if (codec != std::string("f32")) check(generate<float>(matrix), codec);
    }
  expect_products_to_have_the_same_bits(generate<double>("stencil3d7,n=11"), "weave layout=diagonals values=constant");
  expect_products_to_have_the_same_bits(generate<float>("stencil3d7,n=11"), "weave layout=diagonals values=constant");
}

TEST(SolutionsOfCg, have_the_same_bits_on_every_set) {
  const Csr<double> A = generate<double>("stencil3d7,n=21");
  const Operator<double> op = build(A, Plan::parse("sell"));
  const auto b = numbers<double>(A.rows, &Dice::real);
  for (const char* preconditioner : {"none", "jacobi"})
    expect_same_bits_on_every_set([&] {
      std::vector<double> x(b.size());
      solve(op, b, x, {.method = "cg", .preconditioner = preconditioner, .max_iterations = 25, .matrix = &A});
      return x;
    });
}

TEST(Isa, is_never_wider_than_the_cap) {
  const Isa widest = isa();
  for (const Isa set : every_set) {
    cap_isa(set);
    EXPECT_EQ(isa(), std::min(set, widest));
  }
}

}  // namespace
}  // namespace heddle::test
