// Kernels, copies and allocations of a build from a matrix on the device are kept in test/golden/build_calls.txt: on a
// GPU each is a call of the driver, and a copy mostly a wait, which take longer than the kernels of a small matrix.
// Whoever changes them on purpose has the file written anew, and reads the difference:
//
//   HEDDLE_WRITE_RECORD=1 ctest --test-dir build -R build_calls_test
//
//   fem,n=12,dof=3 f32 weave: 8 kernels, 5 copies, 12 allocations
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <heddle/heddle.hpp>

#include "core/emulated_calls.hpp"
#include "support/tree.hpp"

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

template <class V>
std::string calls_of(const Csr<V>& there, const std::string& plan, const BuildOptions& options) {
  EmulatedCalls& calls = emulated_calls;
  calls.kernels = calls.copies = calls.allocations = 0;
  try {
    build(there, Plan::parse(plan), options);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::unavailable ? "does not fit" : error.what();
  }
  return fmt::format("{} kernels, {} copies, {} allocations", calls.kernels.load(), calls.copies.load(),
                     calls.allocations.load());
}

template <class V>
std::string line_of(const std::string& matrix, const std::string& plan, bool updates) {
  const Csr<V> there = generate<V>(matrix).to(Device::emulator());
  return fmt::format("{} f{} {}{}: {}\n", matrix, 8 * sizeof(V), plan, updates ? " for updates" : "",
                     calls_of(there, plan, {.device = Device::emulator(), .updates = updates}));
}

TEST(BuildCalls, are_those_that_are_kept) {
  std::string text;
  for (const char* matrix : matrices)
    for (const bool updates : {false, true}) text += line_of<double>(matrix, "weave", updates);
  for (const char* plan : plans) text += line_of<float>("fem,n=12,dof=3", plan, false);
  const std::string path = "test/golden/build_calls.txt";
  if (std::getenv("HEDDLE_WRITE_RECORD")) {
    std::ofstream(tree::folder() + "/" + path) << text;
    GTEST_SKIP() << "written";
  }
  std::istringstream now(text), kept(tree::all().at(path));
  std::string a, b;
  while (std::getline(kept, b)) {
    std::getline(now, a);
    EXPECT_EQ(a, b);
  }
  EXPECT_FALSE(std::getline(now, a)) << a;
}

}  // namespace
}  // namespace heddle
