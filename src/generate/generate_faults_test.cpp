// Memory that runs out in the middle of generating: a typed error, nothing lost, and the next call works.
#include <gtest/gtest.h>

#include <heddle/error.hpp>
#include <heddle/generate.hpp>

#include "support/guarded_memory.hpp"

namespace heddle {
namespace {

using test::GuardedMemory;

bool runs_out(const char* text) {
  try {
    generate<double>(text);
    return false;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable) << error.what();
    return true;
  }
}

class OutOfMemory : public testing::TestWithParam<const char*> {};

TEST_P(OutOfMemory, at_any_allocation_is_an_error_without_a_leak) {
  const Csr<double> expected = generate<double>(GetParam());
  const GuardedMemory memory;
  for (const auto fault : {GuardedMemory::Fault::once, GuardedMemory::Fault::from_then_on}) {
    std::int64_t at = 0;
    for (bool failed = true; failed; ++at) {
      const std::int64_t before = GuardedMemory::live_bytes();
      GuardedMemory::fail_at(at, fault);
      failed = runs_out(GetParam());
      GuardedMemory::fail_at(0, GuardedMemory::Fault::none);
      ASSERT_EQ(GuardedMemory::live_bytes(), before) << "allocation " << at;
    }
    EXPECT_GT(at, 3);
  }
  EXPECT_TRUE(identical(expected, generate<double>(GetParam())));
  EXPECT_EQ(GuardedMemory::damaged_blocks(), 0);
}

INSTANTIATE_TEST_SUITE_P(Generate, OutOfMemory,
                         testing::Values("stencil2d5,n=8", "random,rows=60,per_row=5", "web,rows=100", "mesh,rows=60",
                                         "rmat,scale=5,edges=2", "laplacian,of=gen:road,rows=40"));

}  // namespace
}  // namespace heddle
