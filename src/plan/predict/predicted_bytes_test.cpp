// The bytes that a plan is predicted to take against those it takes when it is built: every candidate for every class of
// matrix, on the emulator of a GPU and on a CPU. By how much they differ at most is kept for each line of costs in
// test/golden/predicted_bytes.txt, in percent. It may only shrink: HEDDLE_WRITE_RECORD=1 writes what has become better,
// what became worse has to be written by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include <heddle/heddle.hpp>

#include "plan/predict/model.hpp"
#include "support/golden.hpp"
#include "support/record_matrices.hpp"

namespace heddle {
namespace {

using Percent = std::map<std::string, double>;  // "gpu weave:rows" -> the largest difference

// Of a table of values or the head of a small matrix, which no fact tells.
constexpr double small_tables = 4096;

double difference(double predicted, double built) {
  return std::ceil(100 * std::max(0.0, std::abs(predicted - built) - small_tables) / built);
}

template <class V>
void compare(const std::string& matrix, const Machine& machine, Device device, Percent& worst) {
  const Csr<V> A = generate<V>(matrix);
  // The emulator takes long for large ones, which the host builds with the same bytes.
  const bool by_kernels = device == Device::emulator() && A.nnz() <= 300'000;
  const Csr<V> there = by_kernels ? A.to(device) : Csr<V>();
  const char* kind = device == Device::cpu() ? "cpu" : "gpu";
  for (const Candidate& c : choose(A, analyze(A, Detail::planning), machine, {.device = device}).candidates) {
    if (c.plan.format == "runs") continue;  // it is built by how fast this host gathers
    std::int64_t built = 0;
    try {
      built =
          (by_kernels ? build(there, c.plan, {.device = device}) : build(A, c.plan, {.device = Device::cpu()})).bytes();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable) << error.what();
      EXPECT_FALSE(c.fits) << matrix << " f" << 8 * sizeof(V) << ", " << kind << ": " << to_string(c.plan);
      continue;
    }
    EXPECT_TRUE(c.fits) << matrix << " f" << 8 * sizeof(V) << ", " << kind << ": " << to_string(c.plan);
    double& most = worst[fmt::format("{} {}", kind, cost_key(c.plan))];
    most = std::max(most, difference(static_cast<double>(c.bytes), static_cast<double>(built)));
  }
}

Percent limits() {
  Percent all;
  for (const std::string& line : test::lines_of(test::kept_text("predicted_bytes.txt"))) {
    const auto at = line.rfind(' ');
    all[line.substr(0, at)] = std::stod(line.substr(at));
  }
  return all;
}

TEST(PredictedBytes, are_within_the_limit_of_each_line_of_costs) {
  Percent now, kept = limits();
  for (const char* matrix : test::record_matrices) {
    compare<float>(matrix, built_in_machine(Device::Kind::gpu), Device::emulator(), now);
    compare<double>(matrix, built_in_machine(Device::Kind::gpu), Device::emulator(), now);
    compare<float>(matrix, built_in_machine(Device::Kind::cpu), Device::cpu(), now);
    compare<double>(matrix, built_in_machine(Device::Kind::cpu), Device::cpu(), now);
  }
  if (std::getenv("HEDDLE_WRITE_RECORD")) {
    std::ofstream file(tree::folder() + "/test/golden/predicted_bytes.txt");
    for (const auto& [key, percent] : now)
      file << fmt::format("{} {:g}\n", key, kept.contains(key) ? std::min(kept[key], percent) : percent);
    GTEST_SKIP() << "written";
  }
  for (const auto& [key, percent] : now) {
    ASSERT_TRUE(kept.contains(key)) << key << " has no limit: " << percent;
    EXPECT_LE(percent, kept[key]) << key;
    EXPECT_GE(percent + 1, kept[key]) << key << ": the limit can shrink";
  }
  EXPECT_EQ(now.size(), kept.size()) << "a limit is of no candidate";
}

}  // namespace
}  // namespace heddle
