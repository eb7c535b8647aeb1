// Several right-hand sides and new values, against multiply in the same run, on one matrix of each of several classes.
//
//   many_bench                                      on the GPU where there is one
//   many_bench --device=cpu --plan=csr --seconds=0.05
//   many_bench --plan=weave --plan=csr --cold gen:rmat,scale=20 gen:stencil3d7,n=128
//
// Columns: multiply in us; for 2, 4, 8 and 16 vectors, one after another and side by side, k times multiply over
// multiply_many (what it gains); update_values from device memory over multiply (to stay below 2); the first
// update_values, which makes its map, in ms.
#include <algorithm>
#include <string>
#include <vector>

#include <heddle/heddle.hpp>

#include "core/gpu.hpp"
#include "machine/timing.hpp"
#include "program.hpp"

namespace heddle {
namespace {

constexpr int counts[] = {2, 4, 8, 16};

struct Settings {
  Device device = gpu_available() ? Device::gpu() : Device::cpu();
  std::vector<std::string> plans, matrices;
  double seconds = 0.02;
  bool cold = false;
};

const std::vector<std::string> classes{"gen:stencil3d7,n=128,coefficients=varying",
                                       "gen:stencil3d27,n=96,coefficients=varying",
                                       "gen:fem,n=48,dof=3",
                                       "gen:band,rows=1000000,width=20",
                                       "gen:random,rows=1000000,cols=1000000,per_row=16",
                                       "gen:rmat,scale=20",
                                       "gen:circuit,rows=1500000",
                                       "gen:road"};

// Seconds of `call`, which queues work on a stream of the device.
template <class F>
double time(const Settings& settings, const F& call) {
  if (settings.device.host_memory())
    return settings.cold ? time_calls(
                               settings.seconds, [&] { call(Stream{}); }, CacheEviction())
                               .median
                         : time_calls(settings.seconds, [&] { call(Stream{}); }).median;
  const auto queue = [](const void* context, Stream stream) { (*static_cast<const F*>(context))(stream); };
  return gpu::time(&call, queue, settings.seconds, settings.cold ? gpu::Repeats::cold : gpu::Repeats::warm).median;
}

template <class V>
Buffer<V> numbers(std::int64_t n, Device device) {
  Buffer<V> made(n);
  for (std::int64_t i = 0; i < n; ++i) made[i] = static_cast<V>(i % 101) / V(101) - V(0.5);
  return made.to(device);
}

template <class V>
void measure(const Settings& settings, const std::string& matrix, const std::string& plan) {
  const Csr<V> A = convert<V>(read_matrix(matrix).view());
  auto op = build(A, Plan::parse(plan), {.device = settings.device, .right_hand_sides = 16});
  const Buffer<V> val = A.val.to(settings.device);
  const double first = time_calls(0, [&] { op.update_values(val); }).median;
  const Buffer<V> x = numbers<V>(A.cols * 16, settings.device);
  Buffer<V> y(A.rows * 16, settings.device);
  const auto columns = static_cast<std::size_t>(A.cols), rows = static_cast<std::size_t>(A.rows);
  const double one = time(settings, [&](Stream s) { op.multiply(x.span().first(columns), y.span().first(rows), s); });
  fmt::print("{:44}{:>4}{:10.1f}", matrix, sizeof(V) == 8 ? "f64" : "f32", one * 1e6);
  for (const VectorOrder order : {VectorOrder::by_vector, VectorOrder::by_element})
    for (const int k : counts) {
      const double many = time(settings, [&](Stream s) { op.multiply_many({x, k, order}, {y, k, order}, s); });
      fmt::print("{:7.2f}", k * one / many);
    }
  const double update = time(settings, [&](Stream s) { op.update_values(val, s); });
  fmt::print("{:9.2f}{:10.1f}   {}\n", update / one, first * 1e3, to_string(op.plan()));
  std::fflush(stdout);
}

Settings read(const Words& words) {
  Settings settings;
  settings.device = words.device(settings.device);
  settings.seconds = words.number("--seconds=", settings.seconds);
  settings.cold = words.has("--cold");
  settings.plans = words.has("--plan=") ? words.all("--plan=") : std::vector<std::string>{"weave", "csr"};
  settings.matrices = words.matrices.empty() ? classes : words.matrices;
  return settings;
}

void table(const Settings& settings) {
  fmt::print("{}, {}; gain of k vectors at once over one by one\n", describe(settings.device).name,
             settings.cold ? "cold" : "warm");
  fmt::print("{:44}{:>4}{:>10}{:>28}{:>28}{:>9}{:>10}\n", "", "", "multiply", "one after another", "side by side",
             "update /", "first");
  fmt::print("{:44}{:>4}{:>10}", "matrix", "", "us");
  for (int order = 0; order < 2; ++order)
    for (const int k : counts) fmt::print("{:>7}", fmt::format("k={}", k));
  fmt::print("{:>9}{:>10}   plan\n", "multiply", "ms");
  for (const std::string& matrix : settings.matrices)
    for (const std::string& plan : settings.plans) {
      measure<double>(settings, matrix, plan);
      measure<float>(settings, matrix, plan);
    }
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  return heddle::run_program("many_bench", argc, argv, {"--device=", "--plan=", "--seconds=", "--cold"},
                             [](const heddle::Words& words) { heddle::table(heddle::read(words)); });
}
