// Our plan against every peer of the CPU (Eigen, librsb, GraphBLAS, PETSc, MKL: what is found), on one matrix of every
// generated class and on files, float and double. Each library is timed in blocks of its own with a rest before each:
// called in turns on 2 cores, csr seemed about twice as slow as alone on some classes (probably because OpenMP's
// threads spin for a while after their work; not proven). The time of a round is its best call, so that other work on
// the machine counts little, and of all rounds the median is shown. The ratio is the median of the best peer's time /
// ours, both of one round, and "rounds" its least and largest value, to be read before the ratio is believed: on a
// machine with other work they are far apart, and the best calls of all rounds are those of different minutes. "one
// core" is the ratio with our plan on one thread, against the best of the peers that have one thread by their nature or
// by name.
//
//   spmv_bench                    csr; exit code 1 when a ratio is below 1 - tolerance
//   spmv_bench --plan=auto        the plan the planner chooses; any plan is possible
//   spmv_bench --peers=eigen --tolerance=0.05 --rounds=9 --seconds=0.05
//   spmv_bench lp web             only the classes that begin so
//   spmv_bench cant.mtx           files, and nothing else
//   spmv_bench --benchmark_...    csr and Eigen as Google Benchmark cases
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <heddle/heddle.hpp>

#include "bench/results.hpp"
#include "core/check.hpp"
#include "core/stopwatch.hpp"
#include "peers/peers.hpp"

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

struct Options {
  double tolerance = 0, seconds = 0.03;
  int rounds = 9;
  std::string plan = "csr";
  std::vector<std::string> peers{"all"}, matrices;
  bool google = false;
};

template <class V>
struct Case {
  Csr<V> A;
  bench::Reference<V> reference;
  Operator<V> ours;
  std::vector<std::unique_ptr<bench::Peer<V>>> peers;
  Buffer<V> y;

  Case(const std::string& text, const std::string& plan, const std::vector<std::string>& names)
      : A(read_matrix<V>(text)),
        reference(A.view()),
        ours(plan == "auto" ? optimize(A, {.device = Device::cpu()})
                            : build(A, Plan::parse(plan), {.device = Device::cpu()})),
        y(A.rows) {
    for (const std::string& name : bench::select_peers(names, Device::cpu()))
      if (bench::multiplies<V>(name)) add_peer(name);
    check(!peers.empty(), ErrorKind::unavailable, "no peer can hold it");
  }
  void add_peer(const std::string& name) {
    try {
      auto peer = bench::make_peer<V>(name, Device::cpu());
      peer->prepare(A.view(), reference.x(), y);
      peers.push_back(std::move(peer));
    } catch (const Error& error) {  // too large a matrix for its indices
      if (error.kind() != ErrorKind::unavailable) throw;
    }
  }
  void multiply_ours() { ours.multiply(reference.x(), y); }
  void multiply_ours_alone() {
    set_threads(1);
    multiply_ours();
    set_threads(0);
  }
};

// Seconds of the best calls in each round: of the wall clock, and of the processor in the calling thread.
struct Rounds {
  std::vector<double> wall, processor;
};

