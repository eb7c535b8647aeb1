// The results of `heddle bench` for people.
#pragma once

#include <string>
#include <vector>

#include "bench/bound.hpp"
#include "bench/results.hpp"
#include "terminal/terminal.hpp"

namespace heddle {

// Fastest first; failures last, with their reason. The chosen plan is marked.
std::string bench_table(const std::vector<bench::Result>& results, const std::string& chosen, bool cold,
                        const Terminal& terminal);

// The best peer against our best plan, warm and (asked for) cold, one line each; empty when either side has no result.
std::string bench_verdict(const std::vector<bench::Result>& results, bool cold);

// The physical bound and the share of it that the chosen plan reaches; empty where that plan has no time.
std::string bench_bound(const bench::Bound& bound, const std::vector<bench::Result>& results, const std::string& chosen,
                        bool cold);

}  // namespace heddle
