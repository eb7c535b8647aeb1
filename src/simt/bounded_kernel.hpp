// A kernel that starts in blocks of at most so many threads: it must not take more registers than they have.
#pragma once

#ifdef __CUDACC__
#define SIMT_KERNEL_OF(threads) __global__ void __launch_bounds__(threads)
#else
#define SIMT_KERNEL_OF(threads) void
#endif