double seconds_on(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Calls that are timed together, so that reading the clocks counts little: some 20 us.
template <class F>
int calls_at_once(F call) {
  call();
  const double start = seconds_on(CLOCK_MONOTONIC);
  call();
  return static_cast<int>(std::clamp(20e-6 / (seconds_on(CLOCK_MONOTONIC) - start), 1.0, 100.0));
}

template <class F>
void time_round(double seconds, F call, Rounds& rounds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int at_once = calls_at_once(call);
  double wall = INFINITY, processor = INFINITY;
  int times = 0;
  for (const double begun = seconds_on(CLOCK_MONOTONIC); times < 3 || seconds_on(CLOCK_MONOTONIC) - begun < seconds;
       ++times) {
    const double start = seconds_on(CLOCK_MONOTONIC), used = seconds_on(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < at_once; ++i) call();
    processor = std::min(processor, (seconds_on(CLOCK_THREAD_CPUTIME_ID) - used) / at_once);
    wall = std::min(wall, (seconds_on(CLOCK_MONOTONIC) - start) / at_once);
  }
  rounds.wall.push_back(wall);
  rounds.processor.push_back(processor);
}

struct Line {
  double ours = 0, peer = 0;                  // seconds
  double lowest = 0, ratio = 0, highest = 0;  // of single rounds
  double one_core = 0;                        // ratio of processor time, one thread each; NaN without such a peer
  std::string winner;                         // among the peers
};

double best_of(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

template <class V>
double best_alone(const Case<V>& c, const std::vector<Rounds>& peers) {
  double best = NAN;
  for (std::size_t i = 0; i < peers.size(); ++i)
    if (c.peers[i]->name().ends_with("one_thread")) best = std::fmin(best, best_of(peers[i].processor));
  return best;
}

template <class V>
Line duel(Case<V>& c, const Options& options) {
  Rounds ours, alone;
  std::vector<Rounds> peers(c.peers.size());
  for (int round = 0; round < options.rounds; ++round) {
    time_round(
        options.seconds, [&] { c.multiply_ours(); }, ours);
    time_round(
        options.seconds, [&] { c.multiply_ours_alone(); }, alone);
    for (std::size_t i = 0; i < peers.size(); ++i)
      time_round(
          options.seconds, [&] { c.peers[i]->multiply({}); }, peers[i]);
  }
  std::size_t first = 0;
  for (std::size_t i = 1; i < peers.size(); ++i)
    if (median(peers[i].wall) < median(peers[first].wall)) first = i;
  std::vector<double> ratios;
  for (std::size_t round = 0; round < ours.wall.size(); ++round)
    ratios.push_back(peers[first].wall[round] / ours.wall[round]);
  const auto [lowest, highest] = std::minmax_element(ratios.begin(), ratios.end());
  const double one_core = best_alone(c, peers) / best_of(alone.processor);
  return {median(ours.wall), median(peers[first].wall), *lowest, median(ratios), *highest,
          one_core,          c.peers[first]->name()};
}

// Layout and codec, without the rest of a plan's settings.
std::string short_text(const Plan& plan) {
  std::string text = plan.format;
  for (const char* key : {"layout", "values", "block", "r", "c"})
    if (const std::string* value = plan.find(key); value && *value != "raw") text += " " + *value;
  return text;
}

template <class V>
int table(const Options& options) {
  int below = 0;
  double logs = 0, lowest = INFINITY;
  fmt::print("\n{}, {} threads\n{:44}{:>10}{:>9}  {:26}{:>11}{:>11}  {:22}{:>7}{:>16}{:>10}\n",
             sizeof(V) == 8 ? "double" : "float", threads(), "matrix", "entries", "per row", "plan", "us", "peer us",
             "peer", "ratio", "rounds", "one core");
  int done = 0;
  for (const std::string& text : options.matrices) try {
      Case<V> c(text, options.plan, options.peers);
      const Line line = duel(c, options);
      ++done;
      const bool slow = line.ratio < 1 - options.tolerance;
      below += slow;
      logs += std::log(line.ratio);
      lowest = std::min(lowest, line.ratio);
      const auto name = text.substr(text.starts_with("gen:") ? 4 : text.rfind('/') + 1);
      fmt::print("{:44}{:10}{:9.1f}  {:26}{:11.1f}{:11.1f}  {:22}{:7.2f}{:7.2f} ..{:6.2f}{:10.2f}{}\n", name, c.A.nnz(),
                 static_cast<double>(c.A.nnz()) / static_cast<double>(c.A.rows), short_text(c.ours.plan()),
                 line.ours * 1e6, line.peer * 1e6, line.winner, line.ratio, line.lowest, line.highest, line.one_core,
                 slow ? "  slower" : "");
      std::fflush(stdout);
    } catch (const Error& error) {
      fmt::print("left out: {}\n", error.what());
    }
  fmt::print("geometric mean {:.2f}, least {:.2f}, over {} matrices\n", std::exp(logs / std::max(1, done)), lowest,
             done);
  return below;
}

template <class V>
void register_cases(const char* precision) {
  for (const char* text : classes)
    for (const bool ours : {true, false})
      benchmark::RegisterBenchmark(fmt::format("{}/{}/{}", ours ? "csr" : "eigen", precision, text).c_str(),
                                   [text, ours](benchmark::State& state) {
                                     Case<V> c(fmt::format("gen:{}", text), "csr", {"eigen"});
                                     for (auto _ : state) ours ? c.multiply_ours() : c.peers.front()->multiply({});
                                     state.SetItemsProcessed(state.iterations() * c.A.nnz());
                                   })
          ->UseRealTime();
}

Options parse(int argc, char** argv) {
  Options options;
  std::vector<std::string> starts;
  for (const std::string word : std::span(argv + 1, static_cast<std::size_t>(argc - 1))) {
    const auto value = [&](const char* key) { return word.starts_with(key) ? word.substr(std::strlen(key)) : ""; };
    if (const std::string v = value("--tolerance="); !v.empty()) options.tolerance = std::stod(v);
    if (const std::string v = value("--seconds="); !v.empty()) options.seconds = std::stod(v);
    if (const std::string v = value("--rounds="); !v.empty()) options.rounds = std::max(1, std::stoi(v));
    if (const std::string v = value("--plan="); !v.empty()) options.plan = v;
    if (const std::string v = value("--peers="); !v.empty()) options.peers = {v};
    options.google = options.google || word.starts_with("--benchmark");
    if (word.starts_with("--")) continue;
    const bool is_file = word.find(".mtx") != std::string::npos || word.find(".hdl") != std::string::npos;
    (is_file || word.starts_with("gen:") ? options.matrices : starts).push_back(word);
  }
  const auto wanted = [&](const std::string& text) {
    return starts.empty() ? options.matrices.empty()
                          : std::ranges::any_of(starts, [&](const auto& start) { return text.starts_with(start); });
  };
  std::vector<std::string> generated;
  for (const char* text : classes)
    if (wanted(text)) generated.push_back(fmt::format("gen:{}", text));
  options.matrices.insert(options.matrices.begin(), generated.begin(), generated.end());
  return options;
}

int run(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (bench::select_peers(options.peers, Device::cpu()).empty()) {
    fmt::print("this build has no library to compare with\n");
    return 0;
  }
  if (!options.google) return table<double>(options) + table<float>(options) > 0 ? 1 : 0;
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
