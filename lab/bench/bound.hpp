// The physical bound of a product: the least time that a machine's memory and launches leave to any format.
#pragma once

#include <heddle/analyze.hpp>
#include <heddle/machine.hpp>

namespace heddle::bench {

struct Bound {
  // What every product moves: the values in as few bytes as a codec without loss needs, the elements of x in columns
  // that have entries, and y. No column numbers: some formats do without them.
  double bytes = 0;
  double seconds = 0, cold_seconds = 0;  // warm and cold: the larger of a launch and of moving the bytes
};

template <class V>
Bound physical_bound(const CsrView<V>& A, const Structure& facts, const Machine& machine);

}  // namespace heddle::bench
