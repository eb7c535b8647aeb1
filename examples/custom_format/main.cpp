// Registers a format of our own, lets the library check it, and multiplies by it where the planner takes it.
#include <cstdio>
#include <string>
#include <vector>

#include <heddle/heddle.hpp>

#include "ones.hpp"

static void check(heddle::Device device) {
  for (const std::string& broken : heddle::broken_promises(heddle::Plan::parse("ones"), device))
    std::printf("%s\n", broken.c_str());
}

int main() try {
  heddle::register_format<Ones>();
  check(heddle::Device::cpu());
#ifdef ONES_ON_GPU
  if (heddle::gpu_available()) check(heddle::Device::gpu());
#endif

  // A graph of 60,000 nodes and two million edges.
  const auto A = heddle::generate<double>("random,rows=60000,cols=60000,per_row=33,values=ones");
  const auto chosen = heddle::optimize(A, {.device = heddle::Device::cpu()});
  std::printf("%s\n", chosen.explain().c_str());

  // Whatever this machine takes, the format can be had by its name.
  const auto op = heddle::build(A, heddle::Plan::parse("ones"), {.device = heddle::Device::cpu()});

  const std::vector<double> x(static_cast<std::size_t>(A.cols), 1.0);
  std::vector<double> y(static_cast<std::size_t>(A.rows));
  op.multiply(x, y);
  std::printf("%s: A 1 = %g %g %g ...\n", op.plan().format.c_str(), y[0], y[1], y[2]);
} catch (const heddle::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
