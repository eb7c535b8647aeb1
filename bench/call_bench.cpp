// What a call of multiply costs the host: nanoseconds a product of tiny matrices, by plan.
//
//   call_bench [DEVICE] [PLAN...]      cpu, gpu (default: gpu if there is one) ...; without plans: auto and a few
//
// On a GPU products are queued in batches that fit its queue, which is empty when a batch begins; waiting for it does
// not count. Columns:
//
//   bare       the launches of the same kernels with the same arguments, nothing else
//   device     multiply with Memory::device
//   detect     multiply that asks the driver where x and y lie
//   recorded   a product of a Recording of a thousand, until all of it is done
//   kernels    launches a product
//
// Peers follow, by their own call (column device): cuSPARSE on a GPU.
//
// The goal on a GPU: device - bare at most 200.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <heddle/heddle.hpp>
#include <string>
#include <vector>

#include "built_with.hpp"
#include "core/gpu.hpp"
#include "core/stopwatch.hpp"
#include "peers/peers.hpp"

#ifdef HEDDLE_HAS_CUDA
#include "simt/cuda_table.hpp"
#endif

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

constexpr int calls_of_batch = 256, batches = 101;

double ns_since(Clock::time_point begun) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begun).count();
}

// Median over batches; `wait` is not timed.
double ns_a_call(const std::function<void()>& call, const std::function<void()>& wait, int calls = calls_of_batch) {
  std::vector<double> samples;
  for (int batch = 0; batch < batches; ++batch) {
    wait();
    const auto begun = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    samples.push_back(ns_since(begun) / calls);
  }
  wait();
  return median(std::move(samples));
}

struct Bare {
  double ns = 0;
  int kernels = 0;
};

#ifdef HEDDLE_HAS_CUDA
// A table whose launches are timed where their arguments are at hand.
struct TimedLaunches {
  static inline simt::CudaTable real;
  static inline Bare found;

  template <class Launch>
  static cudaError_t timed(cudaStream_t stream, const Launch& launch) {
    cudaError_t status = cudaSuccess;
    found.ns += ns_a_call([&] { status = launch(); }, [&] { real.stream_synchronize(stream); });
    ++found.kernels;
    return status;
  }

  static Bare of(const std::function<void()>& product) {
    real = simt::cuda_table();
    found = {};
    simt::CudaTable& table = simt::cuda_table();
    table.launch_kernel = [](const void* f, dim3 g, dim3 b, void** a, std::size_t s, cudaStream_t q) {
      return timed(q, [&] { return real.launch_kernel(f, g, b, a, s, q); });
    };
    table.launch_early = [](const void* f, dim3 g, dim3 b, void** a, std::size_t s, cudaStream_t q) {
      return timed(q, [&] { return real.launch_early(f, g, b, a, s, q); });
    };
    table.launch_clusters = [](const void* f, dim3 g, dim3 b, unsigned c, void** a, std::size_t s, cudaStream_t q) {
      return timed(q, [&] { return real.launch_clusters(f, g, b, c, a, s, q); });
    };
    product();
    simt::cuda_table() = real;
    return found;
  }
};
#endif

void measure(const std::string& name, const Csr<double>& A, const std::string& plan, Device device) try {
  const Operator<double> op =
      plan == "auto" ? optimize(A, {.device = device}) : build(A, Plan::parse(plan), {.device = device});
  const Buffer<double> x = Buffer<double>::copy_of(std::vector<double>(static_cast<std::size_t>(A.cols), 1.0), device);
  Buffer<double> y(A.rows, device);
  const bool on_gpu = device.kind == Device::Kind::gpu;
  const auto wait = [&] {
    if (on_gpu) gpu::synchronize_device(device.ordinal);
  };
  const auto directly = [&] { op.multiply(x.data(), y.data(), Memory::device); };
  for (int i = 0; i < 1000; ++i) directly();
  wait();
  Bare bare;
#ifdef HEDDLE_HAS_CUDA
  if (on_gpu) bare = TimedLaunches::of(directly);
#endif
  const double device_ns = ns_a_call(directly, wait);
  const double detect_ns = ns_a_call([&] { op.multiply(x, y); }, wait);
  const Recording thousand(device, [&](Stream stream) {
    for (int i = 0; i < 1000; ++i) op.multiply(x.data(), y.data(), Memory::device, stream);
  });
  const double recorded_ns = ns_a_call([&] { thousand.run(), wait(); }, wait, 1) / 1000;
  fmt::print("{:<14}{:>9}{:>9.0f}{:>9.0f}{:>9.0f}{:>10.0f}{:>9}   {}\n", name, A.nnz(), bare.ns, device_ns, detect_ns,
             recorded_ns, bare.kernels, to_string(op.plan()));
} catch (const Error& error) {
  fmt::print("{:<14}{:>9}   {}: {}\n", name, A.nnz(), plan, error.what());
}

void measure_peer(const std::string& name, const Csr<double>& A, const std::string& peer_name, Device device) try {
  const auto peer = bench::make_peer<double>(peer_name, device);
  const Buffer<double> x = Buffer<double>::copy_of(std::vector<double>(static_cast<std::size_t>(A.cols), 1.0), device);
  Buffer<double> y(A.rows, device);
  peer->prepare(A.view(), x, y);
  const auto wait = [&] {
    if (device.kind == Device::Kind::gpu) gpu::synchronize_device(device.ordinal);
  };
  const auto product = [&] { peer->multiply({}); };
  for (int i = 0; i < 1000; ++i) product();
  fmt::print("{:<14}{:>9}{:>9}{:>9.0f}{:>9}{:>10}{:>9}   {}\n", name, A.nnz(), "", ns_a_call(product, wait), "", "", "",
             peer_name);
} catch (const Error& error) {
  fmt::print("{:<14}{:>9}   {}: {}\n", name, A.nnz(), peer_name, error.what());
}

}  // namespace

int main(int count, char** words) {
  const Device device = Device::parse(count > 1 ? words[1] : "auto");
  std::vector<std::string> plans(words + std::min(count, 2), words + count);
  if (plans.empty()) plans = {"auto", "csr", "sell", "dia", "weave", "weave layout=segments", "runs"};
  fmt::print("{}: ns a product, medians of {} batches of {}\n", to_string(device), batches, calls_of_batch);
  fmt::print("{:<14}{:>9}{:>9}{:>9}{:>9}{:>10}{:>9}\n", "matrix", "entries", "bare", "device", "detect", "recorded",
             "kernels");
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"1 row", "band,rows=1,width=0"},
                                                        {"tridiagonal", "band,rows=100,width=1"},
                                                        {"grid 10", "stencil2d5,n=10"},
                                                        {"random 1000", "random,rows=1000,cols=1000,per_row=8"},
                                                        {"grid 100", "stencil2d5,n=100"}}) {
    const Csr<double> A = generate<double>(text);
    for (const std::string& plan : plans) measure(name, A, plan, device);
    for (const std::string& peer : bench::peer_names(device)) measure_peer(name, A, peer, device);
  }
}
