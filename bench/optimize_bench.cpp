// What optimize takes for a matrix that lies in the memory of a GPU, and its parts.
//
//   optimize_bench                                        on the GPU where there is one, else on the emulator
//   optimize_bench --seconds=0.05 --float gen:rmat,scale=20 file.mtx.gz
//   optimize_bench --calls gen:stencil2d5,n=300           instead: every call of the CUDA runtime of one optimize
//
// Columns: optimize in us; of it analyzing, choosing from the facts and building what was chosen, each called alone;
// one product by it, warm; optimize over a product (from 30 M entries on to stay below 10); the least of what
// cuSPARSE's planned products take to be planned, with the matrix there (op), and optimize over that (from 4 M entries
// on to stay below 1).
#include <algorithm>
#include <string>
#include <vector>

#include <heddle/heddle.hpp>

#include "built_with.hpp"
#include "call_trace.hpp"
#include "core/check.hpp"
#include "core/gpu.hpp"
#include "machine/timing.hpp"
#include "peers/peers.hpp"
#include "program.hpp"

namespace heddle {
namespace {

struct Settings {
  Device device = gpu_available() ? Device::gpu() : Device::emulator();
  std::vector<std::string> matrices;
  double seconds = 0.05;
  bool floats = true, doubles = true, peers = true, calls = false;
};

const std::vector<std::string> classes{"gen:stencil2d5,n=32",
                                       "gen:stencil2d5,n=200",
                                       "gen:stencil3d7,n=64,coefficients=varying",
                                       "gen:stencil3d27,n=50",
                                       "gen:fem,n=18,dof=3",
                                       "gen:circuit,rows=170000",
                                       "gen:mesh,rows=121192",
                                       "gen:sparse_rows",
                                       "gen:fem,n=64,dof=3",
                                       "gen:random,rows=1000000,cols=1000000,per_row=16",
                                       "gen:random,rows=8000000,cols=8000000,per_row=8",
                                       "gen:rmat,scale=20,edges=16",
                                       "gen:rmat,scale=22,edges=16"};

// Median seconds, the device waited for.
template <class F>
double seconds_of(const Settings& settings, const F& work) {
  return time_calls(settings.seconds,
                    [&] {
                      work();
                      if (!settings.device.host_memory()) gpu::synchronize({});
                    })
      .median;
}

template <class V>
double product_seconds(const Settings& settings, const Operator<V>& op) {
  const Buffer<V> x = Buffer<V>::copy_of(std::vector<V>(static_cast<std::size_t>(op.cols()), V(1)), settings.device);
  Buffer<V> y(op.rows(), settings.device);
  return time_multiply<V>(op, x, y, settings.seconds, false).median;
}

// Of the planned products the one that is planned sooner; 0: there is none.
template <class V>
double peer_seconds(const Settings& settings, const Csr<V>& A) {
  constexpr int repeats = 5;
  double least = 0;
  const Buffer<V> x = Buffer<V>::copy_of(std::vector<V>(static_cast<std::size_t>(A.cols), V(1)), settings.device);
  Buffer<V> y(A.rows, settings.device);
  for (const std::string& name : bench::peer_names(settings.device)) try {
      if (!name.starts_with("cusparse:op_")) continue;
      std::vector<double> samples;
      for (int i = 0; i < repeats; ++i) {
        const auto peer = bench::make_peer<V>(name, settings.device);
        peer->prepare(A.view(), x, y);
        samples.push_back(peer->planning_seconds());
      }
      const double seconds = summary(samples).median;
      least = least > 0 ? std::min(least, seconds) : seconds;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unavailable) throw;
    }
  return least;
}

template <class V>
void measure(const Settings& settings, const std::string& matrix, const Csr<V>& A) {
  const Csr<V> there = A.to(settings.device);
  const ChooseOptions options{.device = settings.device};
  if (settings.calls) {
    fmt::print("{} {}\n", matrix, sizeof(V) == 8 ? "f64" : "f32");
#ifdef HEDDLE_HAS_CUDA
    CallTrace::print([&] { optimize(there, options); });
#endif
    return;
  }
  const Machine& machine = this_machine(settings.device);
  const Structure facts = analyze(there, Detail::planning);
  const Plan chosen = choose(facts, machine, options, sizeof(V)).plan;
  const Operator<V> op = optimize(there, options);
  const auto us = [&](const auto& work) { return 1e6 * seconds_of(settings, work); };
  const double all = us([&] { optimize(there, options); }), analyzing = us([&] { analyze(there, Detail::planning); }),
               choosing = us([&] { choose(facts, machine, options, sizeof(V)); }),
               building = us([&] { build(there, chosen, {settings.device}); }),
               product = 1e6 * product_seconds(settings, op),
               peer = settings.peers ? 1e6 * peer_seconds(settings, A) : 0;
  fmt::print("{:46}{:>4}{:10}{:10.1f}{:10.1f}{:8.1f}{:10.1f}{:9.1f}{:8.1f}{:>10}{:>7}   {}\n", matrix,
             sizeof(V) == 8 ? "f64" : "f32", A.nnz(), all, analyzing, choosing, building, product, all / product,
             peer > 0 ? fmt::format("{:.1f}", peer) : "-", peer > 0 ? fmt::format("{:.2f}", all / peer) : "-",
             to_string(op.plan()));
  std::fflush(stdout);
}

Settings read(const Words& words) {
  Settings settings;
  settings.device = words.device(settings.device);
  settings.seconds = words.number("--seconds=", settings.seconds);
  if (words.has("--float")) settings.doubles = false;
  if (words.has("--double")) settings.floats = false;
  settings.peers = !words.has("--no-peers");
  settings.calls = words.has("--calls");
  check(!settings.calls || settings.device.kind == Device::Kind::gpu, ErrorKind::usage,
        "--calls lists calls of the CUDA runtime: it needs a GPU, and {} is none", to_string(settings.device));
  settings.matrices = words.matrices.empty() ? classes : words.matrices;
  return settings;
}

void table(const Settings& settings) {
  if (!settings.calls)
    fmt::print("{}\n{:46}{:>4}{:>10}{:>10}{:>10}{:>8}{:>10}{:>9}{:>8}{:>10}{:>7}   plan\n",
               describe(settings.device).name, "matrix", "", "entries", "optimize", "analyze", "choose", "build",
               "product", "over", "op", "over");
  for (const std::string& matrix : settings.matrices) {
    const Csr<double> A = read_matrix(matrix);
    if (settings.floats) measure<float>(settings, matrix, convert<float>(A.view()));
    if (settings.doubles) measure<double>(settings, matrix, A);
  }
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  return heddle::run_program("optimize_bench", argc, argv,
                             {"--device=", "--seconds=", "--float", "--double", "--no-peers", "--calls"},
                             [](const heddle::Words& words) { heddle::table(heddle::read(words)); });
}
