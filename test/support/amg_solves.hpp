// Solves with amg, of right-hand sides that are smooth nowhere.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <heddle/solve.hpp>

namespace heddle::test {

using Numbers = std::vector<double>;

template <class V = double>
std::vector<V> uneven(std::int64_t n, double from = 1) {
  std::vector<V> b(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double at = static_cast<double>(i);
    b[i] = static_cast<V>(std::sin(from + 0.7 * at * at));
  }
  return b;
}

template <class V = double>
Report solved(const Csr<V>& A, const PreconditionerOptions& options = {}, const std::string& method = "cg",
              Device device = {}, std::vector<V> b = {}) {
  const auto op = build(A, {}, {.device = device});
  if (b.empty()) b = uneven<V>(A.rows);
  std::vector<V> x(b.size(), V(0));
  return solve(op, b, x, {.method = method, .own_preconditioner = make_preconditioner("amg", op, A, options)});
}
inline std::int64_t iterations(const Csr<double>& A, const PreconditionerOptions& options = {},
                               const std::string& method = "cg") {
  const Report report = solved(A, options, method);
  EXPECT_TRUE(report.converged()) << report.reason;
  return report.iterations;
}

// Nodes of the generator's elasticity: z fastest, nodes at x = 0 are clamped and gone.
inline Numbers beam_coordinates(int nx, int ny, int nz) {
  Numbers made;
  for (int x = 1; x <= nx; ++x)
    for (int y = 0; y <= ny; ++y)
      for (int z = 0; z <= nz; ++z) made.insert(made.end(), {double(x), double(y), double(z)});
  return made;
}

}  // namespace heddle::test
