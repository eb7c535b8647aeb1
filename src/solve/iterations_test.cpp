// When iterations are recorded and replayed. A table of stand-ins records and replays what a small method writes down.
// Needs no GPU.
#include <gtest/gtest.h>

#include "built_with.hpp"

#ifdef HEDDLE_HAS_CUDA
#include <cstdlib>
#include <cstring>
#include <vector>

#include <heddle/generate.hpp>

#include "simt/cuda_table.hpp"
#include "solve/iterations.hpp"

namespace heddle::solve_method {
namespace {

std::vector<int> done, tape;  // roles in the order in which work ran, and as it was recorded
bool capturing = false;
std::int64_t graphs = 0, executables = 0, streams = 0, launches = 0, recordings = 0;
std::int64_t calls = 0, fail_at = -1;  // of the calls that record

cudaError_t recording_call() { return calls++ == fail_at ? cudaErrorUnknown : cudaSuccess; }

simt::CudaTable stand_ins() {
  simt::CudaTable t = simt::real_cuda_table();
  t.get_device_count = [](int* n) { return *n = 1, cudaSuccess; };
  t.get_device_properties = [](cudaDeviceProp* p, int) { return *p = cudaDeviceProp{}, cudaSuccess; };
  t.get_device = [](int* d) { return *d = 0, cudaSuccess; };
  t.set_device = [](int) { return cudaSuccess; };
  t.mem_get_info = [](std::size_t* f, std::size_t* n) { return *f = *n = std::size_t{1} << 30, cudaSuccess; };
  t.malloc = [](void** p, std::size_t n) { return *p = std::malloc(n), cudaSuccess; };
  t.pool_create = [](cudaMemPool_t*, int, std::uint64_t) { return cudaErrorNotSupported; };
  t.free = [](void* p) { return std::free(p), cudaSuccess; };
  t.memcpy = [](void* to, const void* from, std::size_t n, cudaMemcpyKind) {
    return std::memcpy(to, from, n), cudaSuccess;
  };
  t.stream_synchronize = [](cudaStream_t) { return cudaSuccess; };
  t.get_last_error = [] { return cudaSuccess; };
  t.stream_create = [](cudaStream_t* s) {
    const cudaError_t status = recording_call();
    if (status == cudaSuccess) ++streams, *s = reinterpret_cast<cudaStream_t>(&streams);
    return status;
  };
  t.stream_destroy = [](cudaStream_t) { return --streams, cudaSuccess; };
  t.stream_begin_capture = [](cudaStream_t, cudaStreamCaptureMode) {
    const cudaError_t status = recording_call();
    if (status == cudaSuccess) capturing = true, tape.clear();
    return status;
  };
  t.stream_end_capture = [](cudaStream_t, cudaGraph_t* g) {
    capturing = false;
    const cudaError_t status = recording_call();
    if (status == cudaSuccess) ++graphs, ++recordings, *g = reinterpret_cast<cudaGraph_t>(&graphs);
    return status;
  };
  t.graph_instantiate = [](cudaGraphExec_t* e, cudaGraph_t) {
    const cudaError_t status = recording_call();
    if (status == cudaSuccess) ++executables, *e = reinterpret_cast<cudaGraphExec_t>(&executables);
    return status;
  };
  t.graph_destroy = [](cudaGraph_t) { return --graphs, cudaSuccess; };
  t.graph_exec_destroy = [](cudaGraphExec_t) { return --executables, cudaSuccess; };
  t.graph_launch = [](cudaGraphExec_t, cudaStream_t) {
    ++launches;
    done.insert(done.end(), tape.begin(), tape.end());
    return cudaSuccess;
  };
  return t;
}

// Its work names the role that its vectors have: 0, 1, ... and again from 0.
class Rotating final : public Method<double> {
 public:
  explicit Rotating(int length) : length_(length) {}
  Stop start() override { return Stop::none; }
  void queue() override {
    if (capturing && recording_call() != cudaSuccess) throw std::runtime_error("this cannot be recorded");
    (capturing ? tape : done).push_back(role_);
  }
  void advance() override { role_ = length_ > 0 ? (role_ + 1) % length_ : role_ + 1; }
  int period() const override { return length_; }

 private:
  int length_, role_ = 0;
};

class RecordedIterations : public testing::Test {
 protected:
  RecordedIterations() {
    simt::cuda_table() = stand_ins();
    done.clear(), tape.clear();
    capturing = false, launches = recordings = calls = 0, fail_at = -1;
  }
  ~RecordedIterations() override { simt::cuda_table() = simt::real_cuda_table(); }

