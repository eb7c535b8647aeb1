// Formats from outside: registered, asked, built, multiplied, and found out where they break the contract.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include <heddle/heddle.hpp>

#include "../../examples/custom_format/ones.hpp"
#include "core/update.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

// csr from outside, with a setting; the formats below break one promise each.
template <class V>
struct Rows {
  Csr<V> A;
  int times = 1;

  auto arrays() { return std::tie(A.ptr, A.col, A.val); }
  static FormatInfo named(const char* name) {
    return {name, "rows", "a test", "", {{"times", "1", "each row is summed so often", {}, 1, 4}}};
  }
  static FormatInfo about() { return named("outer_rows"); }
  static Footprint footprint(const PatternView& A, const Plan&, int value_bytes) {
    return {.bytes = 8 * (A.rows + 1) + (4 + value_bytes) * A.nnz(),
            .stored = A.nnz(),
            .padding_percent = 0,
            .fits = true,
            .reason = {}};
  }
  static ProductWork work(const Structure& facts, const Plan& plan, int value_bytes) {
    return {.bytes = 8.0 * static_cast<double>(facts.rows + 1) + (4.0 + value_bytes) * static_cast<double>(facts.nnz),
            .places = static_cast<double>(facts.nnz) * setting(plan, "times")};
  }
  static Rows build(const CsrView<V>& A, const Plan& plan) {
    return {{A.rows, A.cols, Buffer<Offset>::copy_of(A.ptr), Buffer<Index>::copy_of(A.col), Buffer<V>::copy_of(A.val)},
            setting(plan, "times")};
  }
  Csr<V> restore() const { return A; }
  V sum(std::int64_t row, const V* x) const {
    V sum = 0;
    for (int again = 0; again < times; ++again) {
      sum = 0;
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) sum += A.val[k] * x[A.col[k]];
    }
    return sum;
  }
  template <class F>
  void each_row(F f) const {
    for_rows(A.rows, A.nnz(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) f(row, A.ptr[row] < A.ptr[row + 1]);
    });
  }
  void multiply(const FormatProduct<V>& p) const {
    each_row([&](std::int64_t row, bool any) { p.put(row, sum(row, p.x), any); });
  }
};

template <class V>
struct AddsLast : Rows<V> {  // loses the first entry of long rows
  static FormatInfo about() { return Rows<V>::named("adds_last"); }
  static AddsLast build(const CsrView<V>& A, const Plan& plan) { return {Rows<V>::build(A, plan)}; }
  void multiply(const FormatProduct<V>& p) const {
    const Csr<V>& M = this->A;
    this->each_row([&](std::int64_t row, bool any) {
      const V lost = M.ptr[row + 1] - M.ptr[row] > 1000 ? M.val[M.ptr[row]] * p.x[M.col[M.ptr[row]]] : V(0);
      p.put(row, this->sum(row, p.x) - lost, any);
    });
  }
};

template <class V>
struct ReadsY : Rows<V> {  // where rows have entries
  static FormatInfo about() { return Rows<V>::named("reads_y"); }
  static ReadsY build(const CsrView<V>& A, const Plan& plan) { return {Rows<V>::build(A, plan)}; }
  void multiply(const FormatProduct<V>& p) const {
    this->each_row([&](std::int64_t row, bool any) {
      const V sum = this->sum(row, p.x);
      any ? void(p.y[row] = p.alpha * sum + p.beta * p.y[row]) : p.put(row, sum, any);
    });
  }
};

template <class V>
struct Multiplies0 : Rows<V> {  // padding that is multiplied, at column 0
  static FormatInfo about() { return Rows<V>::named("multiplies_0"); }
  static Multiplies0 build(const CsrView<V>& A, const Plan& plan) { return {Rows<V>::build(A, plan)}; }
  void multiply(const FormatProduct<V>& p) const {
    const std::int64_t middle = this->A.cols / 2;
    this->each_row(
        [&](std::int64_t row, bool any) { p.put(row, this->sum(row, p.x) + (any ? V(0) * p.x[middle] : V(0)), any); });
  }
};

