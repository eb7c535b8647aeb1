// simt.hpp for nvcc: every name is one intrinsic.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "simt/cuda_table.hpp"

namespace heddle::simt {

using Here = Cuda;

SIMT_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
SIMT_DEVICE int block_threads() { return static_cast<int>(blockDim.x); }
SIMT_DEVICE std::int64_t block() { return blockIdx.x; }
SIMT_DEVICE std::int64_t grid_blocks() { return gridDim.x; }
SIMT_DEVICE int lane() { return thread() & (warp_size - 1); }
SIMT_DEVICE int warp() { return thread() / warp_size; }
SIMT_DEVICE std::int64_t global_thread() { return block() * block_threads() + thread(); }

template <class T>
SIMT_DEVICE T shuffle(T value, int source, unsigned mask = full_warp) {
  return __shfl_sync(mask, value, source);
}
// A lane whose source lies outside the warp gets its own value back.
template <class T>
SIMT_DEVICE T shuffle_down(T value, int distance, unsigned mask = full_warp) {
  return __shfl_down_sync(mask, value, distance);
}
template <class T>
SIMT_DEVICE T shuffle_up(T value, int distance, unsigned mask = full_warp) {
  return __shfl_up_sync(mask, value, distance);
}
template <class T>
SIMT_DEVICE T shuffle_xor(T value, int bits, unsigned mask = full_warp) {
  return __shfl_xor_sync(mask, value, bits);
}
SIMT_DEVICE unsigned ballot(bool vote, unsigned mask = full_warp) { return __ballot_sync(mask, vote); }
SIMT_DEVICE bool any(bool vote, unsigned mask = full_warp) { return __any_sync(mask, vote); }
template <class T>
SIMT_DEVICE T sum_lanes(T value) {
  static_assert(std::is_integral_v<T> && sizeof(T) == 4);
  return __reduce_add_sync(full_warp, value);
}
template <class T>
SIMT_DEVICE T max_lanes(T value) {
  static_assert(std::is_integral_v<T> && sizeof(T) == 4);
  return __reduce_max_sync(full_warp, value);
}
// The lanes of the mask whose value is mine.
SIMT_DEVICE unsigned same_lanes(unsigned value, unsigned mask = full_warp) { return __match_any_sync(mask, value); }
// The same for values below 2^bits, from a vote a bit: the instruction for any value takes as long as dozens of others.
SIMT_DEVICE unsigned same_lanes_below(int bits, unsigned value) {
  unsigned same = full_warp;
#pragma unroll
  for (int b = 0; b < bits; ++b) {
    const bool mine = (value >> b & 1) != 0;
    const unsigned with = __ballot_sync(full_warp, mine);
    same &= mine ? with : ~with;
  }
  return same;
}
SIMT_DEVICE void sync_warp(unsigned mask = full_warp) { __syncwarp(mask); }
SIMT_DEVICE void sync_block() { __syncthreads(); }
SIMT_DEVICE int count_bits(unsigned bits) { return __popc(bits); }
SIMT_DEVICE int leading_zeros(unsigned bits) { return __clz(static_cast<int>(bits)); }

template <class T>
SIMT_DEVICE T* shared() {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  return reinterpret_cast<T*>(shared_memory);
}

#if __CUDA_ARCH__ >= 900
SIMT_DEVICE int cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}
SIMT_DEVICE int cluster_blocks() {
  unsigned blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return static_cast<int>(blocks);
}
SIMT_DEVICE void arrive_cluster() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
SIMT_DEVICE void wait_cluster() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
template <class T>
SIMT_DEVICE T* shared_of(int rank) {
  std::uint64_t there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(shared<T>()), "r"(rank));
  return reinterpret_cast<T*>(there);
}
#else
SIMT_DEVICE int cluster_rank() { return 0; }
SIMT_DEVICE int cluster_blocks() { return 1; }
SIMT_DEVICE void arrive_cluster() {}
SIMT_DEVICE void wait_cluster() { __syncthreads(); }
template <class T>
SIMT_DEVICE T* shared_of(int) {
  return shared<T>();
}
#endif

#if __CUDA_ARCH__ >= 900
SIMT_DEVICE void let_next_start() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
SIMT_DEVICE void wait_for_earlier() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
#else
SIMT_DEVICE void let_next_start() {}
SIMT_DEVICE void wait_for_earlier() {}
#endif

// The same address, but one that is not taken apart: the compiler would rather add up every offset anew, four
// instructions a load where one does.
template <class T>
SIMT_DEVICE const T* settled(const T* address) {
  asm("" : "+l"(address));
  return address;
}

