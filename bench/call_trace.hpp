// Every call of the CUDA runtime that some work makes, in order: when it began, how long the host was in it, and how
// long the device worked on it. The work is done twice: once with nothing but the host's clock, and once with events
// around each kernel, which would hold up the host.
#pragma once

#ifdef HEDDLE_HAS_CUDA

#include <cxxabi.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simt/cuda_table.hpp"

namespace heddle {

class CallTrace {
 public:
  static void print(const std::function<void()>& work) {
    work();
    const std::vector<Call> plain = traced(work, false), timed = traced(work, true);
    fmt::print("{:>10}{:>9}{:>10}   call\n", "at us", "host us", "device us");
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const bool same = i < timed.size() && timed[i].name == plain[i].name && timed[i].device_us >= 0;
      fmt::print("{:10.1f}{:9.1f}{:>10}   {}\n", plain[i].at_us, plain[i].host_us,
                 same ? fmt::format("{:.1f}", timed[i].device_us) : "", plain[i].name);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Call {
    std::string name;
    double at_us, host_us, device_us;
    cudaEvent_t from, to;
  };
  struct State {
    simt::CudaTable real{};
    bool events = false;
    Clock::time_point start;
    std::vector<Call> calls;
  };
  static State& state() {
    static State all;
    return all;
  }
  static double now_us() { return std::chrono::duration<double, std::micro>(Clock::now() - state().start).count(); }

  template <class F>
  static cudaError_t noted(const std::string& name, const F& call) {
    const double at = now_us();
    const cudaError_t status = call();
    state().calls.push_back({name, at, now_us() - at, -1, nullptr, nullptr});
    return status;
  }
  static std::string name_of(const void* kernel) {
    const char* mangled = nullptr;
    if (cudaFuncGetName(&mangled, kernel) != cudaSuccess || mangled == nullptr) return "kernel";
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                       std::free);
    const std::string text = plain ? plain.get() : mangled;
    return text.substr(0, std::min<std::size_t>(text.size(), 150));
  }
  static cudaError_t launch(const void* f, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                            cudaStream_t stream) {
    State& s = state();
    cudaEvent_t from = nullptr, to = nullptr;
    if (s.events) {
      s.real.event_create(&from, cudaEventDefault), s.real.event_create(&to, cudaEventDefault);
      s.real.event_record(from, stream);
    }
    const cudaError_t status = noted(fmt::format("<<<{}, {}, {}>>> {}", grid.x, block.x, shared, name_of(f)),
                                     [&] { return s.real.launch_kernel(f, grid, block, arguments, shared, stream); });
    if (s.events) s.real.event_record(to, stream);
    s.calls.back().from = from, s.calls.back().to = to;
    return status;
  }
  static simt::CudaTable tracing() {
    simt::CudaTable t = state().real;
    t.launch_kernel = launch;
    t.device_synchronize = [] { return noted("device_synchronize", [] { return state().real.device_synchronize(); }); };
    t.stream_synchronize = [](cudaStream_t stream) {
      return noted("stream_synchronize", [=] { return state().real.stream_synchronize(stream); });
    };
    t.memcpy = [](void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
      return noted(fmt::format("memcpy {} bytes, kind {}", bytes, static_cast<int>(kind)),
                   [=] { return state().real.memcpy(to, from, bytes, kind); });
    };
    t.memcpy_async = [](void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
      return noted(fmt::format("memcpy_async {} bytes", bytes),
                   [=] { return state().real.memcpy_async(to, from, bytes, kind, stream); });
    };
    t.func_set_attribute = [](const void* f, cudaFuncAttribute what, int value) {
      return noted("func_set_attribute", [=] { return state().real.func_set_attribute(f, what, value); });
    };
    t.pool_malloc = [](void** memory, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
      return noted(fmt::format("pool_malloc {} bytes", bytes),
                   [=] { return state().real.pool_malloc(memory, bytes, pool, stream); });
    };
    t.set_device = [](int device) { return noted("set_device", [=] { return state().real.set_device(device); }); };
    return t;
  }
  static std::vector<Call> traced(const std::function<void()>& work, bool events) {
    State& s = state();
    s.real = simt::cuda_table();
    s.events = events;
    s.calls.clear();
    s.calls.reserve(1 << 12);
    simt::cuda_table() = tracing();
    s.start = Clock::now();
    work();
    simt::cuda_table() = s.real;
    s.real.device_synchronize();
    for (Call& call : s.calls) {
      if (call.from == nullptr) continue;
      float ms = 0;
      if (s.real.event_elapsed_time(&ms, call.from, call.to) == cudaSuccess) call.device_us = 1e3 * ms;
      s.real.event_destroy(call.from), s.real.event_destroy(call.to);
    }
    return s.calls;
  }
};

}  // namespace heddle

#endif