template <class V>
struct SplitByThreads : Rows<V> {
  static FormatInfo about() { return Rows<V>::named("split_by_threads"); }
  static SplitByThreads build(const CsrView<V>& A, const Plan& plan) { return {Rows<V>::build(A, plan)}; }
  void multiply(const FormatProduct<V>& p) const {
    const Csr<V>& M = this->A;
    this->each_row([&](std::int64_t row, bool any) {
      std::vector<V> part(static_cast<std::size_t>(threads()), V(0));
      for (Offset k = M.ptr[row]; k < M.ptr[row + 1]; ++k)
        part[static_cast<std::size_t>(k) % part.size()] += M.val[k] * p.x[M.col[k]];
      V sum = 0;
      for (const V one : part) sum += one;
      p.put(row, sum, any);
    });
  }
};

template <class V>
struct Forgets : Rows<V> {  // half of what it says to keep
  static FormatInfo about() { return Rows<V>::named("forgets"); }
  static Footprint footprint(const PatternView& A, const Plan& plan, int value_bytes) {
    Footprint need = Rows<V>::footprint(A, plan, value_bytes);
    need.bytes /= 2;
    return need;
  }
  static Forgets build(const CsrView<V>& A, const Plan& plan) { return {Rows<V>::build(A, plan)}; }
  Csr<V> restore() const {
    Csr<V> kept = this->A;
    if (kept.nnz() > 0) kept.val[0] = 0;
    return kept;
  }
};

template <class V>
struct TakesNothing : Rows<V> {
  static FormatInfo about() { return Rows<V>::named("takes_nothing"); }
  static TakesNothing build(const CsrView<V>&, const Plan&) {
    throw Error(ErrorKind::unavailable, "not for this matrix");
  }
};

template <class V>
struct Listed : Rows<V> {
  static FormatInfo about() { return Rows<V>::named("listed"); }
  static Listed build(const CsrView<V>& A, const Plan& plan) { return {Rows<V>::build(A, plan)}; }
};

// A process knows a format once and for good, whichever test comes first.
template <template <class> class F>
void known() {
  static const bool now = (register_format<F>(), true);
  ASSERT_TRUE(now);
}

// The first complaint about it; empty: there is none.
template <template <class> class F>
std::string found_in(const char* name) {
  known<F>();
  const auto broken = broken_promises(Plan::parse(name));
  return broken.empty() ? "" : broken.front();
}

TEST(CustomFormat, that_of_the_example_keeps_all_promises) { EXPECT_EQ(found_in<Ones>("ones"), ""); }

TEST(CustomFormat, the_check_finds_each_promise_that_is_broken) {
  EXPECT_EQ(found_in<Rows>("outer_rows"), "");
  EXPECT_NE(found_in<AddsLast>("adds_last").find("a wrong sum"), std::string::npos);
  EXPECT_NE(found_in<ReadsY>("reads_y").find("beta = 0 reads y"), std::string::npos);
  EXPECT_NE(found_in<Multiplies0>("multiplies_0").find("Inf or NaN of x in the wrong rows"), std::string::npos);
  EXPECT_NE(found_in<SplitByThreads>("split_by_threads").find("other bits with"), std::string::npos);
  EXPECT_NE(found_in<Forgets>("forgets").find("footprint says"), std::string::npos);
  EXPECT_NE(found_in<TakesNothing>("takes_nothing").find("takes no matrix"), std::string::npos);
}

TEST(CustomFormat, the_check_finds_nothing_in_formats_of_the_library) {
  for (const char* plan : {"csr", "sell sigma=1024", "hyb", "weave"})
    EXPECT_EQ(broken_promises(Plan::parse(plan)), std::vector<std::string>()) << plan;
}

TEST(CustomFormat, is_listed_with_its_settings_and_old_lists_stay) {
  const auto& before = formats();
  const std::size_t count = before.size();
  known<Listed>();
  EXPECT_EQ(before.size(), count);
  EXPECT_EQ(formats().size(), count + 1);
  EXPECT_THROW(register_format<Listed>(), Error) << "a name for two formats";
  known<Rows>();
  EXPECT_EQ(find_format("outer_rows").settings.front().high, 4);
  const Csr<double> A = with_lengths({2, 1, 4}, 8, 1);
  EXPECT_EQ(to_string(resolve(A.view(), Plan::parse("outer_rows"))), "outer_rows times=1");
  EXPECT_EQ(to_string(build(A, Plan::parse("outer_rows times=3")).plan()), "outer_rows times=3");
  EXPECT_THROW((void)build(A, Plan::parse("outer_rows times=5")), Error);
  EXPECT_THROW((void)build(A, Plan::parse("outer_rows width=1")), Error);
}

