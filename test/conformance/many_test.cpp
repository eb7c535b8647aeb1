// Several right-hand sides: every format and layout, in both orders of vectors, against the exact product.
#include <gtest/gtest.h>

#include <cstring>

#include <heddle/heddle.hpp>

#include "conformance/devices.hpp"
#include "conformance/plans.hpp"
#include "support/guarded_memory.hpp"
#include "support/oracle.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

constexpr int counts[] = {1, 2, 3, 5, 8, 16, 17};
constexpr VectorOrder orders[] = {VectorOrder::by_vector, VectorOrder::by_element};

// k vectors of n elements with `gap` unused places after each vector (or after the k numbers of each element).
template <class V>
struct Block {
  std::int64_t size, count;
  VectorOrder order;
  std::int64_t stride;
  std::vector<V> data;

  Block(std::int64_t n, std::int64_t k, VectorOrder how, std::int64_t gap, V fill)
      : size(n), count(k), order(how), stride((how == VectorOrder::by_vector ? n : k) + gap) {
    data.assign(static_cast<std::size_t>(stride * (how == VectorOrder::by_vector ? k : n)), fill);
  }
  V& at(std::int64_t i, std::int64_t j) {
    return data[static_cast<std::size_t>(order == VectorOrder::by_vector ? j * stride + i : i * stride + j)];
  }
  std::vector<V> vector(std::int64_t j) {
    std::vector<V> v;
    for (std::int64_t i = 0; i < size; ++i) v.push_back(at(i, j));
    return v;
  }
  Vectors<V> view(std::span<V> memory) { return {memory, count, order, stride}; }
};

template <class V>
Block<V> integers(std::int64_t n, std::int64_t k, VectorOrder order, std::int64_t gap, V fill, std::uint64_t seed) {
  Block<V> block(n, k, order, gap, fill);
  Dice dice(seed);
  for (std::int64_t j = 0; j < k; ++j)
    for (std::int64_t i = 0; i < n; ++i) block.at(i, j) = static_cast<V>(dice.integer());
  return block;
}

// Y as it is after the product, computed in the device's own memory; what lies between vectors must stay.
template <class V>
Block<V> product(const Operator<V>& op, V alpha, Block<V>& x, V beta, Block<V> y, bool transposed = false) {
  auto x_there = Buffer<V>::copy_of(x.data, op.device());
  auto y_there = Buffer<V>::copy_of(y.data, op.device());
  if (transposed)
    op.multiply_many_transposed(alpha, x.view(x_there), beta, y.view(y_there));
  else
    op.multiply_many(alpha, x.view(x_there), beta, y.view(y_there));
  const Buffer<V> back = y_there.to(Device::cpu());
  y.data.assign(back.begin(), back.end());
  return y;
}

template <class V>
void expect_exact(const Csr<V>& A, V alpha, Block<V>& x, V beta, Block<V>& before, Block<V>& after) {
  for (std::int64_t j = 0; j < x.count; ++j)
    EXPECT_EQ(after.vector(j), exact_product(A, alpha, x.vector(j), beta, before.vector(j))) << "vector " << j;
  for (std::int64_t i = 0; i < after.size; ++i)
    for (std::int64_t j = 0; j < after.count; ++j) after.at(i, j) = before.at(i, j) = V(0);
  EXPECT_EQ(after.data, before.data) << "written between vectors";
}

class Many : public testing::TestWithParam<std::string> {
 protected:
  Plan plan() const { return Plan::parse(GetParam()); }

  // Formats without a kernel of their own for it multiply vectors one by one, wherever they are: once is enough.
  bool emulated() const { return plan().format == "csr" || plan().format == "weave"; }

  template <class F>
  void each_specimen(F f) const {
    for (const Device device : devices_to_try())
      for (const Specimen& specimen : zoo(Zoo::small)) {
        if (device == Device::emulator() && !emulated()) continue;
        const Csr<double> T = transpose(specimen.A.view());
        if (!footprint(specimen.A.view(), plan()).fits || !footprint(T.view(), plan()).fits) continue;
        SCOPED_TRACE(GetParam() + " on " + specimen.name + ", " + to_string(device));
        f(float{}, convert<float>(specimen.A.view()), device);
        f(double{}, specimen.A, device);
      }
  }
};

