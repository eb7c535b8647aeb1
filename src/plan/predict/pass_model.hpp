// The pass model of paper 5, the ancestor of every time prediction here: an ELLPACK product without the reads of x.
//
// A GPU holds `resident` threads at once, so n rows (a thread each) take p = ceil(n / resident) passes:
//
//   first pass            D0 + m D2            m: entries of a (padded) row
//   passes in between     D1 + m D2
//   last pass             D1 + a m D2          a: its warps over the warps of a full pass
//
// D0 and D1 are what a pass costs to start, D2 what one column of one pass costs: fitted once per GPU on artificial
// matrices with m entries in every row.
#pragma once

#include <cstdint>

namespace heddle {

struct PassModel {
  double D0, D1, D2;      // in the unit of the result
  std::int64_t resident;  // threads the GPU holds at once, a multiple of 32
};

// Predicted time of n rows of m entries; 0 rows take no time. A single pass is the first one.
double predict(const PassModel& gpu, std::int64_t n, std::int64_t m);

}  // namespace heddle
