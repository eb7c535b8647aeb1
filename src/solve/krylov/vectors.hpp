// One pass over the vectors of a solve (a fused vector kernel): a body that is called for every element, collects dot
// products and starts from those of an earlier pass.
//
//   trip 1    element(i, out) ...      out: one partial sum per piece    [ piece 0 | piece 1 | ... ]  per dot product
//   trip 2    begin(state, in, ...)    in: their totals, added by everybody in the same order
//
// So a dot product costs no pass of its own, no host, no floating-point atomics. Pieces depend on the length alone: the
// same bits for any number of threads.
//
//   struct Body {
//     static constexpr int inputs, outputs;    // dot products it starts from, and collects
//     // Works out the coefficients from the state and the totals; false: nothing to do, the solve has stopped. Only
//     // the `writer` may change the state. Called by every block, or once on the CPU.
//     SIMT_BOTH bool begin(State* state, const double* in, bool writer);
//     SIMT_BOTH void element(std::int64_t i, double* out) const;
//   };
#pragma once

#include <tuple>

#include "layout/scale.hpp"
#include "solve/krylov/basis_passes.hpp"
#include "solve/krylov/bicgstab_passes.hpp"
#include "solve/krylov/cg_passes.hpp"
#include "solve/krylov/minres_passes.hpp"
#include "solve/krylov/plain_passes.hpp"
#include "solve/krylov/state.hpp"

namespace heddle::solve_method {

// Where a trip goes: `in` and `out` hold `pieces` partial sums per dot product.
struct Trip {
  std::int64_t n = 0;
  State* state = nullptr;  // null for bodies that do not look at it
  const double* in = nullptr;
  double* out = nullptr;
  Stream stream;
};

inline constexpr std::int64_t cpu_piece = 8192;  // elements of a task: 64 kB of a vector of doubles
inline constexpr int gpu_threads = 256;
inline constexpr std::int64_t most_gpu_pieces = 1056;  // eight blocks for each multiprocessor of an H200

inline std::int64_t pieces_on_cpu(std::int64_t n) { return n > cpu_piece ? (n + cpu_piece - 1) / cpu_piece : 1; }
SIMT_BOTH std::int64_t pieces_on_gpu(std::int64_t n) {
  const std::int64_t wanted = n > gpu_threads ? (n + gpu_threads - 1) / gpu_threads : 1;
  return wanted < most_gpu_pieces ? wanted : most_gpu_pieces;
}

// The trips of a device, one for every body; written down once, here.
template <class... Body>
using TripsOf = std::tuple<void (*)(const Body&, const Trip&)...>;

template <class V>
using Trips =
    TripsOf<Dot<V>, Combine<V>, ScaledRows<V>, BlockRows<V>, ChebyshevStep<V>, CgResidual<V>, CgDirection<V>,
            MinresVector<V>, MinresSolution<V>, ResidualCheck, ToFloat, FromFloat, BicgstabHalf<V>, BicgstabDots<V>,
            BicgstabWhole<V>, BicgstabDirection<V>, BasisDots<V>, BasisSubtract<V>, BasisNext<V>, BasisUpdate<V>>;

template <class V>
Trips<V> trips(OnCpu);
template <class V>
Trips<V> trips(simt::Emulator);
template <class V>
Trips<V> trips(simt::Cuda);

}  // namespace heddle::solve_method
