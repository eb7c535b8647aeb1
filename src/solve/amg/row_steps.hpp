// What the set-up of amg does for one row, written once for the host and for kernels: the same sums in the same order,
// so the same bits.
#pragma once

#include <cmath>

#include "simt/csr/device_csr.hpp"
#include "solve/amg/node_order.hpp"
#include "solve/krylov/state.hpp"

namespace heddle::solve_method {

struct MatrixRows {
  std::int64_t rows;
  const Offset* ptr;
  const Index* col;
  const double* val;

  explicit MatrixRows(const CsrView<double>& A)
      : rows(A.rows), ptr(A.ptr.data()), col(A.col.data()), val(A.val.data()) {}
};

// The row with the lowest number that something is wrong with.
struct WrongRow {
  std::int64_t row = INT64_MAX;
  SIMT_BOTH void add(const WrongRow& other) { row = other.row < row ? other.row : row; }
};

SIMT_BOTH double diagonal_entry(const MatrixRows& A, std::int64_t row) {
  double sum = 0;
  for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
    if (A.col[k] == row) sum += A.val[k];
  return sum;
}

// 1 / diagonal; in a wrong row the entry itself.
struct InvertPositive {
  using Result = WrongRow;
  MatrixRows A;
  double* inverse;

  SIMT_BOTH void add(std::int64_t row, WrongRow& wrong) const {
    const double entry = diagonal_entry(A, row), inverted = 1 / entry;
    const bool good = entry > 0 && inverted > 0 && finite(inverted);
    inverse[row] = good ? inverted : entry;
    if (!good) wrong.add({row});
  }
};

// Of P^T A P, and zero where its diagonal is nothing but rounding: the grid has a constant there that A maps to zero.
struct InvertCoarse {
  using Result = WrongRow;
  static constexpr double flat = 1e-12;  // an entry this far below those it was added up from is rounding
  MatrixRows A, R;
  const double* finer;
  double* inverse;

  SIMT_BOTH void add(std::int64_t row, WrongRow& wrong) const {
    double usual = 0;
    for (Offset k = R.ptr[row]; k < R.ptr[row + 1]; ++k)
      if (finer[R.col[k]] > 0) usual += R.val[k] * R.val[k] / finer[R.col[k]];
    const double entry = diagonal_entry(A, row);
    const bool good = entry >= -flat * usual && finite(entry);
    inverse[row] = !good ? entry : entry > flat * usual ? 1 / entry : 0;
    if (!good) wrong.add({row});
  }
};

// ------------------------------------------------------------------------------------------------------ couplings

// The squared sizes of couplings, relative to the diagonal: a_ij^2 / (a_ii a_jj), the same from both sides. Of nodes of
// several unknowns `val` are sums of squares already, and `weight` is 1 / sqrt of that of the node itself.
struct CouplingSizes {
  MatrixRows nodes;
  const double* weight;  // 0: none of its couplings counts
  bool squared;

  SIMT_BOTH double operator()(std::int64_t i, Offset k) const {
    const Index j = nodes.col[k];
    if (j == i) return 0;
    const double value = nodes.val[k];
    return squared ? value * (weight[i] * weight[j]) : (value * weight[i]) * (value * weight[j]);
  }
};

struct NodeWeights {
  MatrixRows nodes;
  double* weight;

  SIMT_BOTH void operator()(std::int64_t i) const {
    const double squared = diagonal_entry(nodes, i);
    weight[i] = squared > 0 ? 1 / std::sqrt(squared) : 0;
  }
};

struct LargestCouplings {
  CouplingSizes size;
  double share;      // of the largest one
  double* at_least;  // what a strong coupling of a node has

  SIMT_BOTH void operator()(std::int64_t i) const {
    double largest = 0;
    for (Offset k = size.nodes.ptr[i]; k < size.nodes.ptr[i + 1]; ++k) {
      const double one = size(i, k);
      if (one > largest) largest = one;
    }
    at_least[i] = share * share * largest;
  }
};

struct FlagCount {
  std::int64_t strong = 0, weak = 0, changed = 0;
  std::int64_t distance = 0;  // of the strong ones, all together
  std::int64_t longest = 0;   // strong ones of a node

  SIMT_BOTH void add(const FlagCount& other) {
    longest = other.longest > longest ? other.longest : longest;
    strong += other.strong;
    weak += other.weak;
    changed += other.changed;
    distance += other.distance;
  }
};

// Which couplings are strong; or, with `keep`, how many of the flags that are there would be others.
struct StrongFlags {
  using Result = FlagCount;
  CouplingSizes size;
  const double* at_least;
  std::uint8_t* strong;
  bool keep;

  SIMT_BOTH void add(std::int64_t i, FlagCount& all) const {
    FlagCount count;
    for (Offset k = size.nodes.ptr[i]; k < size.nodes.ptr[i + 1]; ++k) {
      const Index j = size.nodes.col[k];
      const double one = size(i, k), other = at_least[j], own = at_least[i];
      const bool is = one > 0 && one >= (other < own ? other : own);
      const std::int64_t apart = i < j ? j - i : i - j;
      if (keep)
        count.changed += is != (strong[k] != 0);
      else
        strong[k] = is;
      count.strong += is;
      count.weak += !is && j != i;
      count.distance += is ? apart : 0;
    }
    count.longest = count.strong;
    all.add(count);
  }
};

// ----------------------------------------------------------------------------------------------------- aggregates

inline constexpr Index no_aggregate = -1;

struct StrongGraph {
  MatrixRows nodes;
  const std::uint8_t* strong;
};

// A root and the neighbours that see it are an aggregate; who sees several roots goes to the lowest.
struct ClaimNodes {
  StrongGraph graph;
  const Index* number;  // of roots; `no_aggregate` for others
  Index* of;

