// Every call of the CUDA runtime can fail. A table of stand-ins, whose memory is host memory and whose kernels do
// nothing, fails the k-th call of any kind: the library must report it and give everything back. Needs no GPU.
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "built_with.hpp"

#ifdef HEDDLE_HAS_CUDA
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <set>

#include "core/gpu.hpp"
#include "simt/device_memory.hpp"
#include "support/cuda_stand_ins.hpp"
#include "support/zoo.hpp"

namespace heddle::test {
namespace {

class CudaFaults : public testing::TestWithParam<std::string> {
 protected:
  CudaFaults() { simt::cuda_table() = stand_ins(); }
  ~CudaFaults() override { simt::cuda_table() = simt::real_cuda_table(); }
};

TEST_P(CudaFaults, are_reported_and_leave_nothing_behind) {
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(100, 12), 100, 1);
  const std::vector<double> x(100, 1);
  for (const cudaError_t code : {cudaErrorMemoryAllocation, cudaErrorLaunchFailure, cudaErrorUnknown}) {
    bool done = false;
    for (std::int64_t at = 0; !done; ++at) {
      ASSERT_LT(at, 1000);
      calls = 0, fail_at = at, fail_with = code;
      std::vector<double> y(100, 7);
      try {
        const auto op = build(A, Plan::parse(GetParam()), {Device::gpu()});
        op.multiply(x, y);
        op.multiply(2.0, x, 1.0, y);
        done = calls <= at;  // the k-th call was never made: all of them have had their turn
      } catch (const Error& error) {
        EXPECT_NE(error.kind(), ErrorKind::usage) << error.what();
        EXPECT_FALSE(std::string(error.what()).empty());
      }
      EXPECT_TRUE(alive.empty()) << "GPU memory leaked when call " << at << " failed";
      EXPECT_EQ(events_alive, 0) << "an event leaked when call " << at << " failed";
    }
    EXPECT_GT(calls, 10) << "the stand-ins were never called";
  }
}

// Noting the time behind every multiplication would take longer than a small one itself.
TEST(CudaEvents, that_multiplications_wait_for_have_no_time) {
  simt::cuda_table() = stand_ins();
  fail_at = -1, timed_events = 0;
  {
    const Csr<double> A = with_lengths({5000, 1, 1}, 5000, 1);
    const auto op = build(A, Plan::parse("weave layout=segments"), {Device::gpu()});  // a row in pieces
    const std::vector<double> x(5000, 1);
    std::vector<double> y(3);
    op.multiply(x, y);
    EXPECT_EQ(events_alive, 1);
    EXPECT_EQ(timed_events, 0);
  }
  EXPECT_EQ(events_alive, 0);
  simt::cuda_table() = simt::real_cuda_table();
}

TEST(CudaFaultsOfASolve, are_reported_and_leave_nothing_behind) {
  simt::cuda_table() = stand_ins();
  const Csr<double> A = with_lengths(std::vector<std::int64_t>(100, 12), 100, 1);
  const std::vector<double> b(100, 1);
  bool done = false;
  for (std::int64_t at = 0; !done; ++at) {
    ASSERT_LT(at, 1000);
    calls = 0, fail_at = at, fail_with = cudaErrorUnknown;
    std::vector<double> x(100, 7);
    try {
      const auto op = build(A, {}, {Device::gpu()});
      solve(op, b, x, {.method = "gmres"});
      done = calls <= at;
    } catch (const Error& error) {
      done = calls <= at;  // kernels that do nothing do no iteration either
      EXPECT_NE(error.kind(), ErrorKind::usage) << error.what();
    }
    EXPECT_TRUE(alive.empty()) << "GPU memory leaked when call " << at << " failed";
  }
  EXPECT_GT(calls, 30) << "the stand-ins were never called";
  simt::cuda_table() = simt::real_cuda_table();
}

TEST(CudaTable, out_of_memory_says_how_much_was_asked_for) {
  simt::cuda_table() = stand_ins();
  fail_at = -1;
  (void)Buffer<double>(1, Device::gpu());  // the first asks for more than memory
  calls = 0, fail_at = 1, fail_with = cudaErrorMemoryAllocation;
  try {
    Buffer<double> never(1000, Device::gpu());
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_NE(std::string(error.what()).find("8000 bytes"), std::string::npos) << error.what();
  }
  simt::cuda_table() = simt::real_cuda_table();
}

// A device with pools, whose memory is 10,000 bytes of the host.
std::int64_t pool_bytes = 0, pool_mallocs = 0, waits = 0;
constexpr std::size_t block_bytes = 4096;

simt::CudaTable with_pools() {
  simt::CudaTable t = stand_ins();
  t.pool_create = [](cudaMemPool_t* pool, int, std::uint64_t) {
    return *pool = reinterpret_cast<cudaMemPool_t>(&pool_bytes), cudaSuccess;
  };
  t.stream_create = [](cudaStream_t*) { return cudaSuccess; };
  t.device_synchronize = [] { return ++waits, cudaSuccess; };
  t.pool_malloc = [](void** p, std::size_t n, cudaMemPool_t, cudaStream_t) {
    if (pool_bytes + static_cast<std::int64_t>(n) > 10000) return cudaErrorMemoryAllocation;
    pool_bytes += static_cast<std::int64_t>(n), ++pool_mallocs;
    *p = std::malloc(n);
    return cudaSuccess;
  };
  t.pool_free = [](void* p, cudaStream_t) { return std::free(p), pool_bytes -= block_bytes, cudaSuccess; };
  return t;
}

TEST(CudaMemory, is_handed_out_again_after_one_wait_and_given_back_when_there_is_no_other) {
  simt::cuda_table() = with_pools();
  calls = 0, fail_at = -1;
  auto memory = std::make_unique<simt::DeviceMemory>();
  void *a = nullptr, *b = nullptr, *c = nullptr;
  ASSERT_EQ(memory->allocate(0, &a, block_bytes - 96), cudaSuccess);
  ASSERT_EQ(memory->allocate(0, &b, block_bytes), cudaSuccess);
  memory->release(a);
  memory->release(b);
  EXPECT_EQ(waits, 0);
  ASSERT_EQ(memory->allocate(0, &a, block_bytes), cudaSuccess);
  ASSERT_EQ(memory->allocate(0, &b, block_bytes), cudaSuccess);
  EXPECT_NE(a, b);
  EXPECT_EQ(pool_mallocs, 2);
  EXPECT_EQ(waits, 1) << "for both";
  EXPECT_EQ(memory->allocate(0, &c, block_bytes / 2), cudaErrorMemoryAllocation);
  memory->release(b);
  ASSERT_EQ(memory->allocate(0, &c, block_bytes / 2), cudaSuccess) << "what is kept is given back first";
  EXPECT_EQ(pool_mallocs, 3);
  std::free(a), std::free(c);
  simt::cuda_table() = simt::real_cuda_table();
}

TEST(CudaMemory, that_was_given_back_is_waited_for_together_with_answers) {
  simt::cuda_table() = with_pools();
  calls = 0, fail_at = -1, pool_bytes = 0, waits = 0;
  auto memory = std::make_unique<simt::DeviceMemory>();
  void *a = nullptr, *b = nullptr;
  EXPECT_EQ(memory->wait_for(nullptr), cudaSuccess);
  EXPECT_EQ(waits, 0) << "nothing was given back: the stream alone";
  ASSERT_EQ(memory->allocate(0, &a, block_bytes), cudaSuccess);
  memory->release(a);
  EXPECT_EQ(memory->wait_for(nullptr), cudaSuccess);
  EXPECT_EQ(waits, 1);
  ASSERT_EQ(memory->allocate(0, &b, block_bytes), cudaSuccess);
  EXPECT_EQ(a, b);
  EXPECT_EQ(memory->wait_for(nullptr), cudaSuccess);
  EXPECT_EQ(waits, 1) << "once is enough";
  std::free(b);
  simt::cuda_table() = simt::real_cuda_table();
}

// Two GPUs, whose memory belongs to the one that was current when it was allocated; calls are counted by name.
std::map<std::string, int> count_of;
std::map<const void*, int> owner_of;
std::set<int> launched_on;

simt::CudaTable two_gpus() {
  simt::CudaTable t = stand_ins();
  t.get_device_count = [](int* n) { return *n = 2, cudaSuccess; };
  t.device_synchronize = [] { return cudaSuccess; };
  t.get_device = [](int* d) { return ++count_of["get_device"], *d = current_device, cudaSuccess; };
  t.malloc = [](void** p, std::size_t n) {
    *p = std::malloc(n);
    owner_of[*p] = current_device;
    return cudaSuccess;
  };
  t.free = [](void* p) { return owner_of.erase(p), std::free(p), cudaSuccess; };
  t.pointer_get_attributes = [](cudaPointerAttributes* a, const void* p) {
    ++count_of["pointer_get_attributes"];
    const auto found = owner_of.find(p);
    a->type = found == owner_of.end() ? cudaMemoryTypeUnregistered : cudaMemoryTypeDevice;
    if (found != owner_of.end()) a->device = found->second;
    return cudaSuccess;
  };
  t.launch_kernel = [](const void*, dim3, dim3, void**, std::size_t, cudaStream_t) {
    launched_on.insert(current_device);
    return ++count_of["launch"], cudaSuccess;
  };
  t.launch_early = t.launch_kernel;
  t.launch_clusters = [](const void*, dim3, dim3, unsigned, void**, std::size_t, cudaStream_t) {
    launched_on.insert(current_device);
    return ++count_of["launch"], cudaSuccess;
  };
  t.stream_is_capturing = [](cudaStream_t, cudaStreamCaptureStatus* s) {
    return ++count_of["is_capturing"], *s = cudaStreamCaptureStatusNone, cudaSuccess;
  };
  t.func_set_attribute = [](const void*, cudaFuncAttribute, int) { return ++count_of["attribute"], cudaSuccess; };
  return t;
}

class TwoGpus : public testing::Test {
 protected:
  TwoGpus() {
    simt::cuda_table() = two_gpus();
    fail_at = -1, current_device = 0;
    launched_on.clear(), count_of.clear();
  }
  ~TwoGpus() override { simt::cuda_table() = simt::real_cuda_table(), current_device = 0; }

