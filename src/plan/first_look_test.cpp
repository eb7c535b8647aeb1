#include "plan/first_look.hpp"

#include <gtest/gtest.h>

#include <heddle/choose.hpp>
#include <heddle/error.hpp>
#include <heddle/generate.hpp>

#include "plan/prospects.hpp"

namespace heddle {
namespace {

const Machine& h200() { return built_in_machine(Device::Kind::gpu); }
const Machine& two_cores() { return built_in_machine(Device::Kind::cpu); }

constexpr Outline grid{1'000'000, 1'000'000, 5'000'000, 5}, small{1000, 1000, 5000, 5};

// Snapshot.
TEST(FirstLook, takes_csr_at_once_for_a_product_or_a_few) {
  for (const double products : {1.0, 3.0}) EXPECT_FALSE(worth_analyzing(grid, two_cores(), products));
  for (const double products : {1.0, 10.0}) {
    EXPECT_FALSE(worth_analyzing(small, two_cores(), products));
    EXPECT_FALSE(worth_analyzing(small, h200(), products));
  }
  EXPECT_FALSE(worth_analyzing(grid, h200(), 1));
}

TEST(FirstLook, lets_the_matrix_be_analysed_where_products_are_many_or_their_number_is_unknown) {
  for (const Machine* machine : {&h200(), &two_cores()})
    for (const Outline& matrix : {grid, small})
      for (const double products : {0.0, 1e4}) EXPECT_TRUE(worth_analyzing(matrix, *machine, products));
}

// On a CPU looking alone takes as long as fifty products of a small matrix, or more, and building as long as ten of a
// large one.
// Snapshot.
TEST(FirstLook, takes_csr_on_a_cpu_until_products_outweigh_looking_and_building) {
  EXPECT_FALSE(worth_analyzing(small, two_cores(), 40));
  EXPECT_FALSE(worth_analyzing(grid, two_cores(), 4));
  EXPECT_TRUE(worth_analyzing(small, two_cores(), 2000));
  EXPECT_TRUE(worth_analyzing(grid, two_cores(), 200));
}

// 2 million entries in one row keep a warp of csr busy for milliseconds.
TEST(FirstLook, asks_for_more_on_a_gpu_where_one_row_is_long) {
  Outline arrow{2'000'000, 2'000'000, 6'000'000, 3};
  EXPECT_FALSE(worth_analyzing(arrow, h200(), 1));
  arrow.longest = arrow.cols;
  EXPECT_TRUE(worth_analyzing(arrow, h200(), 1));
}

TEST(FirstLook, never_changes_its_mind_when_there_is_more_to_multiply) {
  for (const Machine* machine : {&h200(), &two_cores()}) {
    bool before = false;
    for (double products = 1; products < 1e6; products *= 2) {
      const bool now = worth_analyzing(grid, *machine, products);
      EXPECT_TRUE(now || !before) << products;
      before = now;
    }
  }
}

TEST(FirstLook, has_no_say_over_a_matrix_without_rows_or_entries) {
  const Csr<double> none = make_csr<double>(0, 4, std::vector<Offset>{0}, {}, {}),
                    empty = make_csr<double>(4, 4, std::vector<Offset>(5, 0), {}, {});
  for (const Csr<double>* A : {&none, &empty})
    for (const double products : {0.0, 1.0, 1e4}) {
      const ChooseOptions options{.expected_multiplies = products, .device = Device::cpu()};
      EXPECT_EQ(choose(*A, options).plan.format, "csr");
      EXPECT_EQ(optimize(*A, options).rows(), A->rows);
    }
}

// The emulator has the figures of an H200: what is decided there does not depend on this machine.
TEST(FirstLook, is_taken_by_choose_and_optimize_wherever_the_matrix_lies) {
  const Csr<double> A = generate<double>("stencil2d5,n=40");
  const ChooseOptions once{.expected_multiplies = 1, .device = Device::emulator()};
  for (const Csr<double>& matrix : {A, A.to(Device::emulator())}) {
    const Choice choice = choose(matrix, once);
    EXPECT_EQ(to_string(choice.plan), "csr");
    EXPECT_EQ(choice.candidates.size(), 1u) << "nothing else was predicted";
    EXPECT_GT(choice.predicted_seconds, 0);
    EXPECT_FALSE(choice.reason.empty());
    EXPECT_EQ(optimize(matrix, once).plan().format, "csr");
    EXPECT_GT(choose(matrix, {.device = Device::emulator()}).candidates.size(), 5u);
  }
}

TEST(FirstLook, finds_the_long_row_of_a_matrix_in_the_memory_of_a_device) {
  const Csr<float> A = generate<float>("arrow,rows=60000");
  const ChooseOptions few{.expected_multiplies = 10, .device = Device::emulator()};
  EXPECT_GT(choose(A.to(Device::emulator()), few).candidates.size(), 1u);
  EXPECT_GT(choose(A, few).candidates.size(), 1u);
}

// With figures that are the same everywhere, and without another look whether the matrix is canonical.
TEST(FirstLook, a_matrix_that_was_checked_gets_the_plan_of_its_analysis_or_csr_where_it_is_small) {
  const Machine& machine = two_cores();
  const ChooseOptions options{.expected_multiplies = 200, .device = Device::cpu(), .reorder = false};
  for (const char* name : {"stencil3d7,n=40", "stencil2d9,n=120", "elasticity,nx=12,ny=12,nz=12"}) {
    const Csr<float> A = generate<float>(name);
    const Plan plan = choose_canonical(A, machine, options).plan;
    EXPECT_EQ(to_string(plan), to_string(choose(A, analyze(A, Detail::planning), machine, options).plan)) << name;
    EXPECT_NE(plan.format, "csr") << name;
  }
  const Choice at_once = choose_canonical(generate<float>("stencil3d7,n=4"), machine, options);
  EXPECT_EQ(to_string(at_once.plan), "csr");
  EXPECT_EQ(at_once.candidates.size(), 1u) << "nothing else was predicted";
}

TEST(FirstLook, leaves_a_matrix_that_is_none_to_the_checks) {
  Csr<double> A = generate<double>("stencil2d5,n=10");
  A.col[3] = 1000;
  for (const double products : {0.0, 1.0})
    EXPECT_THROW(optimize(A, {.expected_multiplies = products, .device = Device::cpu()}), Error);
}

}  // namespace
}  // namespace heddle
