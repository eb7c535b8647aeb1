// The one door to the GPU. Kernels are ordinary CUDA in style, but take these names from here:
//
//   thread() block() block_threads() grid_blocks()      who am I, in one dimension
//   lane() warp() global_thread()                       warps have 32 lanes
//   shuffle  shuffle_down  shuffle_up  shuffle_xor      values from other lanes of a warp
//   ballot  any  sync_warp  sync_block                  votes and barriers
//   same_lanes  same_lanes_below                        lanes with equal values; the second for values of few bits
//   sum_lanes  max_lanes                                of whole numbers of 32 bits over a warp, the same in every lane
//   shared<T>()                                         the block's shared memory, Launch::shared_bytes of it
//   cluster_rank  cluster_blocks                        the blocks started together (Launch::cluster), and which
//                                                       of them this one is
//   shared_of<T>(rank)                                  the shared memory of another one, between two waits
//   arrive_cluster  wait_cluster                        their barrier in two halves; a thread that has left has arrived
//   let_next_start  wait_for_earlier                    for kernels that overlap (Launch::overlaps)
//   stream_load                                         matrix data: read once, do not displace x in L1
//   cached_load                                         x: read-only, keep it
//   uncached_load                                       past the L1: of what may change while the kernel runs
//   relaxed_load / relaxed_store                        words that blocks exchange in a launch (primitives/piece.hpp)
//   fetch_ahead                                         into the L2, for later, without a wait
//   arrive_last(counter, count)                         am I the last of so many?
//   atomic_add  atomic_max  atomic_or  atomic_claim     whole numbers in shared or global memory: any order, one result
//   launch(Here, Launch, kernel, arguments...)          queue a grid
//
// nvcc turns them into intrinsics (cuda.cuh). The host compiler compiles the same .cu file against an emulator
// (emulator.hpp) whose threads are fibres with exact warp semantics: so kernels run in every test, under ASan and
// UBSan. `Here` is the type of the side a kernel file is being compiled for; it tells the two copies apart when
// linking. Kernels live in anonymous namespaces for the same reason.
#pragma once

#include <cstddef>
#include <cstdint>

#include <heddle/device.hpp>

#include "simt/annotations.hpp"

namespace heddle {

// The copies of the code: the host's own loops, and kernels on two kinds of devices.
struct OnCpu {};

namespace simt {
struct Cuda {};
struct Emulator {};
}  // namespace simt

}  // namespace heddle

namespace heddle::simt {

inline constexpr int warp_size = 32, warp_size_log2 = 5;
inline constexpr unsigned full_warp = 0xffffffffu;

struct Launch {
  std::int64_t blocks = 0;  // 0: nothing happens
  int threads = 0;          // of a block: a multiple of 32, at most 1024
  std::size_t shared_bytes = 0;
  Stream stream = {};
  // Neighbouring blocks that run at once and reach each other's shared memory: 1, 2, 4 or 8, and `blocks` a multiple
  // of it. A GPU without clusters (below 9.0) starts blocks / cluster blocks, each a cluster of its own: kernels go by
  // cluster_blocks().
  int cluster = 1;
  // Its blocks may start when all of the kernel before it have come to let_next_start(), on GPUs that can do so (9.0);
  // before wait_for_earlier() they touch nothing that an earlier kernel writes, and write nothing that one reads.
  bool overlaps = false;
};

inline std::int64_t blocks_for(std::int64_t items, std::int64_t per_block) {
  return (items + per_block - 1) / per_block;
}

// N values of a lane that travel in one load when N * sizeof(T) is 4, 8 or 16 bytes.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T at[N];
};

}  // namespace heddle::simt

#ifdef __CUDACC__
#include "simt/cuda.cuh"
#else
#include "simt/emulator.hpp"
#endif

namespace heddle::simt {

// Sum over the team of `Lanes` neighbouring lanes this lane belongs to; valid in the team's first lane. All lanes of
// the warp must call it.
template <int Lanes, class V>
SIMT_DEVICE V team_sum(V value) {
  for (int step = Lanes / 2; step > 0; step /= 2) value += shuffle_down(value, step);
  return value;
}

// Sum over the warp, the same in every lane. All lanes must call it.
template <class V>
SIMT_DEVICE V warp_sum(V value) {
  for (int step = warp_size / 2; step > 0; step /= 2) value += shuffle_xor(value, step);
  return value;
}

// N neighbouring elements in one load; `from` is aligned to their size together.
template <int N, class T>
SIMT_DEVICE Pack<T, N> cached_pack(const T* from) {
  return *reinterpret_cast<const Pack<T, N>*>(from);
}
template <int N, class T>
SIMT_DEVICE Pack<T, N> stream_pack(const T* from) {
  return stream_load(reinterpret_cast<const Pack<T, N>*>(from));
}

}  // namespace heddle::simt
