// How much work a thread is called for, where entries take longer than on most machines.
#pragma once

#include <cmath>

#include "core/isa.hpp"
#include "core/parallel.hpp"

namespace heddle {

// Calling a thread takes half a microsecond, which pays from some 1 us of work on. Elements of x that are loaded one by
// one (core/gather.hpp) take about three times as long as those that are gathered: fewer of them are enough.
inline bool loads_singly(Isa set, const GathersPay& gathers) { return set != Isa::baseline && !gathers.of_8; }
inline bool loads_singly() {
  const Isa set = isa();  // the first call of all measures how fast gathers are
  return loads_singly(set, gathers_pay);
}
inline double share_for_a_thread(Isa set, const GathersPay& gathers) {
  return loads_singly(set, gathers) ? 3.0 / 8 : 1;
}
inline double share_for_a_thread() { return loads_singly() ? 3.0 / 8 : 1; }

// The same in tasks of whole rows (layout/row_tasks.hpp), whose entries take longer than places of a slice wherever
// they are fetched. Matrices that have all threads either way take the same time in the mean. Sixteen cores, 2026-11,
// csr in double, us:
//
//                                        gemat12   rajat01   adder_dcop_05
//   gathers, a thread for 8 K entries       10.3      11.9            11.2
//   single loads, a thread for 3 K           5.8       5.6             5.4
inline constexpr std::int64_t row_work_per_thread = 3 << 10;
inline std::int64_t row_tasks_per_thread() {
  constexpr std::int64_t tasks = row_work_per_thread / work_per_task;
  return std::llround(static_cast<double>(tasks) / share_for_a_thread());
}

// A place in units of those above where `fetched` of all have an element of x of their own to fetch, and the others are
// read side by side, as fast as anywhere.
inline double work_of_place(double fetched, double share) { return fetched + (1 - fetched) * share; }

// Places of diagonals, whose x is not gathered, take less than half as long as others. (Sixteen cores, float, by twice
// as many threads: cryg2500 2.1 instead of 1.5 us, Trefethen_2000 2.3 instead of 1.8.)
template <class Number>
Number work_of_diagonals(Number places, double share = share_for_a_thread()) {
  return static_cast<Number>(static_cast<double>(places) * work_of_place(0, share) / 2);
}

}  // namespace heddle
