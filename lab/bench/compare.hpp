// What the results of one matrix say about each other: the fastest, when a build pays, what a wrong choice costs.
#pragma once

#include <vector>

#include "bench/results.hpp"

namespace heddle::bench {

using Time = double Result::*;  // &Result::seconds or &Result::cold_seconds

// Infinite for a result that failed or was not timed.
double time_of(const Result& result, Time time = &Result::seconds);

enum class Side { plans, peers };
// The fastest plan of ours or the fastest peer with a right result; null when there is none.
const Result* fastest(const std::vector<Result>& results, Side side, Time time = &Result::seconds);
// The fastest plan of one format.
const Result* fastest_of_format(const std::vector<Result>& results, const std::string& format);

// The least n for which build + n multiplications take no longer than those of `base`. Infinite when that never comes
// to stay (a slower multiplication), unknown (NaN) when either has no times.
double break_even(const Result& result, const Result& base);
// Fills in break_even_csr (against the fastest csr) and break_even_peer (against the fastest peer) of every result.
void put_break_even(std::vector<Result>& results);

// How much longer the chosen plan takes than the fastest one: 0 when it is the fastest; unknown without both times.
double regret(const std::vector<Result>& results, const std::string& chosen, Time time = &Result::seconds);

}  // namespace heddle::bench
