// The cycle of a multigrid in one precision, on the device of the finest operator. Everything it does is a product of
// an operator with a plan of its own, or a pass over vectors.
//
//   grid 0   smooth  residual                       + P z   smooth
//   grid 1              R r  smooth  residual   + P z  smooth
//   grid 2                              R r  inverse
//
// Smoothing is the same Chebyshev polynomial in D^-1 A before and after, so that for a symmetric positive definite A
// the cycle is one too, as cg needs it.
#pragma once

#include <optional>
#include <vector>

#include <heddle/solve.hpp>

#include "solve/amg/grids.hpp"
#include "solve/precondition/preconditioners.hpp"

namespace heddle::solve_method {

// Lottes' polynomials of the fourth kind leave less of smooth errors behind: one or two iterations fewer on grids.
// Those of the first kind, made for the upper nine tenths of the spectrum, are better for several unknowns a node and
// for graphs of uneven degree (docs/solvers.md).
enum class Smoother { first_kind, fourth_kind };

// One term of the polynomial: step = along D^-1 (r - A z) + back step.
struct SmootherTerm {
  double along, back;
};
std::vector<SmootherTerm> smoother_terms(Smoother kind, int terms, double largest);

// One grid on the device.
template <class V>
struct Stage {
  std::optional<Operator<V>> own;  // the matrix, except on the first grid
  const Operator<V>* A = nullptr;
  std::optional<Operator<V>> P, R;  // to this grid from the next, and back
  Buffer<V> inverse;                // of the diagonal
  std::vector<SmootherTerm> terms;
  mutable Buffer<V> step, product;
  mutable Buffer<V> r, z;  // the system of this grid, except on the first
};

template <class V>
class Cycle {
 public:
  // `finest` must outlive it. With `keep` the grids stay for `renew`, else they are used up.
  Cycle(const Steps& steps, const Operator<V>& finest, Grids& grids, int smoothing, bool keep);
  // New numbers of the grids it was made from; those of the finest operator are its owner's business.
  void renew(const Steps& steps, const Grids& grids);

  bool recordable() const;
  void use(const Operator<V>& better) { stages_.front().A = &better; }
  std::vector<GridInfo> grids() const;
  void apply(std::span<const V> r, std::span<V> z, Stream stream) const { on_grid(0, r, z, stream); }

 private:
  void on_grid(std::size_t at, std::span<const V> r, std::span<V> z, Stream stream) const;
  void smooth(const Stage<V>& on, bool from_zero, std::span<const V> r, std::span<V> z, Stream stream) const;

  int smoothing_;
  Smoother kind_;
  std::vector<Stage<V>> stages_;
  std::optional<Operator<V>> inverse_;
  Trips<V> trips_;
};

// Where an operator of a cycle goes.
struct Place {
  Device device;
  std::int64_t finest_rows = 0;
  bool updates = false;  // its values will change
};

// By the figures that are the same everywhere: no bit of a cycle may depend on what was measured, or on the number of
// threads. Small systems are recorded as a graph, which a format that takes turns would prevent.
template <class V>
Operator<V> planned(Csr<V>&& matrix, const Place& place);
template <class V>
Operator<V> planned(const Csr<V>& matrix, const Place& place);

// The same arrays, which must outlive it.
Csr<double> borrowed(const Csr<double>& matrix);

}  // namespace heddle::solve_method
