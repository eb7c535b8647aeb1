// csr on all cores against Eigen, on one matrix of every generated class, float and double. Each library is timed in
// blocks of its own with a rest before each: called in turns on 2 cores, csr seemed about twice as slow as alone on
// some classes (probably because OpenMP's threads spin for a while after their work; not proven). The ratio (Eigen's
// time / ours) is that of the medians over all rounds; "rounds" is its least and largest value in a single round, to be
// looked at before the ratio is believed: on a machine with other work they are far apart.
//
//   spmv_bench                    the table; exit code 1 when a ratio is below 1 - tolerance
//   spmv_bench --tolerance=0.05
//   spmv_bench lp web             only the classes that begin so
//   spmv_bench --benchmark_...    the same products as Google Benchmark cases
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include <heddle/heddle.hpp>

#include "bench/peers.hpp"
#include "bench/results.hpp"
#include "bench/timing.hpp"

namespace heddle {
namespace {

constexpr const char* classes[] = {"stencil2d5,n=1000",
                                   "stencil2d9,n=800",
                                   "stencil3d7,n=90",
                                   "stencil3d27,n=60",
                                   "fem,n=24,dof=3",
                                   "elasticity,nx=40,ny=24,nz=24",
                                   "qcd,l=8",
                                   "band,rows=400000,width=20",
                                   "random,rows=300000,cols=300000,per_row=16",
                                   "rmat,scale=18,edges=16",
                                   "circuit,rows=600000",
                                   "web",
                                   "road",
                                   "lp",
                                   "dense,rows=2000",
                                   "arrow,rows=1000000",
                                   "lengths,rows=200000",
                                   "tomography"};

template <class V>
struct Case {
  Csr<V> A;
  bench::Reference<V> reference;
  Operator<V> ours;
  std::unique_ptr<bench::Peer<V>> peer;
  Buffer<V> y;

  explicit Case(const std::string& text)
      : A(generate<V>(text)),
        reference(A.view()),
        ours(build(A, Plan{})),
        peer(bench::make_peer<V>("eigen", Device::cpu())),
        y(A.rows) {
    peer->prepare(A.view(), reference.x(), y);
  }
  void multiply_ours() { ours.multiply(reference.x(), y); }
  void multiply_peer() { peer->multiply({}); }
};

struct Line {
  double ours, peer;       // seconds, median over rounds
  double lowest, highest;  // ratio of a single round
};

template <class F>
double rested(F call) {
  constexpr double seconds = 0.05;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return bench::time_calls(seconds, call).median;
}

template <class V>
Line duel(Case<V>& c) {
  constexpr int rounds = 5;
  std::vector<double> ours, peer, ratios;
  for (int round = 0; round < rounds; ++round) {
    ours.push_back(rested([&] { c.multiply_ours(); }));
    peer.push_back(rested([&] { c.multiply_peer(); }));
    ratios.push_back(peer.back() / ours.back());
  }
  const auto [lowest, highest] = std::minmax_element(ratios.begin(), ratios.end());
  return {bench::summary(ours).median, bench::summary(peer).median, *lowest, *highest};
}

bool wanted(std::string_view text, const std::vector<std::string_view>& starts) {
  return starts.empty() || std::ranges::any_of(starts, [&](std::string_view start) { return text.starts_with(start); });
}

template <class V>
int table(double tolerance, const std::vector<std::string_view>& starts) {
  int below = 0;
  fmt::print("\n{}, {} threads\n{:44}{:>12}{:>10}{:>12}{:>12}{:>8}{:>14}\n", sizeof(V) == 8 ? "double" : "float",
             threads(), "matrix", "entries", "per row", "csr us", "eigen us", "ratio", "rounds");
  for (const char* text : classes) {
    if (!wanted(text, starts)) continue;
    Case<V> c(text);
    const Line line = duel(c);
    const double ratio = line.peer / line.ours;
    const bool slow = ratio < 1 - tolerance;
    below += slow;
    fmt::print("{:44}{:12}{:10.1f}{:12.1f}{:12.1f}{:8.2f}{:7.2f} ..{:5.2f}{}\n", text, c.A.nnz(),
               static_cast<double>(c.A.nnz()) / static_cast<double>(c.A.rows), line.ours * 1e6, line.peer * 1e6, ratio,
               line.lowest, line.highest, slow ? "  slower" : "");
    std::fflush(stdout);
  }
  return below;
}

template <class V>
void register_cases(const char* precision) {
  for (const char* text : classes)
    for (const bool ours : {true, false})
      benchmark::RegisterBenchmark(fmt::format("{}/{}/{}", ours ? "csr" : "eigen", precision, text).c_str(),
                                   [text, ours](benchmark::State& state) {
                                     Case<V> c(text);
                                     for (auto _ : state) ours ? c.multiply_ours() : c.multiply_peer();
                                     state.SetItemsProcessed(state.iterations() * c.A.nnz());
                                   })
          ->UseRealTime();
}

int run(int argc, char** argv) {
  double tolerance = 0;
  bool google = false;
  std::vector<std::string_view> starts;
  for (const std::string_view word : std::span(argv + 1, static_cast<std::size_t>(argc - 1))) {
    if (word.starts_with("--tolerance=")) tolerance = std::atof(word.substr(12).data());
    if (!word.starts_with("--")) starts.push_back(word);
    google = google || word.starts_with("--benchmark");
  }
  if (bench::peer_names(Device::cpu()).empty()) {
    fmt::print("this build has no Eigen to compare with\n");
    return 0;
  }
  if (!google) return table<double>(tolerance, starts) + table<float>(tolerance, starts) > 0 ? 1 : 0;
  register_cases<double>("f64");
  register_cases<float>("f32");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  try {
    return heddle::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "spmv_bench: {}\n", error.what());
    return 2;
  }
}
