// Overlapped: products begin by csr and go on by the plan that was chosen meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>
#include <heddle/overlapped.hpp>

#include "core/parallel.hpp"

namespace heddle::test {
namespace {

using Builder = std::function<std::optional<Operator<double>>()>;

class OverlappedProducts : public testing::Test {
 protected:
  OverlappedProducts() : A(generate<double>("stencil3d7,n=20")), x(A.cols), expected(product(build(A))) {}

  // Small whole numbers: the same in every order of adding.
  Buffer<double> product(const Operator<double>& op) {
    for (std::int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 7 - 3);
    Buffer<double> y(A.rows);
    op.multiply(x, y);
    return y;
  }
  bool multiplies(const Overlapped<double>& op) {
    Buffer<double> y(A.rows);
    op.multiply(x, y);
    return std::ranges::equal(y, expected);
  }

  Csr<double> A;
  Buffer<double> x, expected;
};

TEST_F(OverlappedProducts, begin_by_csr_and_go_on_by_the_better_operator_once_it_is_built) {
  std::promise<void> may_build;
  Overlapped<double> op(build(A), [&]() -> std::optional<Operator<double>> {
    may_build.get_future().wait();
    return build(A, Plan::parse("sell C=8"));
  });
  EXPECT_FALSE(op.settled());
  EXPECT_EQ(op.now().plan().format, "csr");
  EXPECT_TRUE(multiplies(op));
  may_build.set_value();
  op.wait();
  EXPECT_TRUE(op.settled());
  EXPECT_EQ(op.now().plan().format, "sell");
  EXPECT_TRUE(multiplies(op));
  EXPECT_EQ(op.error(), "");
}

TEST_F(OverlappedProducts, end_with_the_plan_that_optimize_takes) {
  for (const Device device : {Device::cpu(), Device::parse("emulator")}) {
    Overlapped<double> op(A, {.device = device});
    op.wait();
    EXPECT_EQ(op.now().plan(), optimize(A, {.device = device}).plan()) << to_string(device);
    EXPECT_TRUE(multiplies(op));
  }
}

TEST_F(OverlappedProducts, choose_for_many_whatever_number_is_expected) {
  const Device device = Device::parse("emulator");
  Overlapped<double> op(A, {.expected_multiplies = 1, .device = device});
  op.wait();
  EXPECT_NE(op.now().plan().format, "csr");
  EXPECT_EQ(op.now().plan(), optimize(A, {.device = device}).plan());
}

TEST_F(OverlappedProducts, scale_and_add) {
  Overlapped<double> op(A);
  for (int round = 0; round < 2; ++round, op.wait()) {
    Buffer<double> y(A.rows);
    std::fill(y.begin(), y.end(), 1.0);
    op.multiply(2.0, x, 3.0, y);
    for (std::int64_t row = 0; row < A.rows; ++row) ASSERT_EQ(y[row], 2 * expected[row] + 3);
  }
}

TEST_F(OverlappedProducts, stay_with_csr_where_building_fails_and_say_why) {
  Overlapped<double> op(build(A),
                        Builder([]() -> std::optional<Operator<double>> { throw std::runtime_error("no room"); }));
  op.wait();
  EXPECT_EQ(op.error(), "no room");
  EXPECT_EQ(op.now().plan().format, "csr");
  EXPECT_TRUE(multiplies(op));
}

TEST_F(OverlappedProducts, stay_with_csr_where_the_builder_throws_what_is_no_exception) {
  Overlapped<double> op(build(A), Builder([]() -> std::optional<Operator<double>> { throw 42; }));
  op.wait();
  EXPECT_NE(op.error(), "");
  EXPECT_EQ(op.now().plan().format, "csr");
}

TEST_F(OverlappedProducts, leave_a_core_to_the_thread_that_multiplies) {
  const auto most_at_once = [] {
    std::atomic<int> now = 0, most = 0;
    parallel_tasks(8, [&](std::int64_t) {
      const int here = ++now;
      for (int before = most; before < here && !most.compare_exchange_weak(before, here);) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      --now;
    });
    return most.load();
  };
  set_threads(4);
  EXPECT_EQ(most_at_once(), 4);
  int while_building = 0;
  Overlapped<double> op(build(A), Builder([&] {
                          while_building = most_at_once();
                          return std::optional<Operator<double>>();
                        }));
  op.wait();
  EXPECT_EQ(most_at_once(), 4);
  EXPECT_EQ(while_building, 3);
}

TEST_F(OverlappedProducts, stay_with_csr_where_the_other_operator_is_of_another_matrix) {
  Overlapped<double> op(build(A),
                        Builder([] { return build(generate<double>("stencil3d7,n=4"), Plan::parse("sell")); }));
  op.wait();
  EXPECT_EQ(op.now().plan().format, "csr");
  EXPECT_NE(op.error().find("not of the same matrix"), std::string::npos) << op.error();
}

TEST_F(OverlappedProducts, stay_with_csr_where_nothing_is_better) {
  Overlapped<double> op(build(A), Builder([] { return std::optional<Operator<double>>(); }));
  op.wait();
  EXPECT_EQ(op.now().plan().format, "csr");
  EXPECT_EQ(op.error(), "");
}

TEST_F(OverlappedProducts, give_the_last_operator_away) {
  Overlapped<double> better(build(A), Builder([&] { return build(A, Plan::parse("sell")); }));
  EXPECT_EQ(std::move(better).take().plan().format, "sell");
  Overlapped<double> none(build(A), Builder([] { return std::optional<Operator<double>>(); }));
  EXPECT_EQ(std::move(none).take().plan().format, "csr");
}

TEST_F(OverlappedProducts, of_several_threads_are_right_before_while_and_after_it_changes) {
  std::promise<void> may_build;
  Overlapped<double> op(build(A), [&]() -> std::optional<Operator<double>> {
    may_build.get_future().wait();
    return build(A, Plan::parse("sell C=8"));
  });
  std::atomic<int> right = 0, before = 0;
  std::vector<std::thread> threads;
  constexpr int callers = 3;
  for (int t = 0; t < callers; ++t)
    threads.emplace_back([&] {
      int all = 1;
      for (bool last = false; !last;) {
        last = op.settled();
        all &= static_cast<int>(multiplies(op));
        ++before;
      }
      right += all;
    });
  while (before < 2 * callers) std::this_thread::yield();
  may_build.set_value();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, callers);
}

TEST(Overlapped, takes_a_matrix_without_entries) {
  Overlapped<float> op(to_csr(Coo<float>{.rows = 3, .cols = 4}));
  op.wait();
  const Buffer<float> x{1, 2, 3, 4};
  Buffer<float> y{7, 7, 7};
  op.multiply(x, y);
  EXPECT_TRUE(std::ranges::all_of(y, [](float v) { return v == 0; }));
  EXPECT_EQ(op.error(), "");
}

TEST(Overlapped, refuses_a_broken_matrix_at_once) {
  Csr<double> A = generate<double>("stencil2d5,n=4");
  A.col[0] = 1000;
  EXPECT_THROW(Overlapped<double>{std::move(A)}, Error);
}

}  // namespace
}  // namespace heddle::test
