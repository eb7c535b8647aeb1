// What only a real GPU can show: streams, graphs, device pointers.
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "support/zoo.hpp"

#ifdef HEDDLE_HAS_CUDA
#include <cuda_runtime.h>

namespace heddle::test {
namespace {

class OnGpu : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!gpu_available()) GTEST_SKIP() << "no GPU: " << gpu_absence();
    std::vector<std::int64_t> lengths;
    for (int i = 0; i < 5000; ++i) lengths.push_back(i == 77 ? 4000 : i % 13);
    A = with_lengths(lengths, 5000, 1);
    x = Buffer<double>(A.cols);
    for (std::int64_t i = 0; i < A.cols; ++i) x[i] = static_cast<double>(i % 17 - 8);
    expected.resize(static_cast<std::size_t>(A.rows));
    build(A).multiply(x, expected);
  }
  std::vector<double> fetched(const Buffer<double>& y) const {
    const Buffer<double> here = y.to(Device::cpu());
    return {here.begin(), here.end()};
  }
  bool refused() const { return !footprint(A.view(), Plan::parse(GetParam())).fits; }
  Operator<double> on_gpu() const { return build(A, Plan::parse(GetParam()), {Device::gpu()}); }

  Csr<double> A;
  Buffer<double> x;
  std::vector<double> expected;
};

TEST_P(OnGpu, can_be_captured_in_a_graph_and_replayed) {
  if (refused()) return;
  const auto op = on_gpu();
  const Buffer<double> there = x.to(Device::gpu());
  Buffer<double> y(A.rows, Device::gpu());
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  op.multiply(there, y, Stream{stream});  // a synchronisation or an allocation would end the capture with an error
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cudaMemsetAsync(y.data(), 0xff, y.bytes(), stream), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(replay, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(fetched(y), expected);
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST_P(OnGpu, gives_the_same_bits_from_several_streams_at_once) {
  if (refused()) return;
  const auto op = on_gpu();
  const Buffer<double> there = x.to(Device::gpu());
  constexpr int streams = 4;
  std::vector<cudaStream_t> stream(streams);
  std::vector<Buffer<double>> y;
  for (cudaStream_t& s : stream) {
    ASSERT_EQ(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaSuccess);
    y.emplace_back(A.rows, Device::gpu());
  }
  for (int round = 0; round < 20; ++round)
    for (int i = 0; i < streams; ++i) op.multiply(there, y[i], Stream{stream[i]});
  for (int i = 0; i < streams; ++i) {
    ASSERT_EQ(cudaStreamSynchronize(stream[i]), cudaSuccess);
    EXPECT_EQ(fetched(y[i]), expected);
    cudaStreamDestroy(stream[i]);
  }
}

std::string name_of_format(const testing::TestParamInfo<std::string>& info) { return info.param; }

std::vector<std::string> all_formats() {
  std::vector<std::string> names;
  for (const FormatInfo& format : formats()) names.push_back(format.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(formats, OnGpu, testing::ValuesIn(all_formats()), name_of_format);

}  // namespace
}  // namespace heddle::test

#else

TEST(OnGpu, needs_a_build_with_cuda) { GTEST_SKIP() << "built without CUDA"; }

#endif
