// Every format gets this suite for free: registry x device x precision x zoo. The device is HEDDLE_TEST_DEVICE
// (cpu, emulator, gpu); HEDDLE_TEST_ZOO=small keeps to the quick specimens, and =brief does so except where entries are
// placed, found again and summed. A failure names the plan and the specimen.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include <heddle/heddle.hpp>

#include "conformance/devices.hpp"
#include "conformance/plans.hpp"
#include "simt/simt.hpp"
#include "support/guarded_memory.hpp"
#include "support/oracle.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

Device device_under_test() {
  const char* name = std::getenv("HEDDLE_TEST_DEVICE");
  return Device::parse(name ? name : "cpu");
}

bool asked_for(const char* size) {
  const char* wanted = std::getenv("HEDDLE_TEST_ZOO");
  return wanted && std::string(wanted) == size;
}
// What every kernel must have met, ...
Zoo whole_zoo() {
  const bool any = std::getenv("HEDDLE_TEST_ZOO") != nullptr;
  const bool small = any ? asked_for("small") : device_under_test() == Device::emulator();
  return small ? Zoo::small : Zoo::full;
}
// ... and what is enough, where time is short, for promises that the size of a matrix does not put at risk.
Zoo zoo_under_test() { return asked_for("brief") ? Zoo::small : whole_zoo(); }

template <class V>
std::vector<V> integers(std::int64_t n, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<V> v(static_cast<std::size_t>(n));
  for (V& e : v) e = static_cast<V>(dice.integer());
  return v;
}
template <class V>
std::vector<V> reals(std::int64_t n, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<V> v(static_cast<std::size_t>(n));
  for (V& e : v) e = static_cast<V>(dice.real());
  return v;
}

// Multiplies with vectors in the device's own memory, at an element offset from its alignment, y inside a larger
// buffer whose surroundings must stay as they are.
template <class V>
std::vector<V> product_on_device(const Operator<V>& op, V alpha, const std::vector<V>& x, V beta,
                                 const std::vector<V>& y, std::int64_t offset = 0) {
  constexpr std::int64_t margin = 32;
  constexpr V untouched = V(-77);
  const auto x_size = static_cast<std::int64_t>(x.size()), y_size = static_cast<std::int64_t>(y.size());
  std::vector<V> x_whole(static_cast<std::size_t>(x_size + 2 * margin), std::numeric_limits<V>::quiet_NaN());
  std::vector<V> y_whole(static_cast<std::size_t>(y_size + 2 * margin), untouched);
  std::copy(x.begin(), x.end(), x_whole.begin() + margin + offset);
  std::copy(y.begin(), y.end(), y_whole.begin() + margin + offset);
  const auto x_there = Buffer<V>::copy_of(x_whole, op.device());
  auto y_there = Buffer<V>::copy_of(y_whole, op.device());
  op.multiply(alpha, {x_there.data() + margin + offset, x.size()}, beta, {y_there.data() + margin + offset, y.size()});
  const Buffer<V> back = y_there.to(Device::cpu());
  const Buffer<V> x_back = x_there.to(Device::cpu());
  EXPECT_EQ(std::memcmp(x_back.data(), x_whole.data(), x_back.bytes()), 0) << "x was written to";
  for (std::int64_t i = 0; i < back.size(); ++i)
    if (i < margin + offset || i >= margin + offset + y_size) {
      EXPECT_EQ(back[i], untouched) << "written outside y, at y[" << i - margin - offset << "]";
    }
  return {back.begin() + margin + offset, back.begin() + margin + offset + y_size};
}

template <class V>
bool same_bits(const std::vector<V>& a, const std::vector<V>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0);
}

class Conformance : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (device_under_test().kind == Device::Kind::gpu && !gpu_available()) GTEST_SKIP() << "no GPU: " << gpu_absence();
  }
  Plan plan() const { return Plan::parse(GetParam()); }

  // f(V{}, A, name) for both precisions and every specimen the plan fits; a plan that does not fit must refuse.
  template <class F>
  void each_specimen(F f, Zoo size = zoo_under_test()) const {
    for (const Specimen& specimen : zoo(size)) {
      SCOPED_TRACE("plan \"" + GetParam() + "\" on " + specimen.name);
      if (!footprint(specimen.A.view(), plan()).fits) {
        EXPECT_THROW((void)build(specimen.A, plan(), {device_under_test()}), Error);
        continue;
      }
      f(float{}, convert<float>(specimen.A.view()));
      f(double{}, convert<double>(specimen.A.view()));
    }
  }
};

