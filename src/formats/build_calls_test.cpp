// Kernels, copies, waits of the host and allocations of a build from a matrix on the device are kept in
// test/golden/build_calls.txt (support/golden.hpp): on a GPU each is a call of the driver, which takes longer than the
// kernels of a small matrix. Every copy is a wait too; the others wait for kernels alone.
//
//   fem,n=12,dof=3 f32 weave: 8 kernels, 5 copies, 6 waits, 12 allocations
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <heddle/heddle.hpp>

#include "core/emulated_calls.hpp"
#include "support/golden.hpp"

namespace heddle {
namespace {

// From 2^18 entries on values are looked at, and layouts ask before the arrays are known to be a matrix.
constexpr const char* matrices[] = {
    "stencil2d5,n=60",          "stencil2d5,n=230", "stencil3d7,n=41,coefficients=varying",
    "fem,n=12,dof=3",           "circuit,rows=50k", "random,rows=40k,per_row=7",
    "band,rows=13200,width=20", "dense,rows=520"};
constexpr const char* plans[] = {"weave values=raw",
                                 "weave layout=diagonals",
                                 "weave layout=blocks",
                                 "weave layout=rows",
                                 "weave layout=segments",
                                 "weave layout=padded",
                                 "weave layout=long",
                                 "weave layout=tiles",
                                 "weave layout=sums",
                                 "csr",
                                 "csr_ell",
                                 "sell"};

template <class F>
std::string calls_of(F f) {
  EmulatedCalls& calls = emulated_calls;
  calls.kernels = calls.copies = calls.waits = calls.allocations = 0;
  try {
    f();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::unavailable ? "does not fit" : error.what();
  }
  return fmt::format("{} kernels, {} copies, {} waits, {} allocations", calls.kernels.load(), calls.copies.load(),
                     calls.waits.load(), calls.allocations.load());
}

template <class V>
std::string line_of(const std::string& matrix, const std::string& plan, bool updates) {
  const Csr<V> there = generate<V>(matrix).to(Device::emulator());
  return fmt::format("{} f{} {}{}: {}\n", matrix, 8 * sizeof(V), plan, updates ? " for updates" : "", calls_of([&] {
                       build(there, Plan::parse(plan), {.device = Device::emulator(), .updates = updates});
                     }));
}

template <class V>
std::string line_of_optimize(const std::string& matrix) {
  const Csr<V> there = generate<V>(matrix).to(Device::emulator());
  Plan chosen;
  const std::string calls = calls_of([&] { chosen = optimize(there, {.device = Device::emulator()}).plan(); });
  return fmt::format("{} f{} optimize ({}): {}\n", matrix, 8 * sizeof(V), to_string(chosen), calls);
}

TEST(BuildCalls, are_those_that_are_kept) {
  std::string text;
  for (const char* matrix : matrices)
    for (const bool updates : {false, true}) text += line_of<double>(matrix, "weave", updates);
  for (const char* plan : plans) text += line_of<float>("fem,n=12,dof=3", plan, false);
  for (const char* matrix : matrices) text += line_of_optimize<double>(matrix);
  test::expect_kept("build_calls.txt", text);
}

}  // namespace
}  // namespace heddle
