// Conjugate gradients of other libraries, for solve_bench.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <heddle/matrix.hpp>

namespace heddle::bench {

class CgPeer {
 public:
  virtual ~CgPeer() = default;
  virtual std::string name() const = 0;
  // From x = 0, exactly `iterations` of them; b and x are memory of the peer's device.
  virtual double seconds_per_iteration(std::span<const double> b, std::span<double> x, int iterations) = 0;
};

// The wall clock; with one thread the processor's, which other work on the machine disturbs less.
double seconds_now();

bool has_eigen_cg();
bool has_petsc_cg();
bool has_cusparse_cg();
std::unique_ptr<CgPeer> make_eigen_cg(const CsrView<double>& A, bool jacobi);
std::unique_ptr<CgPeer> make_petsc_cg(const CsrView<double>& A, bool jacobi);
std::unique_ptr<CgPeer> make_cusparse_cg(const CsrView<double>& A, bool jacobi);

}  // namespace heddle::bench
