// The survey's kernels on a real GPU: the facts of the host, field by field.
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "support/same_facts.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

class AnalyzeOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_available()) GTEST_SKIP() << "no GPU: " << gpu_absence();
  }
};

TEST_F(AnalyzeOnGpu, says_of_every_awkward_matrix_what_the_host_says) {
  for (const Specimen& specimen : zoo(Zoo::full)) {
    SCOPED_TRACE(specimen.name);
    expect_same_facts(specimen.A, Device::gpu());
    expect_same_facts(convert<float>(specimen.A.view()), Device::gpu());
  }
}

// Large enough that every block of threads has work and all of them meet in the same tables.
TEST_F(AnalyzeOnGpu, says_of_large_matrices_what_the_host_says_every_time) {
  for (const char* text : {"stencil3d7,n=80,coefficients=varying", "stencil3d27,n=40", "fem,n=24,dof=3",
                           "rmat,scale=17", "random,rows=200k,per_row=9", "circuit,rows=300k", "dense,rows=1200"}) {
    SCOPED_TRACE(text);
    const Csr<double> A = generate<double>(text);
    for (int i = 0; i < 3; ++i) {
      expect_same_facts(A, Device::gpu());
      expect_same_facts(convert<float>(A.view()), Device::gpu());
    }
  }
}

TEST_F(AnalyzeOnGpu, leads_optimize_to_an_operator_that_multiplies) {
  const Csr<double> A = generate<double>("fem,n=12,dof=3");
  const Operator<double> op = optimize(A.to(Device::gpu()), {.device = Device::gpu()});
  EXPECT_EQ(op.device(), Device::gpu());
  EXPECT_TRUE(identical(op.restore(), A));
}

}  // namespace
}  // namespace heddle::test