TEST_P(Conformance, restores_the_matrix_bit_by_bit) {
  each_specimen(
      [&](auto v, auto A) {
        using V = decltype(v);
        const V odd[] = {V(-0.0),
                         V(0),
                         std::numeric_limits<V>::quiet_NaN(),
                         std::numeric_limits<V>::infinity(),
                         std::numeric_limits<V>::denorm_min(),
                         std::numeric_limits<V>::max(),
                         V(1) / V(3)};
        for (std::int64_t k = 0; k < A.nnz(); k += 5) A.val[k] = odd[k / 5 % 7];
        EXPECT_TRUE(identical(build(A, plan(), {device_under_test()}).restore(), A));
      },
      whole_zoo());
}

TEST_P(Conformance, gives_exact_sums_on_integer_data_and_writes_every_row) {
  each_specimen(
      [&](auto v, const auto& A) {
        using V = decltype(v);
        const auto op = build(A, plan(), {device_under_test()});
        const auto x = integers<V>(A.cols, 1), y = integers<V>(A.rows, 2);
        const std::vector<V> nan(y.size(), std::numeric_limits<V>::quiet_NaN());
        EXPECT_EQ(product_on_device(op, V(1), x, V(0), nan), exact_product(A, V(1), x, V(0), nan));
        EXPECT_EQ(product_on_device(op, V(-2), x, V(3), y), exact_product(A, V(-2), x, V(3), y));
        EXPECT_EQ(product_on_device(op, V(1), x, V(1), y), exact_product(A, V(1), x, V(1), y));
      },
      whole_zoo());
}

TEST_P(Conformance, keeps_the_row_bound_on_real_data) {
  each_specimen([&](auto v, auto A) {
    using V = decltype(v);
    const auto values = reals<V>(A.nnz(), 3);
    std::copy(values.begin(), values.end(), A.val.begin());
    const auto x = reals<V>(A.cols, 4), y = reals<V>(A.rows, 5);
    const auto op = build(A, plan(), {device_under_test()});
    const auto got = product_on_device(op, V(0.7), x, V(-0.3), y);
    for (std::int64_t row = 0; row < A.rows; ++row) {
      const RowBound bound = row_bound(A, row, V(0.7), x, V(-0.3), y[row]);
      EXPECT_LE(std::abs(got[row] - bound.reference), bound.allowed) << "row " << row;
    }
  });
}

TEST_P(Conformance, gives_the_same_bits_every_time) {
  each_specimen(
      [&](auto v, auto A) {
        using V = decltype(v);
        const auto values = reals<V>(A.nnz(), 6);
        std::copy(values.begin(), values.end(), A.val.begin());
        const auto x = reals<V>(A.cols, 7), y = reals<V>(A.rows, 8);
        const auto op = build(A, plan(), {device_under_test()});
        const auto first = product_on_device(op, V(1), x, V(0.5), y);
        for (const int count : {1, 2, 3, 0}) {
          set_threads(count);
          simt::emulator::set_order(count % 2 ? simt::emulator::Order::reverse : simt::emulator::Order::forward);
          EXPECT_TRUE(same_bits(first, product_on_device(op, V(1), x, V(0.5), y))) << "threads " << count;
        }
        const auto again = build(A, plan(), {device_under_test()});
        EXPECT_TRUE(same_bits(first, product_on_device(again, V(1), x, V(0.5), y))) << "built twice";
      },
      device_under_test() == Device::emulator() ? Zoo::small : zoo_under_test());
}

TEST_P(Conformance, reads_neither_y_when_beta_is_zero_nor_x_and_A_when_alpha_is_zero) {
  each_specimen([&](auto v, auto A) {
    using V = decltype(v);
    const V nan = std::numeric_limits<V>::quiet_NaN();
    const std::vector<V> nan_x(static_cast<std::size_t>(A.cols), nan), nan_y(static_cast<std::size_t>(A.rows), nan);
    const auto x = integers<V>(A.cols, 9), y = integers<V>(A.rows, 10);
    const auto healthy = build(A, plan(), {device_under_test()});
    EXPECT_EQ(product_on_device(healthy, V(2), x, V(0), nan_y), exact_product(A, V(2), x, V(0), y));
    std::fill(A.val.begin(), A.val.end(), nan);
    const auto sick = build(A, plan(), {device_under_test()});
    std::vector<V> scaled = y;
    for (V& e : scaled) e *= V(3);
    EXPECT_EQ(product_on_device(sick, V(0), nan_x, V(3), y), scaled);
    EXPECT_EQ(product_on_device(sick, V(0), nan_x, V(0), nan_y), std::vector<V>(y.size(), V(0)));
  });
}

