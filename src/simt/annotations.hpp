// The macros of this project: where a function may run. Outside nvcc everything runs on the host. SIMT_BOUNDED_KERNEL
// says how many threads a block has and how many blocks a multiprocessor shall hold: the compiler then keeps to the
// registers that so many of them share.
#pragma once

#ifdef __CUDACC__
#define SIMT_BOTH __host__ __device__ __forceinline__
#define SIMT_DEVICE __device__ __forceinline__
#define SIMT_KERNEL __global__ void
#define SIMT_BOUNDED_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)
#else
#define SIMT_BOTH inline
#define SIMT_DEVICE inline
#define SIMT_KERNEL void
#define SIMT_BOUNDED_KERNEL(threads, blocks) void
#endif
