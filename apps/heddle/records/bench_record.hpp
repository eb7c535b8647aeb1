// One matrix in one precision as `heddle bench` tells it: an element of "matrices" in its JSON, and lines of its CSV.
#pragma once

#include <string>
#include <vector>

#include <heddle/analyze.hpp>

#include "bench/bound.hpp"
#include "bench/results.hpp"
#include "session/session.hpp"

namespace heddle {

struct BenchRecord {
  std::string source, name, precision, matrix_class;
  std::int64_t rows = 0, cols = 0, nnz = 0;
  RowLengths rows_len;
  std::string chosen;
  double chosen_predicted_seconds = 0;
  double planning_seconds = 0;  // analysis and choice
  bench::Bound bound;
  std::vector<bench::Result> results;
  bool complete = true;  // false: interrupted on the way
};

// With everything but the spy plot.
Json record_json(const BenchRecord& record);
// A matrix that could not be measured: the same keys, null, and the error.
Json failed_record_json(const std::string& source, const Error& error);

// Whether a value is what record_json made: every key, of its type. Files hold anything.
bool is_record(const Json& value);

// {wide, tall, cells}: one letter a cell, row by row; '0' no entry, then to 'z' the darker the more.
Json spy_json(const PatternView& A, int size);

// The share of the roofline with the bandwidth of this run, for a record that comes from an earlier one.
void put_roofline(Json& record, double read_gbps);

std::string bench_csv(const std::vector<Json>& records);

// For people, one line or two for each precision: how the chosen plans fare against the best peers and the best plans.
std::string bench_summary(const std::vector<Json>& records);

}  // namespace heddle
