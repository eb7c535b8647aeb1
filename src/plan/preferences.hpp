// Of plans that are predicted to take about the same, which one goes first.
#pragma once

#include <vector>

#include <heddle/choose.hpp>

#include "cost/workload.hpp"

namespace heddle {

// What is minimised: the product, or building and all products together.
struct Score {
  double products;

  double operator()(const Candidate& c) const {
    const double product = c.measured_seconds > 0 ? c.measured_seconds : c.predicted_seconds;
    const double build = c.measured_build_seconds > 0 ? c.measured_build_seconds : c.predicted_build_seconds;
    return products > 0 ? build + products * product : product;
  }
};

// Whether a matrix that lies on a device would go to the host and back to be built: that took 121 ms for csr_ell of a
// million rows of 16 doubles, which kernels build today, where the layouts of weave take 0.2 (H200).
bool is_built_by_host(const Subject& subject, const Plan& plan);

// Candidates, best first: what is preferred to the first one comes before it, the others stay in order.
void prefer_fewer_bytes(std::vector<Candidate>& candidates, const Score& score, const Subject& subject);     // on a GPU
void prefer_little_to_read(std::vector<Candidate>& candidates, const Score& score, const Machine& machine);  // on a CPU
void prefer_steady(std::vector<Candidate>& candidates, const Score& score);                                  // on a CPU

}  // namespace heddle
