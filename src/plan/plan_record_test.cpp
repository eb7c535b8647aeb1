// What is chosen for a fixed set of matrices, with the predicted times of every candidate, is kept in
// test/golden/plan_record.txt (support/golden.hpp).
//
//   matrix f32 h200                                        "there": the matrix lies on the device already
//     chosen 0: weave layout=rows, 10: csr, 1000: csr      by the number of products
//     3.21e-06 5.1e-05 weave layout=rows                   seconds of a product and of building, best first
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include <heddle/heddle.hpp>

#include "core/isa.hpp"
#include "support/golden.hpp"
#include "support/record_matrices.hpp"

namespace heddle {
namespace {

Machine sixteen_cores() {
  Machine machine = built_in_machine(Device::Kind::cpu);
  machine.name = "sixteen cores";
  machine.units = 16;
  machine.cache_bytes *= 8;
  for (Machine::Rate& rate : machine.read) rate.giga *= 8;
  machine.wake_us = 0.9, machine.wake_all_us = 3;
  return machine;
}

template <class V>
std::string record_of(const Csr<V>& A, const Structure& facts, const Machine& machine, const Device device) {
  std::string text = "  chosen";
  for (const double products : {0.0, 10.0, 100.0, 10000.0}) {
    const ChooseOptions options{.expected_multiplies = products, .device = device};
    text += fmt::format("{} {:g}: {}", products > 0 ? "," : "", products,
                        to_string(choose(A, facts, machine, options).plan));
  }
  text += '\n';
  for (const Candidate& c : choose(A, facts, machine, {.device = device}).candidates)
    text += fmt::format("  {:.4g} {:.4g} {}{}\n", c.predicted_seconds, c.predicted_build_seconds, to_string(c.plan),
                        c.fits ? "" : " (does not fit)");
  return text;
}

template <class V>
std::string record_of(const std::string& matrix) {
  const Csr<V> A = generate<V>(matrix);
  const Structure facts = analyze(A, Detail::planning);
  const std::string head = fmt::format("{} f{}", matrix, 8 * sizeof(V));
  const Machine& h200 = built_in_machine(Device::Kind::gpu);
  std::string text = fmt::format("{} h200\n{}", head, record_of(A, facts, h200, Device::emulator()));
  text += fmt::format("{} h200 there\n{}", head, record_of(A.to(Device::emulator()), facts, h200, Device::emulator()));
  for (const Machine& cpu : {built_in_machine(Device::Kind::cpu), sixteen_cores()})
    text += fmt::format("{} {}\n{}", head, cpu.name, record_of(A, facts, cpu, Device::cpu()));
  return text;
}

bool same_number(const std::string& a, const std::string& b) {
  char *end_a = nullptr, *end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  return *end_a == 0 && *end_b == 0 && std::abs(x - y) <= 2e-3 * std::abs(y);
}

// Numbers may differ in their last digit: by the compiler.
bool same_line(const std::string& a, const std::string& b) {
  std::istringstream of_a(a), of_b(b);
  std::string word_a, word_b;
  while (true) {
    const bool more_a = static_cast<bool>(of_a >> word_a), more_b = static_cast<bool>(of_b >> word_b);
    if (!more_a || !more_b) return more_a == more_b;
    if (word_a != word_b && !same_number(word_a, word_b)) return false;
  }
}

TEST(PlanRecord, is_the_one_that_is_kept) {
  std::string text;
  for (const char* matrix : test::record_matrices) text += record_of<float>(matrix) + record_of<double>(matrix);
  test::expect_kept("plan_record.txt", text, same_line);
}

}  // namespace
}  // namespace heddle
