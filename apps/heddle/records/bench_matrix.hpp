// What `heddle bench` does with one matrix in one precision.
#pragma once

#include <functional>

#include "records/bench_record.hpp"
#include "session/load.hpp"

namespace heddle {

struct BenchWork {
  std::vector<Plan> plans;  // a plan "auto" stands for the one chosen for the matrix
  bool add_chosen = false;  // the chosen plan too, unless it is among the others anyway
  std::vector<std::string> peers;
  bench::Settings settings;

  double steps() const { return static_cast<double>(plans.size() + peers.size() + (add_chosen ? 1 : 0)); }
};

// `measured` is called after each result. Ctrl-C between two results: the record is not complete.
template <class V>
BenchRecord bench_matrix(const std::string& source, const Loaded<V>& matrix, const BenchWork& work,
                         const std::function<void()>& measured);

}  // namespace heddle
