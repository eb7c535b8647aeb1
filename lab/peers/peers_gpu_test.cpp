// Every peer of the GPU, on a real one: the same result as the reference, in times that can be measured.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "bench/results.hpp"
#include "support/zoo.hpp"

namespace heddle::bench {
namespace {

class PeersOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_available()) GTEST_SKIP() << "no GPU: " << gpu_absence();
  }

  // Nothing where the library is absent: then there are no names.
  template <class V>
  void expect_agreement(const std::string& label, const Csr<V>& A) {
    const Reference<V> reference(A.view());
    const Settings settings{.device = Device::gpu(), .seconds = 0.001, .cold = true};
    for (const std::string& name : peer_names(Device::gpu())) {
      SCOPED_TRACE(fmt::format("{} on {}, {} bytes a value", name, label, sizeof(V)));
      const Result result = bench_peer(A, name, reference, settings);
      if (name == "cusparse:bsr" && result.status.find("70 %") != std::string::npos) continue;
      EXPECT_EQ(result.status, "ok");
      EXPECT_GT(result.seconds, 0);
      EXPECT_GT(result.cold_seconds, 0);
    }
  }
};

TEST_F(PeersOnGpu, are_there_or_say_why_not) {
  EXPECT_EQ(peer_names(Device::gpu()).empty(), !peer_absence(Device::gpu()).empty()) << peer_absence(Device::gpu());
}

TEST_F(PeersOnGpu, agree_with_the_reference_on_awkward_matrices) {
  for (const test::Specimen& specimen : test::zoo(test::Zoo::small)) {
    if (specimen.A.nnz() == 0) continue;
    expect_agreement(specimen.name, specimen.A);
    expect_agreement(specimen.name, convert<float>(specimen.A.view()));
  }
}

TEST_F(PeersOnGpu, agree_with_the_reference_on_generated_classes) {
  for (const char* text : {"stencil2d5,n=100", "fem,n=8,dof=3", "fem,n=6,dof=6", "rmat,scale=12", "dense,rows=300"}) {
    expect_agreement(text, generate<double>(text));
    expect_agreement(text, generate<float>(text));
  }
}

TEST_F(PeersOnGpu, multiply_blocks_where_they_are_full) {
  if (peer_names(Device::gpu()).empty()) GTEST_SKIP() << peer_absence(Device::gpu());
  const auto A = generate<double>("fem,n=8,dof=3");
  const Reference<double> reference(A.view());
  EXPECT_EQ(bench_peer<double>(A, "cusparse:bsr", reference, {.device = Device::gpu(), .seconds = 0.001}).status, "ok");
}

}  // namespace
}  // namespace heddle::bench