TEST_P(Conformance, gives_plus_zero_for_rows_without_entries_whatever_alpha) {
  each_specimen([&](auto v, const auto& A) {
    using V = decltype(v);
    const auto op = build(A, plan(), {device_under_test()});
    const auto x = integers<V>(A.cols, 11);
    const std::vector<V> y(static_cast<std::size_t>(A.rows), V(5));
    const auto negative = product_on_device(op, V(-1), x, V(0), y);
    const auto nan = product_on_device(op, std::numeric_limits<V>::quiet_NaN(), x, V(2), y);
    for (std::int64_t row = 0; row < A.rows; ++row) {
      const bool empty = A.ptr[row] == A.ptr[row + 1];
      if (empty) {
        EXPECT_TRUE(negative[row] == 0 && !std::signbit(negative[row])) << "row " << row;
        EXPECT_EQ(nan[row], V(10)) << "row " << row;
      } else {
        EXPECT_TRUE(std::isnan(nan[row])) << "row " << row;
      }
    }
  });
}

TEST_P(Conformance, lets_infinity_and_nan_in_x_reach_only_rows_that_store_the_column) {
  each_specimen(
      [&](auto v, const auto& A) {
        using V = decltype(v);
        if (A.cols == 0) return;
        const auto op = build(A, plan(), {device_under_test()});
        const V infinity = std::numeric_limits<V>::infinity();
        for (const V bad : {infinity, -infinity, std::numeric_limits<V>::quiet_NaN()})
          for (const std::int64_t column : {std::int64_t{0}, A.cols / 2, A.cols - 1}) {
            auto x = integers<V>(A.cols, 12);
            x[column] = bad;
            x[(column + A.cols / 3) % A.cols] = infinity;
            const std::vector<V> y(static_cast<std::size_t>(A.rows), V(1));
            const auto got = product_on_device(op, V(1), x, V(1), y);
            for (std::int64_t row = 0; row < A.rows; ++row)
              EXPECT_EQ(class_of(got[row]), class_of_row(A, row, x))
                  << "row " << row << ", x[" << column << "] = " << bad;
          }
      },
      Zoo::small);
}

TEST_P(Conformance, takes_vectors_at_every_element_offset) {
  for (const char* name : {"lengths_0_to_129", "tridiagonal", "blocks_3_ragged", "dense"}) {
    const Csr<float> A = convert<float>(small_specimen(name).view());
    if (!footprint(A.view(), plan()).fits) continue;
    const auto op = build(A, plan(), {device_under_test()});
    const auto x = integers<float>(A.cols, 13), y = integers<float>(A.rows, 14);
    for (std::int64_t offset = 0; offset < 16; ++offset)
      EXPECT_EQ(product_on_device(op, 1.f, x, 2.f, y, offset), exact_product(A, 1.f, x, 2.f, y))
          << GetParam() << " on " << name << ", offset " << offset;
  }
}

TEST_P(Conformance, takes_host_vectors_and_refuses_wrong_ones) {
  const Csr<double>& A = small_specimen("tall_300x10");
  if (!footprint(A.view(), plan()).fits) GTEST_SKIP() << "does not take a tall matrix";
  const auto op = build(A, plan(), {device_under_test()});
  const auto x = integers<double>(A.cols, 15);
  std::vector<double> y(static_cast<std::size_t>(A.rows), 1), both(static_cast<std::size_t>(A.rows + A.cols));
  op.multiply(2.0, x, 1.0, y);
  EXPECT_EQ(y, exact_product(A, 2.0, x, 1.0, std::vector<double>(y.size(), 1)));
  EXPECT_THROW(op.multiply(std::span(x).first(x.size() - 1), y), Error);
  EXPECT_THROW(op.multiply(x, std::span(y).first(y.size() - 1)), Error);
  const std::span<double> all(both);
  EXPECT_THROW(op.multiply(all.first(x.size()), all.subspan(x.size() - 1, y.size())), Error) << "x and y overlap";
  EXPECT_NO_THROW(op.multiply(all.first(x.size()), all.subspan(x.size(), y.size())));
}