  static Csr<double> matrix() { return with_lengths(std::vector<std::int64_t>(100, 12), 100, 1); }
};

TEST_F(TwoGpus, work_on_the_one_asked_for_and_leave_the_current_one) {
  const auto op = build(matrix(), Plan::parse("csr"), {.device = Device::gpu(1), .transposed = true});
  EXPECT_EQ(current_device, 0);
  const std::vector<double> x(100, 1);
  std::vector<double> y(100);
  op.multiply(x, y);
  op.multiply_transposed(1, x, 0, y);
  (void)op.restore();
  EXPECT_EQ(current_device, 0);
  EXPECT_EQ(launched_on, std::set<int>{1});
  for (const auto& [memory, device] : owner_of) EXPECT_EQ(device, 1);
  current_device = 1;
  const Buffer<double> first(10, Device::gpu(0));
  EXPECT_EQ(owner_of.at(first.data()), 0);
  EXPECT_EQ(current_device, 1);
}

TEST_F(TwoGpus, refuse_memory_of_the_other_and_numbers_there_are_not) {
  const auto op = build(matrix(), Plan::parse("csr"), {.device = Device::gpu(1)});
  const Buffer<double> x(100, Device::gpu(0));
  Buffer<double> y(100, Device::gpu(1));
  const auto kind_of = [](auto work) {
    try {
      work();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind_of([&] { op.multiply(x, y); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([] { Buffer<double>(1, Device::gpu(2)); }), ErrorKind::unavailable);
  EXPECT_EQ(kind_of([] { Buffer<double>(1, Device::gpu(-1)); }), ErrorKind::usage);
  EXPECT_EQ(current_device, 0);
}

// Inside of another one, and where none is current.
TEST_F(TwoGpus, are_known_while_one_is_current_to_the_library) {
  const auto known = [](int device = -1) {
    return simt::known_gpu().find(device, simt::cuda_table().get_device), device;
  };
  {
    const gpu::Current outer(Device::gpu(1)), again(Device::gpu(1)), on_the_host(Device::cpu());
    EXPECT_EQ((gpu::Current(Device::gpu(0)), known()), 0);
    EXPECT_EQ(known(), 1);
  }
  current_device = 1;  // by somebody else
  EXPECT_EQ(known(), 1);
}

TEST_F(TwoGpus, are_called_as_little_as_can_be) {
  const auto op = build(matrix(), Plan::parse("csr"), {.device = Device::gpu(0)});
  const Buffer<double> x(100, Device::gpu(0));
  Buffer<double> y(100, Device::gpu(0));
  const auto calls_of = [&](auto multiply) {
    count_of.clear();
    multiply();
    return count_of;
  };
  using Calls = std::map<std::string, int>;
  // Shared memory above 48 KB is asked for once of a kernel.
  const auto launch = [] {
    const gpu::Current current(Device::gpu(1));
    static const char kernel = 0;
    simt::launch_pointers({.blocks = 1, .threads = 32, .shared_bytes = 100 << 10}, &kernel, nullptr);
  };
  EXPECT_EQ(calls_of(launch), (Calls{{"attribute", 1}, {"get_device", 1}, {"launch", 1}}));
  EXPECT_EQ(calls_of(launch), (Calls{{"get_device", 1}, {"launch", 1}}));
  EXPECT_EQ(calls_of([&] { op.multiply(x.data(), y.data(), Memory::device); }),
            (Calls{{"get_device", 1}, {"launch", 1}}));
  EXPECT_EQ(calls_of([&] { op.multiply(x, y); }),
            (Calls{{"get_device", 1}, {"launch", 1}, {"pointer_get_attributes", 2}}));
  const Csr<double> A = with_lengths({5000, 1, 1}, 5000, 1);
  const auto serialised = build(A, Plan::parse("weave layout=segments"), {.device = Device::gpu(0)});
  const Buffer<double> long_x(5000, Device::gpu(0));
  Buffer<double> short_y(3, Device::gpu(0));
  EXPECT_EQ(calls_of([&] { serialised.multiply(long_x.data(), short_y.data(), Memory::device); })["is_capturing"], 1);
}

TEST_F(TwoGpus, are_asked_once_for_the_shared_memory_of_a_kernel) {
  int kernel = 0;
  const auto launch = [&](std::size_t bytes) {
    simt::launch_pointers({.blocks = 1, .threads = 32, .shared_bytes = bytes}, &kernel, nullptr);
    return count_of["attribute"];
  };
  EXPECT_EQ(launch(1000), 0);
  EXPECT_EQ(launch(60000), 1);
  EXPECT_EQ(launch(60000), 1);
  EXPECT_EQ(launch(50000), 1);
  EXPECT_EQ(launch(70000), 2);
  current_device = 1;
  EXPECT_EQ(launch(60000), 3);
}

struct Pool {
  int alive = 0, calls = 0;
  bool empty = false;
};

TEST_F(TwoGpus, take_memory_from_the_callers_allocator) {
  Pool pool;
  int stream = 0;
  const DeviceAllocator allocator{.allocate = [](void* context, int ordinal, std::size_t bytes, Stream) -> void* {
                                    Pool& of = *static_cast<Pool*>(context);
                                    EXPECT_EQ(ordinal, current_device);
                                    if (of.empty) return nullptr;
                                    ++of.alive, ++of.calls;
                                    return std::malloc(bytes);
                                  },
                                  .free =
                                      [](void* context, int, void* memory, std::size_t, Stream) {
                                        --static_cast<Pool*>(context)->alive;
                                        std::free(memory);
                                      },
                                  .context = &pool,
                                  .stream = {&stream}};
  EXPECT_THROW(set_device_allocator({.allocate = allocator.allocate}), Error);
  Buffer<double> before(10, Device::gpu(1));
  set_device_allocator(allocator);
  EXPECT_EQ(device_allocator().context, &pool);
  {
    const auto op = build(matrix(), Plan::parse("csr"), {.device = Device::gpu(1)});
    EXPECT_GT(pool.alive, 2);
    EXPECT_EQ(owner_of.size(), 1u) << "no other memory";
    pool.empty = true;
    EXPECT_THROW(Buffer<double>(10, Device::gpu(1)), Error);
    set_device_allocator({});
    before = Buffer<double>(20, Device::gpu(1));
    EXPECT_EQ(owner_of.size(), 1u);
  }
  EXPECT_EQ(pool.alive, 0) << "goes back to where it came from";
}

// A child that inherits a context in use can do nothing with it: it is told so, and what it holds is left alone.
TEST_F(TwoGpus, are_lost_to_a_forked_process) {
  const auto op = std::make_unique<Operator<double>>(build(matrix(), Plan::parse("csr"), {.device = Device::gpu(0)}));
  const pid_t child = fork();
  if (child == 0) {
    int verdict = 1;
    std::vector<double> x(100, 1), y(100);
    try {
      op->multiply(x, y);
    } catch (const Error& error) {
      const std::string words = error.what();
      const bool clear = error.kind() == ErrorKind::unavailable && words.find("forked") != std::string::npos &&
                         words.find("spawn") != std::string::npos;
      verdict = clear && !gpu_available() && gpu_absence().find("forked") != std::string::npos ? 0 : 2;
    }
    const_cast<std::unique_ptr<Operator<double>>&>(op).reset();
    _exit(owner_of.empty() ? 3 : verdict);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(gpu_available());
}

std::string name_of_format(const testing::TestParamInfo<std::string>& info) { return info.param; }

std::vector<std::string> all_formats() {
  std::vector<std::string> names;
  for (const FormatInfo& format : formats()) names.push_back(format.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(formats, CudaFaults, testing::ValuesIn(all_formats()), name_of_format);

}  // namespace
}  // namespace heddle::test

#else

TEST(CudaFaults, need_a_build_with_cuda) { GTEST_SKIP() << "built without CUDA"; }

#endif
