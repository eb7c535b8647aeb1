// A regular part and the rest: an ELLPACK of one run of neighbours of each row, and coordinates for what lies outside
// of the runs. hyb takes the first K entries of a row as its run, ell16 those a short distance can name.
//
//   row r     [ . . a b c d . . ]    run {first = ptr[r] + 2, length = 4}: to `ell`; the four outside: to `rest`
//
//   y = alpha ELL x + beta y  for every row, then  y += alpha REST x.
#pragma once

#include <functional>

#include "layout/coordinates.hpp"
#include "layout/sliced.hpp"

namespace heddle {

template <class V, class Codec = Index32>
struct EllAndRest {
  SlicedStore<V, Codec> ell;
  Coordinates<V> rest;

  template <class Self, class F>
  static void each_array(Self& self, F f) {
    SlicedStore<V, Codec>::each_array(self.ell, f);
    Coordinates<V>::each_array(self.rest, f);
  }
};

// How wide the ELLPACK part should be, given how many entries its rows could take.
enum WidthRule {
  two_thirds,  // papers 1 and 4: the least K such that at most a third of the rows have more than K entries
  cusp         // Bell and Garland: the least K such that fewer than a third of the rows, or fewer than 4096, have more
};
std::int64_t ell_width(std::span<const Index> length, WidthRule rule);
// The same for so many rows, of which longer_than(k) have more than k entries, none more than `longest`.
std::int64_t ell_width(const std::function<std::int64_t(std::int64_t k)>& longer_than, std::int64_t rows,
                       std::int64_t longest, WidthRule rule);

}  // namespace heddle
