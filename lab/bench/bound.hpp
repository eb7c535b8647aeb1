// The physical bound of a product: the least time that a machine's memory, its reads of single elements and its
// launches leave to a product by rows.
#pragma once

#include <heddle/analyze.hpp>
#include <heddle/machine.hpp>

namespace heddle::bench {

struct Bound {
  // What every product moves: the values in as few bytes as a codec without loss needs, the elements of x in columns
  // that have entries, and y. No column numbers: some formats do without them.
  double bytes = 0;
  // Sectors of x that entries off full diagonals read, each once in 256 neighbouring rows. A plan that goes by columns
  // (csb, layouts tiles and sums of weave) has fewer, and can be faster than the bound.
  double gathers = 0;
  double seconds = 0, cold_seconds = 0;  // warm and cold: the largest of a launch, moving the bytes and the gathers
};

template <class V>
Bound physical_bound(const CsrView<V>& A, const Structure& facts, const Machine& machine);

}  // namespace heddle::bench
