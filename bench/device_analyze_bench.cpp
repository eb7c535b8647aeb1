// What it costs to analyze a matrix where it lies: in the memory of a GPU, against multiplications by it.
//
//   device_analyze_bench                                     on the GPU where there is one, else on the emulator
//   device_analyze_bench --seconds=0.05 gen:rmat,scale=20 gen:stencil3d7,n=128
//
// Columns: entries; analyze on the device and on the host, in us; choosing from the facts, in us; multiply by csr and
// by the chosen plan, warm and cold, in us; analyze on the device over multiply by csr and by the chosen plan, warm
// (csr: to stay below 3); whether both analyses agree.
#include <algorithm>
#include <string>
#include <vector>

#include <heddle/heddle.hpp>

#include "machine/timing.hpp"
#include "program.hpp"

namespace heddle {
namespace {

struct Settings {
  Device device = gpu_available() ? Device::gpu() : Device::emulator();
  std::vector<std::string> matrices;
  double seconds = 0.02;
};

// The first has next to no entries: what launches and the way back cost.
const std::vector<std::string> classes{"gen:stencil2d5,n=30",
                                       "gen:stencil3d7,n=128",
                                       "gen:stencil3d7,n=128,coefficients=varying",
                                       "gen:stencil3d27,n=96,coefficients=varying",
                                       "gen:fem,n=48,dof=3",
                                       "gen:band,rows=1000000,width=20",
                                       "gen:random,rows=1000000,cols=1000000,per_row=16",
                                       "gen:rmat,scale=20",
                                       "gen:circuit,rows=1500000",
                                       "gen:road",
                                       "gen:dense,rows=4000,cols=4000"};

template <class V>
Buffer<V> ones(std::int64_t n, Device device) {
  Buffer<V> made(n);
  std::fill(made.begin(), made.end(), V(1));
  return made.to(device);
}

struct Products {
  double warm, cold;  // seconds
};

template <class V>
Products time_products(const Settings& settings, const Csr<V>& A, const Plan& plan) {
  const auto op = build(A, plan, {.device = settings.device});
  const Buffer<V> x = ones<V>(A.cols, settings.device);
  Buffer<V> y(A.rows, settings.device);
  return {time_multiply<V>(op, x, y, settings.seconds, false).median,
          time_multiply<V>(op, x, y, settings.seconds, true).median};
}

bool agree(const Structure& a, const Structure& b) {
  return a.pattern_hash == b.pattern_hash && a.rows_len.counts == b.rows_len.counts &&
         a.distinct_values == b.distinct_values && to_string(a) == to_string(b);
}

template <class V>
void measure(const Settings& settings, const std::string& matrix) {
  const Csr<V> A = convert<V>(read_matrix(matrix).view());
  const Device device = settings.device;
  const Csr<V> there = A.to(device);
  const Structure facts = analyze(there, Detail::planning), host_facts = analyze(A, Detail::planning);
  const Machine machine = device.kind == Device::Kind::gpu ? this_machine(device) : built_in_machine(Device::Kind::gpu);
  const Plan plan = choose(facts, machine, {.device = device}, sizeof(V)).plan;
  const auto us = [&](const auto& call) { return time_calls(settings.seconds, call).median * 1e6; };
  const double on_device = us([&] { analyze(there, Detail::planning); });
  const double on_host = us([&] { analyze(A, Detail::planning); });
  const double choosing = us([&] { choose(facts, machine, {.device = device}, sizeof(V)); });
  const Products csr = time_products(settings, A, Plan{}), chosen = time_products(settings, A, plan);
  fmt::print("{:44}{:>4}{:10}{:10.1f}{:10.0f}{:8.0f}{:10.1f}{:9.1f}{:10.1f}{:9.1f}{:8.2f}{:8.2f}{:>5}   {}\n", matrix,
             sizeof(V) == 8 ? "f64" : "f32", A.nnz(), on_device, on_host, choosing, csr.warm * 1e6, csr.cold * 1e6,
             chosen.warm * 1e6, chosen.cold * 1e6, on_device * 1e-6 / csr.warm, on_device * 1e-6 / chosen.warm,
             agree(facts, host_facts) ? "yes" : "NO", to_string(plan));
  std::fflush(stdout);
}

Settings read(const Words& words) {
  Settings settings;
  settings.device = words.device(settings.device);
  settings.seconds = words.number("--seconds=", settings.seconds);
  settings.matrices = words.matrices.empty() ? classes : words.matrices;
  return settings;
}

void table(const Settings& settings) {
  fmt::print("{}\n", describe(settings.device).name);
  fmt::print("{:44}{:>4}{:>10}{:>20}{:>8}{:>19}{:>19}{:>16}{:>5}\n", "", "", "", "analyze, us", "choose", "csr, us",
             "chosen plan, us", "analyze over", "");
  fmt::print("{:44}{:>4}{:>10}{:>10}{:>10}{:>8}{:>10}{:>9}{:>10}{:>9}{:>8}{:>8}{:>5}   plan\n", "matrix", "", "entries",
             "device", "host", "us", "warm", "cold", "warm", "cold", "csr", "chosen", "same");
  for (const std::string& matrix : settings.matrices) {
    measure<float>(settings, matrix);
    measure<double>(settings, matrix);
  }
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  return heddle::run_program("device_analyze_bench", argc, argv, {"--device=", "--seconds="},
                             [](const heddle::Words& words) { heddle::table(heddle::read(words)); });
}
