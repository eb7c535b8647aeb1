// The macros of this project: where a function may run. Outside nvcc everything runs on the host. SIMT_BOUNDED_KERNEL
// says how many threads a block has and how many blocks a multiprocessor shall hold: the compiler then keeps to the
// registers that so many of them share. SIMT_KERNEL_WITH_REGISTERS says how many it shall keep to, whatever the size of
// blocks: left alone, it takes up loads one after another to need fewer (docs/simt.md).
#pragma once

#ifdef __CUDACC__
#define SIMT_BOTH __host__ __device__ __forceinline__
#define SIMT_DEVICE __device__ __forceinline__
#define SIMT_KERNEL __global__ void
#define SIMT_BOUNDED_KERNEL(threads, blocks) __global__ void __launch_bounds__(threads, blocks)
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 4)
#define SIMT_KERNEL_WITH_REGISTERS(count) __global__ void __maxnreg__(count)
#else
#define SIMT_KERNEL_WITH_REGISTERS(count) __global__ void
#endif
#else
#define SIMT_BOTH inline
#define SIMT_DEVICE inline
#define SIMT_KERNEL void
#define SIMT_BOUNDED_KERNEL(threads, blocks) void
#define SIMT_KERNEL_WITH_REGISTERS(count) void
#endif