  SIMT_BOTH void operator()(std::int64_t i) const {
    Index found = number[i];
    for (Offset k = graph.nodes.ptr[i]; k < graph.nodes.ptr[i + 1] && found == no_aggregate; ++k)
      if (graph.strong[k]) found = number[graph.nodes.col[k]];
    of[i] = found;
  }
};

// The others follow their strongest neighbour that is claimed, the first of equals.
struct JoinNodes {
  StrongGraph graph;
  const Index* claimed;
  Index* of;

  SIMT_BOTH void operator()(std::int64_t i) const {
    Index found = claimed[i];
    if (found == no_aggregate) {
      double most = 0;
      for (Offset k = graph.nodes.ptr[i]; k < graph.nodes.ptr[i + 1]; ++k) {
        const double value = graph.nodes.val[k], size = value < 0 ? -value : value;
        const Index neighbour = graph.strong[k] ? claimed[graph.nodes.col[k]] : no_aggregate;
        if (neighbour != no_aggregate && size > most) most = size, found = neighbour;
      }
    }
    of[i] = found;
  }
};

// --------------------------------------------------------------------------------------------------------- entries

// The entries of a matrix as they are.
struct PlainEntries {
  MatrixRows A;

  SIMT_BOTH Offset length(std::int64_t row) const { return A.ptr[row + 1] - A.ptr[row]; }
  template <class F>
  SIMT_BOTH void each(std::int64_t row, const F& f) const {
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) f(A.col[k], A.val[k]);
  }
};

// Weak couplings are added to the node's own block: the row sums stay, and so does what A does to constants. The
// columns may repeat then. Nodes of one unknown are rows.
struct FoldedEntries {
  MatrixRows A;
  const Offset* node_ptr;
  const Index* node_col;
  const std::uint8_t* strong;
  int block;

  SIMT_BOTH Offset length(std::int64_t row) const { return A.ptr[row + 1] - A.ptr[row]; }
  template <class F>
  SIMT_BOTH void each(std::int64_t row, const F& f) const {
    if (block == 1) {
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) f(strong[k] ? A.col[k] : static_cast<Index>(row), A.val[k]);
      return;
    }
    const std::int64_t node = row / block;
    Offset at = node_ptr[node];
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
      const Index other = A.col[k] / block;
      while (node_col[at] < other) ++at;
      f(strong[at] ? A.col[k] : static_cast<Index>(node * block + A.col[k] - other * block), A.val[k]);
    }
  }
};

// 1 / diagonal of the folded matrix, or of A where that is more than the folding has left of it.
struct InvertFolded {
  FoldedEntries folded;
  const double* inverse;
  double* made;

  SIMT_BOTH void operator()(std::int64_t row) const {
    constexpr double least_left = 0.1;
    double sum = 0;
    folded.each(row, [&](Index column, double value) {
      if (column == row) sum += value;
    });
    made[row] = sum * inverse[row] > least_left ? 1 / sum : inverse[row];
  }
};

// ---------------------------------------------------------------------------------------------------- prolongation

// T: every unknown of a node takes the value of its aggregate.
struct ConstantRows {
  const Index* of;  // aggregates of nodes
  int block;

  template <class F>
  SIMT_BOTH void each(std::int64_t row, const F& f) const {
    const std::int64_t node = block == 1 ? row : row / block;
    if (of[node] != no_aggregate) f(static_cast<Index>(of[node] * block + (row - node * block)), 1.0);
  }
  SIMT_BOTH static constexpr Offset most() { return 1; }  // of a row
  SIMT_BOTH bool empty(std::int64_t row) const { return of[block == 1 ? row : row / block] == no_aggregate; }
};

// T alone.
template <class T>
struct TentativeRows {
  T tentative;

  template <class Add>
  SIMT_BOTH void operator()(std::int64_t row, const Add& add) const {
    tentative.each(row, add);
  }
  SIMT_BOTH Offset bound(std::int64_t) const { return tentative.most(); }
};

// P = T - omega D^-1 A T, with the folded A. Rows that T leaves out stay empty.
template <class Entries, class T>
struct SmoothedRows {
  Entries entries;
  T tentative;
  const double* inverse;
  double omega;

  template <class Add>
  SIMT_BOTH void operator()(std::int64_t row, const Add& add) const {
    if (tentative.empty(row)) return;
    tentative.each(row, add);
    const double factor = -omega * inverse[row];
    entries.each(row, [&](Index column, double value) {
      const double scaled = factor * value;
      tentative.each(column, [&](Index at, double one) { add(at, scaled * one); });
    });
  }
  SIMT_BOTH Offset bound(std::int64_t row) const { return (1 + entries.length(row)) * tentative.most(); }
};

// The sums of squares of the blocks between nodes.
struct NodeRows {
  MatrixRows A;
  int block;

  template <class Add>
  SIMT_BOTH void operator()(std::int64_t node, const Add& add) const {
    for (Offset k = A.ptr[node * block]; k < A.ptr[(node + 1) * block]; ++k) add(A.col[k] / block, A.val[k] * A.val[k]);
  }
  SIMT_BOTH Offset bound(std::int64_t node) const { return A.ptr[(node + 1) * block] - A.ptr[node * block]; }
};

}  // namespace heddle::solve_method
