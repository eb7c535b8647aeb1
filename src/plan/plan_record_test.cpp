// What is chosen for a fixed set of matrices, with the predicted times of every candidate, is kept in
// test/golden/plan_record.txt. After a deliberate change of the model it is written anew, and the difference is read:
//
//   HEDDLE_WRITE_RECORD=1 ctest --test-dir build -R plan_record_test
//
//   matrix f32 h200                                        "there": the matrix lies on the device already
//     chosen 0: weave layout=rows, 10: csr, 1000: csr      by the number of products
//     3.21e-06 5.1e-05 weave layout=rows                   seconds of a product and of building, best first
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <heddle/heddle.hpp>

#include "core/isa.hpp"
#include "support/tree.hpp"

namespace heddle {
namespace {

constexpr const char* matrices[] = {"stencil2d5,n=60",
                                    "stencil2d5,n=700,coefficients=varying",
                                    "stencil3d27,n=24",
                                    "fem,n=12,dof=3",
                                    "circuit,rows=40k",
                                    "rmat,scale=12",
                                    "rmat,scale=16",
                                    "web,rows=60k",
                                    "lengths,law=F1,max=40,rows=30k",
                                    "lengths,law=F3,max=300,rows=8k",
                                    "random,rows=100k,per_row=16",
                                    "random,rows=300k,cols=2k,per_row=4",
                                    "random,rows=300k,per_row=12",
                                    "lp,rows=600,cols=200k,per_row=2000",
                                    "band,rows=20k,width=40,fill=0.5",
                                    "dense,rows=700",
                                    "arrow,rows=50k",
                                    "qcd,l=4",
                                    "economics,rows=30k",
                                    "tomography,n=32",
                                    "empty,rows=20k"};

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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(PlanRecord, is_the_one_that_is_kept) {
  std::string text;
  for (const char* matrix : matrices) text += record_of<float>(matrix) + record_of<double>(matrix);
  const std::string path = "test/golden/plan_record.txt";
  if (std::getenv("HEDDLE_WRITE_RECORD")) {
    std::ofstream(tree::folder() + "/" + path) << text;
    GTEST_SKIP() << "written";
  }
  const std::vector<std::string> now = lines_of(text), kept = lines_of(tree::all().at(path));
  std::string head;
  int differences = 0;
  for (std::size_t i = 0; i < std::max(now.size(), kept.size()) && differences < 20; ++i) {
    const std::string a = i < now.size() ? now[i] : "", b = i < kept.size() ? kept[i] : "";
    if (!b.starts_with(' ')) head = b;
    if (same_line(a, b)) continue;
    ++differences;
    ADD_FAILURE() << head << "\n  kept: " << b << "\n  now:  " << a;
  }
}

}  // namespace
}  // namespace heddle