TEST_P(Many, gives_the_exact_product_for_any_number_and_order_of_vectors) {
  int round = 0;
  each_specimen([&](auto v, const auto& A, Device device) {
    using V = decltype(v);
    const auto op = build(A, plan(), {.device = device, .transposed = true, .right_hand_sides = 17});
    const Csr<V> T = transpose(A.view());
    // Each matrix meets some of the numbers, all numbers meet many matrices.
    const int k = counts[round % 7], other = counts[(round + 3) % 7];
    const VectorOrder order = orders[round / 2 % 2];
    ++round;
    SCOPED_TRACE(std::to_string(k) + " vectors");
    const std::int64_t gap = round % 3;
    auto x = integers<V>(A.cols, k, order, gap, V(99), 1), y = integers<V>(A.rows, k, order, gap, V(-7), 2);
    auto after = product(op, V(-2), x, V(3), y);
    expect_exact(A, V(-2), x, V(3), y, after);
    const auto fresh = Block<V>(A.rows, k, orders[round % 2], gap, std::numeric_limits<V>::quiet_NaN());
    auto written = product(op, V(2), x, V(0), fresh);
    for (int j = 0; j < k; ++j)
      EXPECT_EQ(written.vector(j), exact_product(A, V(2), x.vector(j), V(0), std::vector<V>(fresh.size)));
    auto x_other = integers<V>(A.rows, other, order, 1, V(99), 3),
         y_other = integers<V>(A.cols, other, order, 1, V(-7), 4);
    auto after_other = product(op, V(1), x_other, V(1), y_other, true);
    expect_exact(T, V(1), x_other, V(1), y_other, after_other);
  });
}

TEST_P(Many, keeps_the_rules_on_empty_rows_zeros_and_infinities) {
  int round = 0;
  each_specimen([&](auto v, const auto& A, Device device) {
    using V = decltype(v);
    const V nan = std::numeric_limits<V>::quiet_NaN(), infinity = std::numeric_limits<V>::infinity();
    constexpr int k = 5;
    const auto op = build(A, plan(), {.device = device, .right_hand_sides = k});
    const VectorOrder order = orders[round++ / 3 % 2];
    auto x = integers<V>(A.cols, k, order, 0, V(0), 5), y = integers<V>(A.rows, k, order, 0, V(0), 6);
    Block<V> bad_x(A.cols, k, order, 0, nan);
    auto scaled = product(op, V(0), bad_x, V(3), y);
    auto cleared = product(op, V(0), bad_x, V(0), Block<V>(A.rows, k, order, 0, nan));
    auto with_nan = product(op, nan, x, V(2), y);
    if (A.cols > 0) x.at(A.cols / 2, 3) = infinity;
    auto with_infinity = product(op, V(1), x, V(1), y);
    for (int j = 0; j < k; ++j) {
      const std::vector<V> vector = x.vector(j);
      for (std::int64_t row = 0; row < A.rows; ++row) {
        EXPECT_EQ(scaled.at(row, j), V(3) * y.at(row, j));
        EXPECT_TRUE(cleared.at(row, j) == 0 && !std::signbit(cleared.at(row, j)));
        const bool empty = A.ptr[row] == A.ptr[row + 1];
        EXPECT_TRUE(empty ? with_nan.at(row, j) == V(2) * y.at(row, j) : std::isnan(with_nan.at(row, j)));
        EXPECT_EQ(class_of(with_infinity.at(row, j)), class_of_row(A, row, vector)) << row << ", " << j;
      }
    }
  });
}

