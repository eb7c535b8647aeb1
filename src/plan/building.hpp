// What it takes to build a plan: a sum of parts, each a count that follows from the facts times a cost of the format
// that was fitted to measured times (bench/fit_building.py); for a GPU beside it the way to the device. A CPU's cores
// share the work on entries, rows and places, as many of them as there is work for; what one thread does of it is a
// part of its own.
#pragma once

#include <array>

#include <heddle/machine.hpp>

#include "plan/workload.hpp"

namespace heddle {

//   0  once                                                                              us
//   1  where rows have six entries and more on average: more is asked about them         us
//   2  where values become places in a table (weave, from 2^18 entries on, padded 2^20)  us
//   3  where doubles are looked at and stay what they are (weave, likewise)              us, beside 16
//   4  per entry                                                                         ns
//   5  per entry of 2                                                                    ns
//   6  per row                                                                           ns
//   7  per place that is stored without an entry                                         ns
//   8  per entry of the longest walk that one team of threads has to make alone          ns
//   9  per partial sum of a tile                                                         ns
//  10  per row of 256 entries and more                                                   ns
//  11  where there are such rows                                                         us
//  12  per entry, of what one thread of a CPU does alone                                  ns
//  13  per row that is put in order of length                                            ns
//  14  per place that is gathered by itself (runs: those take a search)                  ns
//  15  per diagonal of the different lists of them, where slices are stored so            ns
//  16  where values are looked at and stay what they are, or are all one                 us
//  17  per byte that is built, where arrays are so large that they are new memory        ns (of a CPU)
//  18  reading the matrix and what is built of it once, at the rate of that much memory  times (of a CPU)
inline constexpr int build_part_count = 19;
using BuildParts = std::array<double, build_part_count>;  // counts, in seconds per unit of cost

struct BuildCost {
  const char* key;  // cost_key of the plans it holds for
  BuildParts of_part;
};
const BuildCost& build_cost(const Plan& plan, bool on_gpu);  // costs.cpp

// `machine`: the CPU or GPU that builds.
BuildParts build_parts(const Subject& subject, const Plan& plan, const Workload& work, const Machine& machine);

double matrix_bytes(const Subject& subject);                   // as csr
double seconds_to_read(double bytes, const Machine& machine);  // so many again and again

// Bytes that pass between host and device: the matrix, where kernels build from it; what was built, where the host
// does.
double bytes_on_the_way(const Subject& subject, const Plan& plan, const Workload& work);

double predict_build_seconds(const Subject& subject, const Plan& plan, const Workload& work, const Machine& machine);

}  // namespace heddle
