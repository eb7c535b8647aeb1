#include "solve/loading.hpp"

#include <algorithm>
#include <mutex>
#include <set>

#include <heddle/generate.hpp>

#include "core/stopwatch.hpp"
#include "solve/iterations.hpp"

namespace heddle::solve_method {

namespace {

// The first time it is asked for.
bool is_new(const std::string& what) {
  static std::mutex guard;
  static std::set<std::string> known;
  const std::lock_guard lock(guard);
  return known.insert(what).second;
}

}  // namespace

template <class V>
RehearsedSetUp set_up_of(const Csr<V>& A, const PreconditionerOptions& options) {
  constexpr std::int64_t fewest_in_blocks = 8;  // entries of a row; two unknowns of a plane grid's nodes have ten
  return {.blocks = options.block > 1 || A.nnz() >= fewest_in_blocks * A.rows,
          .fitted = !options.near_nullspace.empty()};
}

template <class V>
Report rehearse(const Rehearsal& what) {
  const Csr<V> A = generate<V>("stencil2d5,n=24");  // two grids of amg
  const Operator<V> op = build(A, Plan{}, {.device = what.device});
  Buffer<V> b(A.rows), x(A.rows);
  std::fill(b.begin(), b.end(), V(1));
  std::fill(x.begin(), x.end(), V(0));
  if (what.preconditioner == "amg") steps_on(what.device)->rehearse(what.set_up);
  return solve<V>(op, b, x,
                  {.method = what.method,
                   .preconditioner = what.preconditioner,
                   .tolerance = 0,
                   .max_iterations = 2 * iterations_of_graph + 1,
                   .matrix = &A});
}

template <class V>
double load_kernels(const Rehearsal& what) {
  if (!is_new(fmt::format("{} {} {} {} {} {}", to_string(what.device), what.method, what.preconditioner, sizeof(V),
                          what.set_up.blocks, what.set_up.fitted)))
    return 0;
  const WallClock clock;
  try {
    rehearse<V>(what);
  } catch (...) {
    return clock.seconds();
  }
  return clock.seconds();
}

template RehearsedSetUp set_up_of(const Csr<float>&, const PreconditionerOptions&);
template RehearsedSetUp set_up_of(const Csr<double>&, const PreconditionerOptions&);
template Report rehearse<float>(const Rehearsal&);
template Report rehearse<double>(const Rehearsal&);
template double load_kernels<float>(const Rehearsal&);
template double load_kernels<double>(const Rehearsal&);

}  // namespace heddle::solve_method
