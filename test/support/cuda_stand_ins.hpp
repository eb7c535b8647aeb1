// A table of stand-ins for the calls of the CUDA runtime: their memory is host memory, their kernels do nothing, and the
// k-th call of any kind fails.
#pragma once

#include <cstdlib>
#include <cstring>
#include <set>

#include "simt/cuda_table.hpp"

namespace heddle::test {

inline std::int64_t calls = 0, fail_at = -1;
inline cudaError_t fail_with = cudaSuccess;
inline std::set<void*> alive;
inline std::int64_t events_alive = 0, timed_events = 0;
inline int current_device = 0;

inline cudaError_t next() { return calls++ == fail_at ? fail_with : cudaSuccess; }

inline simt::CudaTable stand_ins() {
  simt::CudaTable t = simt::real_cuda_table();
  t.get_device_count = [](int* n) { return *n = 1, next(); };
  t.get_device_properties = [](cudaDeviceProp* p, int) { return *p = cudaDeviceProp{}, next(); };
  t.get_device = [](int* d) { return *d = current_device, next(); };
  t.set_device = [](int d) {
    const cudaError_t status = d < 2 ? next() : cudaErrorInvalidDevice;
    if (status == cudaSuccess) current_device = d;
    return status;
  };
  t.mem_get_info = [](std::size_t* f, std::size_t* n) { return *f = *n = std::size_t{1} << 30, next(); };
  t.malloc = [](void** p, std::size_t n) {
    const cudaError_t status = next();
    *p = status == cudaSuccess ? std::malloc(n) : nullptr;
    if (*p) alive.insert(*p);
    return status;
  };
  t.free = [](void* p) { return alive.erase(p), std::free(p), cudaSuccess; };
  t.pool_create = [](cudaMemPool_t*, int, std::uint64_t) { return cudaErrorNotSupported; };
  t.memcpy = [](void* to, const void* from, std::size_t n, cudaMemcpyKind) { return std::memcpy(to, from, n), next(); };
  t.pointer_get_attributes = [](cudaPointerAttributes* a, const void*) { return a->type = cudaMemoryTypeHost, next(); };
  t.launch_kernel = [](const void*, dim3, dim3, void**, std::size_t, cudaStream_t) { return next(); };
  t.launch_early = [](const void*, dim3, dim3, void**, std::size_t, cudaStream_t) { return next(); };
  t.launch_clusters = [](const void*, dim3, dim3, unsigned, void**, std::size_t, cudaStream_t) { return next(); };
  t.func_set_attribute = [](const void*, cudaFuncAttribute, int) { return next(); };
  t.stream_synchronize = [](cudaStream_t) { return next(); };
  t.stream_wait_event = [](cudaStream_t, cudaEvent_t) { return next(); };
  t.stream_is_capturing = [](cudaStream_t, cudaStreamCaptureStatus* s) {
    return *s = cudaStreamCaptureStatusNone, next();
  };
  t.event_create = [](cudaEvent_t* e, unsigned flags) {
    const cudaError_t status = next();
    if ((flags & cudaEventDisableTiming) == 0) ++timed_events;
    if (status == cudaSuccess) ++events_alive, *e = reinterpret_cast<cudaEvent_t>(&calls);
    return status;
  };
  t.event_destroy = [](cudaEvent_t) { return --events_alive, cudaSuccess; };
  t.event_record = [](cudaEvent_t, cudaStream_t) { return next(); };
  t.get_last_error = [] { return cudaSuccess; };
  return t;
}

}  // namespace heddle::test