TEST(CustomFormat, refuses_names_that_are_taken_or_none_and_fallbacks_that_are_not_allowed) {
  const auto kind_of = [](FormatInfo info) {
    CustomFormat format;
    format.info = std::move(info);
    try {
      add_format(std::move(format));
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind_of({"csr", "", "", "", {}}), ErrorKind::usage);
  EXPECT_EQ(kind_of({"", "", "", "", {}}), ErrorKind::usage);
  EXPECT_EQ(kind_of({"two words", "", "", "", {}}), ErrorKind::usage);
  EXPECT_EQ(kind_of({"wrong_fallback", "", "", "", {{"n", "9", "", {}, 1, 4}}}), ErrorKind::usage);
  EXPECT_EQ(kind_of({"wrong_word", "", "", "", {{"n", "c", "", {"a", "b"}, 0, 0}}}), ErrorKind::usage);
  for (const FormatInfo& info : formats()) EXPECT_FALSE(info.name.starts_with("wrong_")) << info.name;
}

TEST(CustomFormat, multiplies_several_vectors_and_the_transpose_as_others_do) {
  known<Rows>();
  const Csr<double> A = with_lengths({2, 0, 4, 1}, 6, 1);
  const auto ours =
      build(A, Plan::parse("outer_rows"), {.device = Device::cpu(), .transposed = true, .right_hand_sides = 2});
  const auto csr = build(A, Plan::parse("csr"), {.device = Device::cpu(), .transposed = true, .right_hand_sides = 2});
  const std::vector<double> X{1, -2, 3, 4, -5, 6, 7, 8, -9, 10, 11, 12}, t{1, 2, 3, 4};
  std::vector<double> Y(8), Y_of_csr(8), s(6), s_of_csr(6);
  ours.multiply_many({X, 2}, {Y, 2});
  csr.multiply_many({X, 2}, {Y_of_csr, 2});
  EXPECT_EQ(Y, Y_of_csr);
  ours.multiply_transposed(1.0, t, 0.0, s);
  csr.multiply_transposed(1.0, t, 0.0, s_of_csr);
  EXPECT_EQ(s, s_of_csr);
}

TEST(CustomFormat, without_a_kernel_for_a_gpu_it_is_refused_there_and_says_why) {
  known<Rows>();
  const Csr<double> A = with_lengths({2, 1, 4}, 8, 1);
  try {
    (void)build(A, Plan::parse("outer_rows"), {.device = Device::emulator()});
    FAIL() << "the emulator ran it";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_NE(std::string(error.what()).find("emulator"), std::string::npos);
  }
}

TEST(CustomFormat, a_row_reaches_y_by_the_rule_of_the_library) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double alpha : {1.0, -2.0, nan})
    for (const double beta : {0.0, -0.0, 1.0, 0.3, nan})
      for (const double old : {5.0, -0.0, nan})
        for (const double sum : {0.0, -0.0, 0.7, nan})
          for (const bool any : {false, true}) {
            double theirs = old, ours = old;
            FormatProduct<double>{alpha, beta, nullptr, &theirs, {}}.put(0, sum, any);
            Update<double>{alpha, beta, &ours, nullptr}.row(0, sum, any);
            EXPECT_EQ(std::memcmp(&theirs, &ours, sizeof ours), 0) << alpha << " " << beta << " " << old << " " << sum;
          }
}

TEST(CustomFormat, rows_are_shared_whole_and_once) {
  std::vector<int> seen(100000, 0);
  for_rows(100000, 1 << 20, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) ++seen[static_cast<std::size_t>(row)];
  });
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 100000);
}

}  // namespace
}  // namespace heddle::test
