// Smoothed aggregation (Vanek, Mandel and Brezina 1996): the grids of an algebraic multigrid, from the matrix alone.
//
//   unknowns    o-o-o-o-o-o-o-o      strong couplings form a graph
//   aggregates  (o-o-o)(o-o)(o-o-o)  each one, with its neighbours, becomes one unknown of the next grid
//   T           1 1 1  . .  . . .    constant on each aggregate
//   P           (I - omega D^-1 A) T a step of Jacobi makes it smooth;  the next matrix is P^T A P
//
// In a system with several unknowns at each node (`block` rows that follow each other) nodes are aggregated, and each
// unknown of a node becomes one of the aggregate.
#pragma once

#include "core/system.hpp"
#include "solve/amg/steps.hpp"

namespace heddle::solve_method {

struct Grid {
  Csr<double> A;           // not kept for the first grid: it is the caller's
  Csr<double> P, R;        // from the next grid to this one, and its transpose; without rows on the last
  Buffer<double> inverse;  // of the diagonal; 0 where the matrix is flat: there is nothing to smooth
  double largest = 0;      // eigenvalue of D^-1 A, about
  Interpolation from;      // what P was made from, where the grids are renewable
  KnownPatterns known;     // of P, R and the next grid
  bool is_last() const { return P.rows == 0; }
};

struct Grids {
  Vector<Grid> all;
  Csr<double> inverse;   // of the matrix of the last grid, all entries stored; without rows when that is too large
  int block = 1;         // of the first grid
  bool regular = false;  // its rows are about equally long, as those of a mesh
};

struct GridOptions {
  int block = 1;                // unknowns of a node
  double strength = 0.25;       // a coupling is strong from this share of the strongest one of its nodes on
  std::int64_t coarsest = 300;  // rows of a matrix that is inverted
  NearNullspace near;           // on the device of the steps
  bool renewable = false;       // renew_grids will want what P was made from
};

// All on the device of the steps, A too. Error(input) where the diagonal is not positive or the matrix turns out not to
// be positive definite.
Grids make_grids(const Steps& steps, const CsrView<double>& A, const GridOptions& options);

// New numbers on the pattern of A: aggregates, T and patterns stay. Gives how many couplings are strong by the new
// numbers and were not, or the other way round: with none the grids are those that make_grids would give.
std::int64_t renew_grids(const Steps& steps, const CsrView<double>& A, const GridOptions& options, Grids& grids);

}  // namespace heddle::solve_method
