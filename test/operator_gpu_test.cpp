// What only a real GPU can show: streams, graphs, device pointers.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include <heddle/heddle.hpp>

#include "built_with.hpp"
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

  // Queues `work` in a graph (a synchronisation or an allocation would end the capture with an error), then runs the
  // graph three times; `before` and `after` each of them.
  template <class Work, class Before, class After>
  void replay(Work work, Before before, After after) const {
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    work(Stream{stream});
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    for (int i = 0; i < 3; ++i) {
      before(stream);
      ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      after();
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }

  Csr<double> A;
  Buffer<double> x;
  std::vector<double> expected;
};

TEST_P(OnGpu, can_be_captured_in_a_graph_and_replayed) {
  if (refused()) return;
  const auto op = on_gpu();
  const Buffer<double> there = x.to(Device::gpu());
  Buffer<double> y(A.rows, Device::gpu());
  replay([&](Stream stream) { op.multiply(there, y, stream); },
         [&](cudaStream_t stream) { ASSERT_EQ(cudaMemsetAsync(y.data(), 0xff, y.bytes(), stream), cudaSuccess); },
         [&] { EXPECT_EQ(fetched(y), expected); });
}

// Vector j is x times j + 1, so the product is `expected` times j + 1.
TEST_P(OnGpu, multiplies_several_vectors_in_a_graph) {
  if (refused()) return;
  constexpr int most = 17;
  const auto op = build(A, Plan::parse(GetParam()), {.device = Device::gpu(), .right_hand_sides = most});
  for (const VectorOrder order : {VectorOrder::by_vector, VectorOrder::by_element})
    for (const int k : {2, 8, 16, most}) {
      const auto place = [&](std::int64_t i, int j, std::int64_t n) {
        return order == VectorOrder::by_vector ? j * n + i : i * k + j;
      };
      Buffer<double> X(A.cols * k);
      for (int j = 0; j < k; ++j)
        for (std::int64_t i = 0; i < A.cols; ++i) X[place(i, j, A.cols)] = x[i] * (j + 1);
      Buffer<double> there = X.to(Device::gpu()), Y(A.rows * k, Device::gpu());
      replay(
          [&](Stream stream) {
            op.multiply_many({there, k, order}, {Y, k, order}, stream);
          },
          [&](cudaStream_t stream) { ASSERT_EQ(cudaMemsetAsync(Y.data(), 0xff, Y.bytes(), stream), cudaSuccess); },
          [&] {
            const std::vector<double> got = fetched(Y);
            for (int j = 0; j < k; ++j)
              for (std::int64_t i = 0; i < A.rows; ++i)
                ASSERT_EQ(got[place(i, j, A.rows)], expected[i] * (j + 1)) << k << " vectors, " << i << ", " << j;
          });
    }
}

TEST_P(OnGpu, takes_new_values_from_the_device_in_a_graph) {
  if (refused()) return;
  auto op = build(A, Plan::parse(GetParam()), {.device = Device::gpu(), .updates = true});
  Buffer<double> twice = A.val;
  for (double& value : twice) value *= 2;
  const Buffer<double> there = x.to(Device::gpu()), old_values = A.val.to(Device::gpu());
  const Buffer<double> new_values = twice.to(Device::gpu());
  Buffer<double> y(A.rows, Device::gpu());
  std::vector<double> doubled = expected;
  for (double& e : doubled) e *= 2;
  replay(
      [&](Stream stream) {
        op.update_values(new_values, stream);
        op.multiply(there, y, stream);
      },
      [&](cudaStream_t stream) { op.update_values(old_values, Stream{stream}); },
      [&] { EXPECT_EQ(fetched(y), doubled); });
  op.update_values(A.val);  // from host memory
  op.multiply(there, y);
  EXPECT_EQ(fetched(y), expected);
  EXPECT_TRUE(identical(op.restore(), A));
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

TEST(OverlappedOnGpu, multiplies_vectors_there_while_another_thread_builds_and_after) {
  if (!gpu_available()) GTEST_SKIP() << "no GPU: " << gpu_absence();
  const Csr<double> A = generate<double>("stencil3d7,n=60");
  Buffer<double> x(A.cols), expected(A.rows);
  for (std::int64_t i = 0; i < A.cols; ++i) x[i] = static_cast<double>(i % 17 - 8);  // sums are exact
  build(A).multiply(x, expected);
  Overlapped<double> op(A, {.device = Device::gpu()});
  const Buffer<double> there = x.to(Device::gpu());
  Buffer<double> y(A.rows, Device::gpu());
  for (bool settled = false; !std::exchange(settled, op.settled());) {
    op.multiply(there, y);
    const Buffer<double> here = y.to(Device::cpu());
    ASSERT_TRUE(std::ranges::equal(here, expected)) << to_string(op.now().plan());
  }
  op.multiply(2.0, there, 0.0, y);
  const Buffer<double> here = y.to(Device::cpu());
  for (std::int64_t i = 0; i < A.rows; ++i) ASSERT_EQ(here[i], 2 * expected[i]);
  EXPECT_NE(op.now().plan().format, "csr");
  EXPECT_EQ(op.error(), "");
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
