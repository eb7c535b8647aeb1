// The results of `heddle bench` for people and as comma-separated values.
#pragma once

#include <string>
#include <vector>

#include "bench/results.hpp"
#include "terminal.hpp"

namespace heddle {

// Fastest first; failures last, with their reason.
std::string bench_table(const std::vector<bench::Result>& results, bool cold, const Terminal& terminal);

// The best peer against our best plan, warm and (asked for) cold, one line each; empty when either side has no result.
std::string bench_verdict(const std::vector<bench::Result>& results, bool cold);

struct BenchedMatrix {
  std::string name;
  std::int64_t rows = 0, cols = 0, nnz = 0;
};
std::string bench_csv_header();
std::string bench_csv_rows(const BenchedMatrix& matrix, const std::vector<bench::Result>& results);

}  // namespace heddle
