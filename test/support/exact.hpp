// Whole products of a plan, compared bit for bit: elements of x and y are whole numbers, so that no order of adding up
// makes a difference.
#pragma once

#include <gtest/gtest.h>

#include <heddle/operator.hpp>

#include "support/oracle.hpp"
#include "support/zoo.hpp"

namespace heddle::test {

inline const Device devices[] = {Device::cpu(), Device::emulator()};

// y and what is restored are the right bits, on the CPU and on the emulator.
template <class V>
void expect_exact(const Csr<V>& A, const std::string& plan) {
  for (const Device device : devices) {
    const auto op = build(A, Plan::parse(plan), {device});
    EXPECT_TRUE(identical(op.restore(), A)) << plan;
    std::vector<V> x(static_cast<std::size_t>(A.cols)), y(static_cast<std::size_t>(A.rows), V(3));
    Dice dice(5);
    for (V& e : x) e = static_cast<V>(dice.integer());
    const std::vector<V> wanted = exact_product(A, V(2), x, V(-1), y);
    op.multiply(V(2), x, V(-1), y);
    EXPECT_EQ(y, wanted) << plan << " -> " << to_string(op.plan());
  }
}

inline std::string setting(const Plan& plan, const char* name) {
  const std::string* found = plan.find(name);
  return found ? *found : "absent";
}

// y of several vectors at once, in both orders, against one after another.
template <class V>
void expect_same_of_many(const Csr<V>& A, const std::string& plan) {
  constexpr int count = 5;
  for (const Device device : devices)
    for (const VectorOrder order : {VectorOrder::by_vector, VectorOrder::by_element}) {
      const auto op = build(A, Plan::parse(plan), {.device = device, .right_hand_sides = count});
      std::vector<V> x(static_cast<std::size_t>(A.cols * count)), y(static_cast<std::size_t>(A.rows * count), V(3));
      Dice dice(6);
      for (V& e : x) e = static_cast<V>(dice.integer());
      const bool by_vector = order == VectorOrder::by_vector;
      op.multiply_many({x, count, order}, {y, count, order});
      for (std::int64_t j = 0; j < count; ++j) {
        std::vector<V> one, wanted(static_cast<std::size_t>(A.rows));
        for (std::int64_t i = 0; i < A.cols; ++i)
          one.push_back(x[static_cast<std::size_t>(by_vector ? j * A.cols + i : i * count + j)]);
        op.multiply(one, wanted);
        for (std::int64_t i = 0; i < A.rows; ++i)
          ASSERT_EQ(y[static_cast<std::size_t>(by_vector ? j * A.rows + i : i * count + j)],
                    wanted[static_cast<std::size_t>(i)])
              << plan;
      }
    }
}

const char* const layouts_with_all_codecs[] = {"rows per_lane=1",     "rows per_lane=4", "segments per_lane=4",
                                               "segments per_lane=8", "padded",          "long team=32"};

}  // namespace heddle::test
