#include "plan/machine_build.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include <heddle/analyze.hpp>
#include <heddle/operator.hpp>

#include "plan/building.hpp"

namespace heddle {

namespace {

// Eight diagonals that come together at the right end: rows are of 1 to 8 entries there and of 8 elsewhere.
Csr<double> eight_diagonals() {
  constexpr std::int64_t rows = 60'000, offsets[] = {0, 1, 2, 245, 246, 247, 490, 491};
  Csr<double> A{rows, rows, Buffer<Offset>(rows + 1), Buffer<Index>(rows * std::ssize(offsets)),
                Buffer<double>(rows * std::ssize(offsets))};
  Offset at = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    A.ptr[row] = at;
    for (const std::int64_t offset : offsets)
      if (row + offset < rows) {
        A.col[at] = static_cast<Index>(row + offset);
        A.val[at++] = 1 + static_cast<double>(row % 1000);
      }
  }
  A.ptr[rows] = at;
  A.col = Buffer<Index>::copy_of(A.col.span().first(static_cast<std::size_t>(at)), Device::cpu());
  A.val = Buffer<double>::copy_of(A.val.span().first(static_cast<std::size_t>(at)), Device::cpu());
  return A;
}

double least_build_seconds(const Csr<double>& A, const Plan& plan) {
  constexpr int times = 15;
  double least = INFINITY;
  for (int i = 0; i < times; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    const Operator<double> built = build(A, plan, {.device = Device::cpu()});
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
  }
  return least;
}

}  // namespace

double measure_build_factor(const Machine& machine) {
  constexpr double lowest = 0.2, highest = 10;  // beyond, something else was measured
  const Csr<double> A = eight_diagonals();
  const Structure facts = analyze(A, Detail::planning);
  const Subject subject{facts, sizeof(double)};
  Machine fitted = machine;
  fitted.build_factor = 1;
  double product = 1;
  const char* const plans[] = {"csr", "sell", "sell sigma=1024"};
  for (const char* text : plans) {
    const Plan plan = Plan::parse(text);
    const Workload work = workload(*find_family(plan.format), subject, plan, false);
    product *= least_build_seconds(A, plan) / predict_build_seconds(subject, plan, work, fitted);
  }
  return std::clamp(std::cbrt(product), lowest, highest);
}

}  // namespace heddle