TEST_P(Many, keeps_the_row_bound_gives_the_same_bits_again_and_allocates_nothing) {
  const Csr<double> A = [] {
    Csr<double> made = with_lengths({3, 0, 40, 7, 1, 129, 0, 2, 300}, 400, 7);
    Dice dice(8);
    for (double& value : made.val) value = dice.real();
    return made;
  }();
  if (!footprint(A.view(), plan()).fits) return;
  constexpr int k = 16;
  for (const Device device : {Device::cpu(), Device::emulator()})
    for (const VectorOrder order : orders) {
      const auto op = build(A, plan(), {.device = device, .right_hand_sides = k});
      Block<double> x(A.cols, k, order, 0, 0), y(A.rows, k, order, 0, 0.5);
      Dice dice(9);
      for (double& e : x.data) e = dice.real();
      auto first = product(op, 0.7, x, -0.3, y);
      for (int j = 0; j < k; ++j) {
        const std::vector<double> vector = x.vector(j);
        for (std::int64_t row = 0; row < A.rows; ++row) {
          const RowBound bound = row_bound(A, row, 0.7, vector, -0.3, 0.5);
          EXPECT_LE(std::abs(first.at(row, j) - bound.reference), bound.allowed) << "row " << row << ", vector " << j;
        }
      }
      const GuardedMemory memory;
      auto again = y;
      op.multiply_many(0.7, x.view(x.data), -0.3, again.view(again.data));
      EXPECT_EQ(GuardedMemory::allocations(), 0);
      EXPECT_EQ(std::memcmp(first.data.data(), again.data.data(), first.data.size() * sizeof(double)), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(formats, Many, testing::ValuesIn(default_plans()), readable);

TEST(MultiplyMany, refuses_vectors_that_do_not_fit) {
  const Csr<double> A = generate<double>("random,rows=20,cols=30,per_row=3");
  const auto op = build(A);
  std::vector<double> x(90), y(60), both(150);
  EXPECT_NO_THROW(op.multiply_many({x, 3}, {y, 3}));
  EXPECT_THROW(op.multiply_many({x, 3}, {y, 2}), Error) << "other numbers of vectors";
  EXPECT_THROW(op.multiply_many({x, 0}, {y, 0}), Error);
  EXPECT_THROW(op.multiply_many({x, 4}, {y, 4}), Error) << "too few elements";
  EXPECT_THROW(op.multiply_many({x, 2, VectorOrder::by_vector, 29}, {y, 2}), Error) << "vectors overlap";
  EXPECT_THROW(op.multiply_many({x, 3, VectorOrder::by_element, 2}, {y, 3}), Error);
  EXPECT_THROW(op.multiply_many_transposed(1, {y, 3}, 0, {x, 3}), Error) << "built without its transpose";
  const std::span<double> all(both);
  EXPECT_THROW(op.multiply_many({all.first(90), 3}, {all.subspan(89, 60), 3}), Error) << "X and Y overlap";
  EXPECT_NO_THROW(op.multiply_many({all.first(90), 3}, {all.subspan(90), 3}));
}

TEST(MultiplyMany, takes_vectors_side_by_side_in_any_format_once_there_is_room) {
  const Csr<double> A = generate<double>("stencil2d5,n=9");
  std::vector<double> x(81 * 4, 1), y(81 * 4);
  const Vectors<double> X{x, 4, VectorOrder::by_element}, Y{y, 4, VectorOrder::by_element};
  EXPECT_THROW(build(A, Plan::parse("ell")).multiply_many(X, Y), Error);
  EXPECT_NO_THROW(build(A, Plan::parse("ell"), {.right_hand_sides = 4}).multiply_many(X, Y));
  EXPECT_NO_THROW(build(A, Plan::parse("csr")).multiply_many(X, Y));
}

// Vectors at odd addresses cannot be loaded 16 bytes at a time.
TEST(MultiplyMany, takes_vectors_at_every_element_offset) {
  const Csr<float> A = convert<float>(with_lengths({0, 1, 5, 33, 2, 70}, 80, 3).view());
  for (const char* plan : {"csr", "weave layout=rows", "weave layout=diagonals", "weave layout=segments"})
    for (std::int64_t offset = 0; offset < 5; ++offset) {
      if (!footprint(A.view(), Plan::parse(plan)).fits) continue;
      const auto op = build(A, Plan::parse(plan), {.device = Device::emulator(), .right_hand_sides = 8});
      auto x = integers<float>(A.cols, 8, VectorOrder::by_element, 0, 0.f, 1);
      Block<float> y(A.rows, 8, VectorOrder::by_element, 0, 1.f);
      std::vector<float> x_moved(x.data.size() + 8), y_moved(y.data.size() + 8, 1.f);
      std::copy(x.data.begin(), x.data.end(), x_moved.begin() + offset);
      op.multiply_many(2.f, x.view(std::span(x_moved).subspan(offset)), 1.f,
                       y.view(std::span(y_moved).subspan(offset)));
      auto after = y;
      std::copy_n(y_moved.begin() + offset, after.data.size(), after.data.begin());
      expect_exact(A, 2.f, x, 1.f, y, after);
    }
}

}  // namespace
}  // namespace heddle::test