// In a register of 32 bits, where it stays: what is known to have 16 the compiler compares and tests by two or three
// instructions each.
SIMT_DEVICE unsigned widened(std::uint16_t value) {
  unsigned wide;
  asm("cvt.u32.u16 %0, %1;" : "=r"(wide) : "h"(value));
  return wide;
}
SIMT_DEVICE unsigned widened(int value) { return static_cast<unsigned>(value); }

template <class T>
SIMT_DEVICE T cached_load(const T* from) {
  return __ldg(from);
}

template <class T>
SIMT_DEVICE T uncached_load(const T* from) {
  return __ldcg(from);
}

// ld.global.nc.L1::no_allocate, 1 to 16 bytes wide. No 128-byte line of L1 is spent on what is read once.
template <class T>
SIMT_DEVICE T stream_load(const T* from) {
  static_assert(sizeof(T) <= 16);
  T value;
  if constexpr (sizeof(T) == 16) {
    int4 bits;
    asm("ld.global.nc.L1::no_allocate.v4.s32 {%0,%1,%2,%3}, [%4];"
        : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
        : "l"(from));
    memcpy(&value, &bits, sizeof(T));
  } else if constexpr (sizeof(T) == 8) {
    int2 bits;
    asm("ld.global.nc.L1::no_allocate.v2.s32 {%0,%1}, [%2];" : "=r"(bits.x), "=r"(bits.y) : "l"(from));
    memcpy(&value, &bits, sizeof(T));
  } else if constexpr (sizeof(T) == 4) {
    int bits;
    asm("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(bits) : "l"(from));
    memcpy(&value, &bits, sizeof(T));
  } else if constexpr (sizeof(T) == 2) {
    short bits;
    asm("ld.global.nc.L1::no_allocate.s16 %0, [%1];" : "=h"(bits) : "l"(from));
    memcpy(&value, &bits, sizeof(T));
  } else {
    const unsigned char bits = __ldg(reinterpret_cast<const unsigned char*>(from));
    memcpy(&value, &bits, sizeof(T));
  }
  return value;
}

// In one piece, past the L1, and in no order with anything else.
SIMT_DEVICE std::uint64_t relaxed_load(const std::uint64_t* from) {
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
}
SIMT_DEVICE void relaxed_store(std::uint64_t* to, std::uint64_t word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

SIMT_DEVICE void fetch_ahead(const void* from) { asm volatile("prefetch.global.L2 [%0];" ::"l"(from)); }

// Counts the caller in; true for the last of `count`. The others have left what they had to leave, but it may still be
// on its way.
SIMT_DEVICE bool arrive_last(std::int32_t* counter, std::int32_t count) {
  std::int32_t before;
  asm volatile("atom.relaxed.gpu.global.add.s32 %0, [%1], 1;" : "=r"(before) : "l"(counter) : "memory");
  return before == count - 1;
}

// Unsigned numbers of 32 or 64 bits; what was there before comes back.
template <class T>
struct AtomicWord {
  static_assert(std::is_unsigned_v<T> && sizeof(T) >= 4);
  using type = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
  static __device__ __forceinline__ type* at(T* memory) { return reinterpret_cast<type*>(memory); }
};
template <class T>
SIMT_DEVICE T atomic_add(T* memory, T value) {
  return static_cast<T>(atomicAdd(AtomicWord<T>::at(memory), static_cast<typename AtomicWord<T>::type>(value)));
}
template <class T>
SIMT_DEVICE T atomic_max(T* memory, T value) {
  return static_cast<T>(atomicMax(AtomicWord<T>::at(memory), static_cast<typename AtomicWord<T>::type>(value)));
}
template <class T>
SIMT_DEVICE T atomic_or(T* memory, T bits) {
  return static_cast<T>(atomicOr(AtomicWord<T>::at(memory), static_cast<typename AtomicWord<T>::type>(bits)));
}
// Puts `value` where there is 0; 0 comes back to the one who did.
template <class T>
SIMT_DEVICE T atomic_claim(T* memory, T value) {
  using Word = typename AtomicWord<T>::type;
  return static_cast<T>(atomicCAS(AtomicWord<T>::at(memory), Word{0}, static_cast<Word>(value)));
}

// Whether GPUs that can start a kernel early run code that waits: what is compiled for older ones does not.
template <int... architectures>
inline constexpr bool knows_to_wait = ((architectures >= 900) || ...);

template <class... Parameters, class... Arguments>
void launch(Cuda, Launch shape, void (*kernel)(Parameters...), const Arguments&... arguments) {
  shape.overlaps &= knows_to_wait<__CUDA_ARCH_LIST__>;
  launch_erased(shape, reinterpret_cast<const void*>(kernel), Parameters(arguments)...);
}

}  // namespace heddle::simt
