#include "plan/ranking.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

Candidate candidate(const char* plan, double us, std::int64_t bytes, bool fits = true) {
  return {.plan = Plan::parse(plan), .bytes = bytes, .fits = fits, .predicted_seconds = us * 1e-6};
}

std::vector<std::string> ordered(std::vector<Candidate> candidates, const Machine& machine) {
  const Structure facts;
  put_in_order(candidates, {facts, 8, target_of(machine)}, machine, {});
  std::vector<std::string> names;
  for (const Candidate& c : candidates) names.push_back(to_string(c.plan));
  return names;
}

using Names = std::vector<std::string>;
constexpr std::int64_t megabyte = 1 << 20;

TEST(Ranking, keeps_its_preferences_when_the_first_turns_out_not_to_fit) {
  const Machine &gpu = built_in_machine(Device::Kind::gpu), &cpu = built_in_machine(Device::Kind::cpu);
  // Half the bytes for a few percent, once `ell` is out of the way.
  const auto on_gpu = [](bool ell_fits) {
    return std::vector{candidate("ell", 5, megabyte, ell_fits), candidate("csr", 10, 8 * megabyte),
                       candidate("sell", 10.3, 2 * megabyte)};
  };
  EXPECT_EQ(ordered(on_gpu(true), gpu), (Names{"ell", "csr", "sell"}));
  EXPECT_EQ(ordered(on_gpu(false), gpu), (Names{"sell", "csr", "ell"}));
  // What is steady, of a large matrix on a CPU.
  const auto on_cpu = [](bool ell_fits) {
    return std::vector{candidate("ell", 500, 64 * megabyte, ell_fits), candidate("csr", 1000, 64 * megabyte),
                       candidate("sell", 1040, 64 * megabyte), candidate("runs", 1080, 64 * megabyte)};
  };
  EXPECT_EQ(ordered(on_cpu(true), cpu), (Names{"ell", "csr", "sell", "runs"}));
  EXPECT_EQ(ordered(on_cpu(false), cpu), (Names{"runs", "csr", "sell", "ell"}));
}

TEST(Ranking, takes_little_to_read_with_cold_caches_into_account_on_a_cpu) {
  const std::vector<Candidate> all = {candidate("csr", 1.00, megabyte / 2), candidate("sell", 1.05, megabyte / 8)};
  EXPECT_EQ(ordered(all, built_in_machine(Device::Kind::cpu)).front(), "sell");
  EXPECT_EQ(ordered(all, built_in_machine(Device::Kind::gpu)).front(), "csr");
}

TEST(Ranking, has_no_preferences_among_measured_times) {
  std::vector<Candidate> all = {candidate("csr", 10, 8 * megabyte), candidate("sell", 10.3, 2 * megabyte)};
  const Machine& gpu = built_in_machine(Device::Kind::gpu);
  EXPECT_EQ(ordered(all, gpu).front(), "sell");
  for (Candidate& c : all) c.measured_seconds = c.predicted_seconds;
  EXPECT_EQ(ordered(all, gpu).front(), "csr");
}

}  // namespace
}  // namespace heddle
