// amgcl on the CPU, with OpenMP where it is found.
#include <algorithm>

#include "amgcl_solver.hpp"

namespace heddle::bench {

namespace {

struct CpuSide {
  using Backend = amgcl::backend::builtin<double>;
  using Vector = amgcl::backend::numa_vector<double>;

  Backend::params parameters() const { return {}; }
  Vector vector(std::span<const double> from) const { return Vector(std::vector<double>(from.begin(), from.end())); }
  void fetch(const Vector& from, std::span<double> to) const { std::copy_n(from.data(), from.size(), to.begin()); }
  void wait() const {}
};

}  // namespace

std::unique_ptr<AmgclPeer> make_amgcl_on_cpu(const CsrView<double>& A, const AmgclWishes& wishes) {
  return std::make_unique<AmgclOn<CpuSide>>(A, wishes);
}

}  // namespace heddle::bench