  // All roles in turn, whether they ran one by one or were replayed.
  static void expect_in_turn(std::size_t count, int period) {
    ASSERT_EQ(done.size(), count);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(done[i], static_cast<int>(i % static_cast<std::size_t>(period))) << i;
  }
  static void expect_nothing_left() {
    EXPECT_EQ(graphs, 0);
    EXPECT_EQ(executables, 0);
    EXPECT_EQ(streams, 0);
  }
};

Operator<double> on_gpu(const char* plan = "csr") {
  return build(generate<double>("stencil2d5,n=4"), Plan::parse(plan), {.device = Device::gpu()});
}

void queue(Iterations<double>& iterations, std::initializer_list<int> counts) {
  for (const int count : counts) iterations.queue(static_cast<std::int64_t>(done.size()), count);
}

TEST_F(RecordedIterations, begin_one_by_one_and_are_recorded_once) {
  {
    const auto A = on_gpu();
    Problem<double> problem(A, nullptr, nullptr, {});
    Rotating method(1);
    Iterations<double> iterations(problem, method, Graph::on);
    EXPECT_EQ(iterations.fewest(0), 1);
    queue(iterations, {31});
    EXPECT_EQ(recordings, 0) << "too early";
    queue(iterations, {1, 32, 70});
    EXPECT_EQ(iterations.fewest(100), iterations_of_graph);
    expect_in_turn(134, 1);
    EXPECT_EQ(recordings, 1);
    EXPECT_EQ(launches, 3);
    EXPECT_EQ(iterations.from_graph(), 96);
    EXPECT_EQ(problem.stream().handle, nullptr) << "the stream of the recording is still in use";
  }
  expect_nothing_left();
}

TEST_F(RecordedIterations, replay_only_where_vectors_have_the_roles_they_were_recorded_in) {
  const auto A = on_gpu();
  Problem<double> problem(A, nullptr, nullptr, {});
  Rotating method(6);
  Iterations<double> iterations(problem, method, Graph::on);
  queue(iterations, {32, 30, 5, 64, 33, 1, 64});
  expect_in_turn(229, 6);
  EXPECT_EQ(recordings, 1);
  EXPECT_GE(launches, 4);
}

TEST_F(RecordedIterations, are_recorded_anew_for_another_operator) {
  const auto A = on_gpu(), better = on_gpu("sell");
  Problem<double> problem(A, nullptr, nullptr, {});
  Rotating method(6);
  Iterations<double> iterations(problem, method, Graph::on);
  queue(iterations, {32, 32});
  problem.set_operator(better);
  iterations.operator_changed();
  queue(iterations, {64});
  EXPECT_EQ(recordings, 2);
  expect_in_turn(128, 6);
}

TEST_F(RecordedIterations, go_on_one_by_one_when_recording_fails_at_any_point) {
  bool reached = true;
  for (int at = 0; reached; ++at) {
    {
      done.clear(), launches = 0, calls = 0, fail_at = at, capturing = false;
      const auto A = on_gpu();
      Problem<double> problem(A, nullptr, nullptr, {});
      Rotating method(6);
      Iterations<double> iterations(problem, method, Graph::on);
      queue(iterations, {32, 64, 64});
      expect_in_turn(160, 6);
      reached = calls > at;
      EXPECT_EQ(launches == 0, reached) << at;
      EXPECT_EQ(problem.stream().handle, nullptr);
    }
    expect_nothing_left();
  }
}

TEST_F(RecordedIterations, are_not_recorded_where_that_is_not_wanted_or_not_safe) {
  const auto count = [](const Operator<double>& A, Graph wish, int period, Preconditioner<double>* M) {
    Problem<double> problem(A, nullptr, nullptr, {});
    problem.set_preconditioner(M);
    Rotating method(period);
    Iterations<double> iterations(problem, method, wish);
    iterations.queue(1000, 64);
    return iterations.from_graph();
  };
  const auto A = on_gpu(), turns = on_gpu("csr_split");
  const auto here = build(generate<double>("stencil2d5,n=4"));
  class Own final : public Preconditioner<double> {
    std::string name() const override { return "own"; }
    void apply(std::span<const double>, std::span<double>, Stream) const override {}
  } own;
  EXPECT_EQ(count(A, Graph::on, 1, nullptr), 64);
  EXPECT_EQ(count(A, Graph::where_faster, 1, nullptr), A.rows() <= most_rows_recorded ? 64 : 0);
  EXPECT_EQ(count(A, Graph::off, 1, nullptr), 0);
  EXPECT_EQ(count(A, Graph::on, 0, nullptr), 0) << "gmres";
  ASSERT_TRUE(turns.takes_turns());
  EXPECT_EQ(count(turns, Graph::on, 1, nullptr), 0);
  EXPECT_EQ(count(A, Graph::on, 1, &own), 0);
  EXPECT_EQ(count(here, Graph::on, 1, nullptr), 0) << "the CPU";
}

}  // namespace
}  // namespace heddle::solve_method

#else

TEST(RecordedIterations, need_a_build_with_cuda) { GTEST_SKIP() << "built without CUDA"; }

#endif
