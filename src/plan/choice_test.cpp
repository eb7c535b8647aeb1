// Where a choice is built, and what counts besides the predicted time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include <heddle/choose.hpp>
#include <heddle/error.hpp>
#include <heddle/generate.hpp>

#include "formats/format.hpp"

namespace heddle {
namespace {

const Machine& h200() { return built_in_machine(Device::Kind::gpu); }

bool kernels_build(const Plan& plan) { return registered_format(plan.format).builds_there; }

TEST(Choice, is_built_on_the_device_it_was_chosen_for) {
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  const Device device = Device::emulator();
  const Choice choice = choose(A, analyze(A, Detail::planning), h200(), {.device = device});
  EXPECT_EQ(choice.device, device);
  EXPECT_EQ(choose(A, {.expected_multiplies = 1, .device = device}).device, device) << "csr at once";
  EXPECT_EQ(build(A, choice).device(), device);
  EXPECT_EQ(build(Csr<double>(A), choice).device(), device);
  EXPECT_EQ(build(A, choice, {.device = device, .transposed = true}).device(), device);
  EXPECT_EQ(build(A, choice.plan).device(), Device::cpu()) << "a bare plan: what auto gives";
}

TEST(Choice, is_not_built_on_another_device) {
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  const Choice choice = choose(A, analyze(A, Detail::planning), h200(), {.device = Device::emulator()});
  try {
    (void)build(A, choice, {.device = Device::cpu()});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(error.message().find("was chosen for emulator, not for cpu"), std::string::npos) << error.message();
  }
}

TEST(Choice, takes_auto_for_what_HEDDLE_DEVICE_says) {
  const Csr<double> A = generate<double>("stencil2d5,n=20");
  setenv("HEDDLE_DEVICE", "emulator", 1);
  const Device built = build(A).device(), chosen_for = ChooseOptions{}.device;
  setenv("HEDDLE_DEVICE", "abacus", 1);
  try {
    (void)build(A);
    ADD_FAILURE() << "an abacus is no device";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "HEDDLE_DEVICE=abacus");
  }
  setenv("HEDDLE_DEVICE", "cpu", 1);
  EXPECT_EQ(built, Device::emulator());
  EXPECT_EQ(chosen_for, Device::emulator());
}

// Short rows that read x anywhere: sell is a little faster than what kernels build.
// Snapshot.
TEST(Choice, of_a_matrix_on_a_device_is_built_there_unless_the_products_pay_for_the_host) {
  const Csr<double> A = generate<double>("lengths,law=F1,max=20,rows=300k,cols=2M");
  const Structure facts = analyze(A, Detail::planning);
  const Csr<double> there = A.to(Device::emulator());
  const ChooseOptions often{.device = Device::emulator()};
  const Choice here = choose(A, facts, h200(), often), chosen = choose(there, facts, h200(), often);
  ASSERT_FALSE(kernels_build(here.plan)) << "another matrix, please: " << to_string(here.plan);
  EXPECT_TRUE(kernels_build(chosen.plan)) << to_string(chosen.plan);
  for (const Candidate& candidate : chosen.candidates)
    if (candidate.fits && kernels_build(candidate.plan)) {
      EXPECT_LE(chosen.predicted_seconds, 1.04 * candidate.predicted_seconds) << to_string(candidate.plan);
    }
  const auto plan_for = [&](double products) {
    ChooseOptions options = often;
    options.expected_multiplies = products;
    return choose(there, facts, h200(), options).plan;
  };
  EXPECT_TRUE(kernels_build(plan_for(100)));
  EXPECT_EQ(plan_for(1e9), here.plan);
}

void expect_segments(const std::string& matrix) {
  const Structure facts = analyze(generate<double>(matrix), Detail::planning);
  for (const int value_bytes : {4, 8}) {
    const Plan plan = choose(facts, h200(), {.device = Device::emulator()}, value_bytes).plan;
    EXPECT_EQ(to_string(plan), "weave layout=segments") << matrix << ", " << value_bytes;
  }
}

// Two million rows, most of them empty, the others short and near the diagonal: segments took 23 us, tiles 36 (float,
// H200), as each row is asked where its partial sums are.
// Snapshot.
TEST(Choice, has_no_tiles_where_most_rows_are_empty_and_the_others_short_and_near_the_diagonal) {
  expect_segments("sparse_rows");
  for (const char* empty : {"0.8", "0.9", "0.95"})
    for (const char* lengths : {"shortest=2,longest=6", "shortest=4,longest=16"})
      for (const char* band : {"200", "2000"})
        expect_segments(fmt::format("sparse_rows,rows=1M,empty={},{},band={}", empty, lengths, band));
}

// Snapshot. Predicted to be a little slower, with far fewer bytes, and taken where one core would read them all. The
// rule itself: preferences_test.cpp.
TEST(Choice, counts_what_is_read_of_a_small_matrix_with_cold_caches_on_a_cpu) {
  Machine machine = built_in_machine(Device::Kind::cpu);
  machine.units = 16;
  struct Case {
    const char *matrix, *plan, *quickest;
  };
  for (const auto& [matrix, plan, quickest] : {Case{"lengths,law=F1,max=14,rows=3600", "ell16", "ell16"},
                                               {"lengths,law=F1,max=14,rows=4200", "sell sigma=256", "sell"}}) {
    const Choice choice = choose(analyze(generate<double>(matrix), Detail::planning), machine, {}, 8);
    EXPECT_EQ(to_string(choice.plan), plan) << matrix;
    EXPECT_EQ(to_string(std::ranges::min_element(choice.candidates, {}, &Candidate::predicted_seconds)->plan), quickest)
        << matrix;
    EXPECT_EQ(choice.reason.find(" MB") != std::string::npos, std::string(plan) != quickest) << choice.reason;
  }
}

}  // namespace
}  // namespace heddle
