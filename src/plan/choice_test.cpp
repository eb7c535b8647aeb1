// Where a choice is built.
#include <gtest/gtest.h>

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
  EXPECT_THROW((void)build(A), Error);
  setenv("HEDDLE_DEVICE", "cpu", 1);
  EXPECT_EQ(built, Device::emulator());
  EXPECT_EQ(chosen_for, Device::emulator());
}

// Short rows that read x anywhere: sell is a little faster than what kernels build.
TEST(Choice, of_a_matrix_on_a_device_is_built_there_unless_the_products_pay_for_the_host) {
  const Csr<double> A = generate<double>("lengths,law=F1,max=20,rows=300k,cols=2M");
  const Structure facts = analyze(A, Detail::planning);
  const Csr<double> there = A.to(Device::emulator());
  const ChooseOptions often{.device = Device::emulator()};
  const Choice here = choose(A, facts, h200(), often), chosen = choose(there, facts, h200(), often);
  ASSERT_FALSE(kernels_build(here.plan)) << "another matrix, please: " << to_string(here.plan);
  EXPECT_TRUE(kernels_build(chosen.plan)) << to_string(chosen.plan);
  for (const Candidate& candidate : chosen.candidates)
    if (candidate.fits && kernels_build(candidate.plan))
      EXPECT_LE(chosen.predicted_seconds, 1.04 * candidate.predicted_seconds) << to_string(candidate.plan);
  const auto plan_for = [&](double products) {
    ChooseOptions options = often;
    options.expected_multiplies = products;
    return choose(there, facts, h200(), options).plan;
  };
  EXPECT_TRUE(kernels_build(plan_for(100)));
  EXPECT_EQ(plan_for(1e9), here.plan);
}

}  // namespace
}  // namespace heddle
