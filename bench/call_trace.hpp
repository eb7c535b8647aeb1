// Every call of the CUDA runtime that some work makes, in order: when it began, how long the host was in it, and how
// long the device worked on it. The work is done many times with nothing but the host's clock, medians of which are
// shown, and once with events around each kernel, which would hold up the host. (Kernels that may start early have
// none: events would keep them from it.) Of work with thousands of calls, sums: of each kernel, and of the host's time.
#pragma once

#include "built_with.hpp"

#ifdef HEDDLE_HAS_CUDA

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/stopwatch.hpp"
#include "simt/cuda_table.hpp"

namespace heddle {

class CallTrace {
 public:
  static void print(const std::function<void()>& work) {
    work();
    std::vector<Run> runs;
    for (int i = 0; i < repeats; ++i) runs.push_back(traced(work, false));
    const Run shown = runs.back();
    std::erase_if(runs, [&](const Run& run) { return run.calls.size() != shown.calls.size(); });
    const Run timed = traced(work, true);
    fmt::print("{:>10}{:>9}{:>10}   call ({} of {} times the same)\n", "at us", "host us", "device us", runs.size(),
               repeats);
    for (std::size_t i = 0; i < shown.calls.size(); ++i) {
      const bool same = i < timed.calls.size() && timed.calls[i].kernel == shown.calls[i].kernel;
      const double device_us = same ? timed.calls[i].device_us : -1;
      fmt::print("{:10.1f}{:9.1f}{:>10}   {}\n", median(runs, [&](const Run& run) { return run.calls[i].at_us; }),
                 median(runs, [&](const Run& run) { return run.calls[i].host_us; }),
                 device_us >= 0 ? fmt::format("{:.1f}", device_us) : "", shown.calls[i].text());
    }
    fmt::print("{:10.1f}{:>19}   the end\n", median(runs, [](const Run& run) { return run.end_us; }), "");
  }
  // The fastest of some runs.
  static void print_sums(const std::function<void()>& work, int runs) {
    work();
    Run best = traced(work, false);
    for (int i = 1; i < runs; ++i)
      if (Run run = traced(work, false); run.end_us < best.end_us) best = std::move(run);
    std::map<std::string, Sums> kernels, others;
    for (const Call& call : best.calls) (call.kernel ? kernels["kernels"] : others[call.name]).add(call);
    for (const Call& call : traced(work, true).calls)
      if (call.kernel)
        kernels[name_of(call.kernel)].add(call), kernels["kernels"].device_us += std::max(0.0, call.device_us);
    fmt::print("{:>8}{:>10}{:>11}   call, of {:.1f} us in all\n", "times", "host us", "device us", best.end_us);
    print_rows(others);
    print_rows(kernels);
  }

 private:
  static constexpr int repeats = 200;
  using Clock = std::chrono::steady_clock;
  // Put into words afterwards: that takes longer than the call.
  struct Call {
    const char* name = nullptr;
    std::size_t bytes = 0;  // or shared memory
    const void* kernel = nullptr;
    unsigned blocks = 0, threads = 0;
    double at_us = 0, host_us = 0, device_us = -1;
    cudaEvent_t from = nullptr, to = nullptr;

    std::string text() const {
      if (kernel != nullptr)
        return fmt::format("{}<<<{}, {}, {}>>> {}", name ? "early " : "", blocks, threads, bytes, name_of(kernel));
      return bytes > 0 ? fmt::format("{} {} bytes", name, bytes) : name;
    }
  };
  struct Run {
    std::vector<Call> calls;
    double end_us = 0;
  };
  struct Sums {
    int times = 0;
    double host_us = 0, device_us = 0;