TEST_P(Conformance, allocates_exactly_its_footprint_and_nothing_while_multiplying) {
  if (!device_under_test().host_memory()) GTEST_SKIP() << "host allocations only";
  const GuardedMemory memory;
  each_specimen(
      [&](auto v, const auto& A) {
        using V = decltype(v);
        const auto before = GuardedMemory::live_bytes();
        {
          const auto op = build(A, plan(), {device_under_test()});
          const auto need = footprint(A.view(), op.plan(), sizeof(V));
          EXPECT_EQ(op.bytes(), need.bytes);
          EXPECT_EQ(GuardedMemory::live_bytes() - before, need.bytes);
          const auto x = integers<V>(A.cols, 16);
          std::vector<V> y(static_cast<std::size_t>(A.rows));
          op.multiply(x, y);
          const auto allocations = GuardedMemory::allocations();
          op.multiply(V(2), x, V(1), y);
          EXPECT_EQ(GuardedMemory::allocations(), allocations) << "multiply allocated";
        }
        EXPECT_EQ(GuardedMemory::live_bytes(), before) << "leak";
      },
      whole_zoo());
  EXPECT_EQ(GuardedMemory::damaged_blocks(), 0) << "an array was written past its end";
}

TEST_P(Conformance, survives_the_failure_of_any_allocation_while_building) {
  if (!device_under_test().host_memory()) GTEST_SKIP() << "host allocations only";
  if (plan().format == "weave" && plan().settings.size() > 1) GTEST_SKIP() << "once for each layout is enough";
  const Csr<double>& A = small_specimen("lengths_0_to_129");
  if (!footprint(A.view(), plan()).fits) GTEST_SKIP() << "does not take a wide matrix";
  for (const auto fault : {GuardedMemory::Fault::once, GuardedMemory::Fault::from_then_on}) {
    const GuardedMemory memory;
    bool built = false;
    for (std::int64_t at = 0; !built; ++at) {
      ASSERT_LT(at, 10000);
      GuardedMemory::fail_at(at, fault);
      try {
        (void)build(A, plan(), {device_under_test()});
        built = true;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
      }
      EXPECT_EQ(GuardedMemory::live_bytes(), 0) << "leak after failing allocation " << at;
    }
    GuardedMemory::fail_at(0, GuardedMemory::Fault::none);
  }
}

TEST_P(Conformance, keeps_the_plan_when_values_change) {
  each_specimen(
      [&](auto v, auto A) {
        using V = decltype(v);
        auto op = build(A, plan(), {device_under_test()});
        const Plan before = op.plan();
        const auto values = integers<V>(A.nnz(), 17);
        op.update_values(values);
        std::copy(values.begin(), values.end(), A.val.begin());
        const auto x = integers<V>(A.cols, 18);
        const std::vector<V> y(static_cast<std::size_t>(A.rows));
        EXPECT_EQ(product_on_device(op, V(1), x, V(0), y), exact_product(A, V(1), x, V(0), y));
        EXPECT_EQ(without_values(op.plan()), without_values(before));
      },
      Zoo::small);
}

TEST_P(Conformance, multiplies_with_the_transpose) {
  for (const Specimen& specimen : zoo(Zoo::small)) {
    SCOPED_TRACE(GetParam() + " on " + specimen.name);
    const Csr<double> T = transpose(specimen.A.view());
    if (!footprint(specimen.A.view(), plan()).fits || !footprint(T.view(), plan()).fits) continue;
    const auto op = build(specimen.A, plan(), {device_under_test(), true});
    const auto x = integers<double>(T.cols, 19), y = integers<double>(T.rows, 20);
    std::vector<double> got = y;
    op.multiply_transposed(2.0, x, -1.0, got);
    EXPECT_EQ(got, exact_product(T, 2.0, x, -1.0, y));
  }
}

TEST_P(Conformance, can_be_used_by_many_threads_at_once) {
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(300, 9), 300, 21);
  const auto op = build(A, plan(), {device_under_test()});
  const auto x = integers<double>(A.cols, 22);
  const std::vector<double> y(static_cast<std::size_t>(A.rows));
  const auto expected = exact_product(A, 1.0, x, 0.0, y);
  std::vector<std::thread> users;
  std::vector<int> wrong(6, 0);
  for (int user = 0; user < 6; ++user)
    users.emplace_back([&, user] {
      for (int i = 0; i < 5; ++i) {
        std::vector<double> mine(y.size());
        op.multiply(x, mine);
        wrong[user] += mine != expected;
      }
    });
  for (std::thread& user : users) user.join();
  EXPECT_EQ(wrong, std::vector<int>(6, 0));
}

INSTANTIATE_TEST_SUITE_P(formats, Conformance, testing::ValuesIn(plans_to_try()), readable);

}  // namespace
}  // namespace heddle::test
