// Conjugate gradients with amgcl's smoothed aggregation, for amgcl_bench.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <heddle/matrix.hpp>

namespace heddle::bench {

struct AmgclRun {
  double setup = 0, solve = 0;  // seconds
  std::int64_t iterations = 0;
};

struct AmgclWishes {
  int block = 1;
  double strength = 0;  // |a_ij| over sqrt(a_ii a_jj) of a strong coupling; 0: amgcl's own, 0.08
};

class AmgclPeer {
 public:
  virtual ~AmgclPeer() = default;
  // A set-up and a solve from x = 0. Vectors are host memory; on a GPU they are copied outside of both times.
  virtual AmgclRun run(std::span<const double> b, std::span<double> x, double tolerance) = 0;
};

// What amgcl's matrix is made from is copied here, before any time is taken.
std::unique_ptr<AmgclPeer> make_amgcl_on_cpu(const CsrView<double>& A, const AmgclWishes& wishes);
std::unique_ptr<AmgclPeer> make_amgcl_on_gpu(const CsrView<double>& A, const AmgclWishes& wishes);

}  // namespace heddle::bench