    void add(const Call& call) {
      ++times;
      host_us += call.host_us;
      device_us += std::max(0.0, call.device_us);
    }
  };
  static void print_rows(const std::map<std::string, Sums>& all) {
    std::vector<std::pair<std::string, Sums>> rows(all.begin(), all.end());
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.device_us, a.second.host_us) > std::pair(b.second.device_us, b.second.host_us);
    });
    for (const auto& [name, sums] : rows)
      fmt::print("{:8}{:10.1f}{:11.1f}   {}\n", sums.times, sums.host_us, sums.device_us, name);
  }
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
  static double median(const std::vector<Run>& runs, const F& of) {
    std::vector<double> all;
    for (const Run& run : runs) all.push_back(of(run));
    return heddle::median(std::move(all));
  }

  template <class F>
  static cudaError_t noted(Call call, const F& run) {
    call.at_us = now_us();
    const cudaError_t status = run();
    call.host_us = now_us() - call.at_us;
    state().calls.push_back(call);
    return status;
  }
  static std::string name_of(const void* kernel) {
    const char* mangled = nullptr;
    if (cudaFuncGetName(&mangled, kernel) != cudaSuccess || mangled == nullptr) return "kernel";
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                       std::free);
    std::string text = plain ? plain.get() : mangled;
    for (const std::string word : {"void ", "heddle::", "(anonymous namespace)::", "solve_method::", "device::"})
      for (std::size_t at = text.find(word); at != text.npos; at = text.find(word)) text.erase(at, word.size());
    return text.substr(0, std::min<std::size_t>(text.size(), 150));
  }
  static cudaError_t launch(const void* f, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                            cudaStream_t stream) {
    State& s = state();
    Call call{.bytes = shared, .kernel = f, .blocks = grid.x, .threads = block.x};
    if (s.events) {
      s.real.event_create(&call.from, cudaEventDefault), s.real.event_create(&call.to, cudaEventDefault);
      s.real.event_record(call.from, stream);
    }
    const cudaError_t status =
        noted(call, [&] { return s.real.launch_kernel(f, grid, block, arguments, shared, stream); });
    if (s.events) s.real.event_record(call.to, stream);
    return status;
  }
  static simt::CudaTable tracing() {
    simt::CudaTable t = state().real;
    t.launch_kernel = launch;
    t.launch_early = [](const void* f, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                        cudaStream_t stream) {
      return noted({.name = "early", .bytes = shared, .kernel = f, .blocks = grid.x, .threads = block.x},
                   [&] { return state().real.launch_early(f, grid, block, arguments, shared, stream); });
    };
    t.device_synchronize = [] {
      return noted({.name = "device_synchronize"}, [] { return state().real.device_synchronize(); });
    };
    t.stream_synchronize = [](cudaStream_t stream) {
      return noted({.name = "stream_synchronize"}, [=] { return state().real.stream_synchronize(stream); });
    };
    t.memcpy = [](void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
      return noted({"memcpy", bytes}, [=] { return state().real.memcpy(to, from, bytes, kind); });
    };
    t.memcpy_async = [](void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
      return noted({"memcpy_async", bytes}, [=] { return state().real.memcpy_async(to, from, bytes, kind, stream); });
    };
    t.func_set_attribute = [](const void* f, cudaFuncAttribute what, int value) {
      return noted({.name = "func_set_attribute"}, [=] { return state().real.func_set_attribute(f, what, value); });
    };
    t.pool_malloc = [](void** memory, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
      return noted({"pool_malloc", bytes}, [=] { return state().real.pool_malloc(memory, bytes, pool, stream); });
    };
    t.pool_free = [](void* memory, cudaStream_t stream) {
      return noted({.name = "pool_free"}, [=] { return state().real.pool_free(memory, stream); });
    };
    t.event_record = [](cudaEvent_t event, cudaStream_t stream) {
      return noted({.name = "event_record"}, [=] { return state().real.event_record(event, stream); });
    };
    t.stream_wait_event = [](cudaStream_t stream, cudaEvent_t event) {
      return noted({.name = "stream_wait_event"}, [=] { return state().real.stream_wait_event(stream, event); });
    };
    t.set_device = [](int device) {
      return noted({.name = "set_device"}, [=] { return state().real.set_device(device); });
    };
    return t;
  }
  static Run traced(const std::function<void()>& work, bool events) {
    State& s = state();
    s.real = simt::cuda_table();
    s.events = events;
    s.calls.clear();
    s.calls.reserve(1 << 12);
    simt::cuda_table() = tracing();
    s.start = Clock::now();
    work();
    const double end = now_us();
    simt::cuda_table() = s.real;
    s.real.device_synchronize();
    for (Call& call : s.calls) {
      if (call.from == nullptr) continue;
      float ms = 0;
      if (s.real.event_elapsed_time(&ms, call.from, call.to) == cudaSuccess) call.device_us = 1e3 * ms;
      s.real.event_destroy(call.from), s.real.event_destroy(call.to);
    }
    return {s.calls, end};
  }
};

}  // namespace heddle

#endif
