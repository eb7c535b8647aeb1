// amgcl's solver over one of its backends, as its documentation advises for a first try: smoothed aggregation with
// spai0 as the smoother, nodes of several unknowns aggregated as blocks. Only the tolerance is set, the block, and the
// strength where one is asked for.
#pragma once

#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/solver/cg.hpp>

#include <chrono>
#include <tuple>
#include <vector>

#include "amgcl_peer.hpp"

namespace heddle::bench {

using AmgclMatrix = amgcl::backend::builtin<double>::matrix;

inline std::shared_ptr<AmgclMatrix> amgcl_matrix(const CsrView<double>& A) {
  const std::vector<std::ptrdiff_t> ptr(A.ptr.begin(), A.ptr.end()), col(A.col.begin(), A.col.end());
  const std::vector<double> val(A.val.begin(), A.val.end());
  return std::make_shared<AmgclMatrix>(std::tie(A.rows, ptr, col, val));
}

inline double clock_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Side: `Backend`, its parameters, vectors of the device from those of the host and back, and a wait for the device.
template <class Side>
class AmgclOn final : public AmgclPeer {
 public:
  using Backend = typename Side::Backend;
  using Solver =
      amgcl::make_solver<amgcl::amg<Backend, amgcl::coarsening::smoothed_aggregation, amgcl::relaxation::spai0>,
                         amgcl::solver::cg<Backend>>;

  AmgclOn(const CsrView<double>& A, const AmgclWishes& asked) : matrix_(amgcl_matrix(A)), asked_(asked) {}

  AmgclRun run(std::span<const double> b, std::span<double> x, double tolerance) override {
    typename Solver::params wishes;
    wishes.solver.tol = tolerance;
    wishes.solver.maxiter = 20000;
    auto& aggregates = wishes.precond.coarsening.aggr;
    aggregates.block_size = static_cast<unsigned>(asked_.block);
    if (asked_.strength > 0) aggregates.eps_strong = static_cast<float>(asked_.strength);
    auto right = side_.vector(b);
    auto solution = side_.vector(std::vector<double>(x.size(), 0.0));
    AmgclRun found;
    side_.wait();
    const double begin = clock_now();
    const Solver solver(matrix_, wishes, side_.parameters());
    side_.wait();
    const double prepared = clock_now();
    double residual = 0;
    std::tie(found.iterations, residual) = solver(right, solution);
    side_.wait();
    found.setup = prepared - begin;
    found.solve = clock_now() - prepared;
    side_.fetch(solution, x);
    return found;
  }

 private:
  Side side_;
  std::shared_ptr<AmgclMatrix> matrix_;
  AmgclWishes asked_;
};

}  // namespace heddle::bench
