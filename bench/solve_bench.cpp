// Conjugate gradients, time per iteration, on symmetric positive definite matrices of more than 100,000 rows.
//
//   solve_bench                     CPU: the chosen plan against Eigen and PETSc, what is found of them, with the same
//                                   preconditioner and the same norm; first one core each, then all cores
//   solve_bench --device=gpu        GPU: our fastest plan against cuSPARSE's best SpMV with cuBLAS
//   solve_bench --device=gpu --graph=on
//                                   ... with iterations replayed as a CUDA graph; off: never; without it by the size
//   solve_bench --to=1e-8           CPU or GPU: set-up and time to this residual with each preconditioner, no peers
//   ... gen:stencil3d7,n=64 M.mtx   these matrices instead of the list
//
// The libraries are timed in turn, in rounds, with a rest before each. A ratio is the peer's time over ours, from the
// medians over the rounds; "rounds" is its least and largest value in a single round. With one thread the times are the
// processor's. PETSc has one core per process of MPI and here one process: its time is that of one core in both halves.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <thread>

#include <heddle/heddle.hpp>

#include "bench/timing.hpp"
#include "solve_peers.hpp"

namespace heddle {

double bench::seconds_now() {
  timespec now{};
  clock_gettime(threads() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

namespace {

const std::vector<std::string> usual = {"gen:stencil2d5,n=1000",
                                        "gen:stencil3d7,n=64",
                                        "gen:stencil3d7,n=120",
                                        "gen:stencil3d27,n=70",
                                        "gen:elasticity,nx=60,ny=32,nz=32",
                                        "gen:stencil2d9,n=500,coefficients=varying"};

struct Arguments {
  Device device;
  int iterations = 0;
  Graph graph = Graph::where_faster;
  double to = 0;  // 0: time per iteration, against peers
  std::vector<std::string> matrices;
};

// Seconds per iteration of ours: a tolerance out of reach, so that all of them are done. On the CPU with everything
// around them, as the peers are timed.
double ours(const Operator<double>& op, const Csr<double>& A, std::span<const double> b, std::span<double> x,
            const std::string& preconditioner, int iterations, Graph graph = Graph::where_faster) {
  const Buffer<double> zero_here = [&] {
    Buffer<double> zeros(A.rows);
    std::fill(zeros.begin(), zeros.end(), 0.0);
    return zeros;
  }();
  memory::copy(x.data(), op.device(), zero_here.data(), Device::cpu(), x.size_bytes());
  const double begun = bench::seconds_now();
  const Report report = solve(op, b, x,
                              {.method = "cg",
                               .preconditioner = preconditioner,
                               .tolerance = 1e-300,
                               .max_iterations = iterations,
                               .graph = graph,
                               .matrix = &A});
  const double seconds = op.device().kind == Device::Kind::cpu ? bench::seconds_now() - begun : report.seconds;
  return seconds / static_cast<double>(std::max<std::int64_t>(1, report.iterations));
}

Buffer<double> some_right_hand_side(std::int64_t n) {
  Buffer<double> b(n);
  for (std::int64_t i = 0; i < n; ++i) b[i] = 1 + static_cast<double>(i * 37 % 101) / 101;
  return b;
}

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

struct Opponent {
  std::string name;
  double seconds = 0;              // an iteration
  double lowest = 0, highest = 0;  // its time over ours in a single round
};

struct Duel {
  double ours = 0;
  std::vector<Opponent> peers;
};

using CgPeers = std::vector<std::unique_ptr<bench::CgPeer>>;

template <class Ours>
Duel duel(Ours ours_once, const CgPeers& peers, std::span<const double> b, std::span<double> x, int iterations,
          int rounds) {
  std::vector<double> mine;
  std::vector<std::vector<double>> theirs(peers.size());
  for (int round = 0; round < rounds; ++round) {
    rest();
    mine.push_back(ours_once());
    for (std::size_t i = 0; i < peers.size(); ++i) {
      rest();
      theirs[i].push_back(peers[i]->seconds_per_iteration(b, x, iterations));
    }
  }
  Duel made{bench::summary(mine).median, {}};
  for (std::size_t i = 0; i < peers.size(); ++i) {
    Opponent opponent{peers[i]->name(), bench::summary(theirs[i]).median, HUGE_VAL, 0};
    for (std::size_t round = 0; round < mine.size(); ++round) {
      opponent.lowest = std::min(opponent.lowest, theirs[i][round] / mine[round]);
      opponent.highest = std::max(opponent.highest, theirs[i][round] / mine[round]);
    }
    made.peers.push_back(opponent);
  }
  return made;
}

// The fastest of the plans that fit, by a short run of each.
Operator<double> fastest(const Csr<double>& A, Device device, std::span<const double> b, std::span<double> x,
                         int iterations) {
  std::optional<Operator<double>> best;
  double least = HUGE_VAL;
  for (const FormatInfo& format : formats()) {
    const Plan plan{format.name, {}};
    if (!footprint(A.view(), plan).fits) continue;
    Operator<double> op = build(A, plan, {.device = device});
    ours(op, A, b, x, "none", 2);
    const double seconds = ours(op, A, b, x, "none", iterations);
    if (seconds < least) least = seconds, best.emplace(std::move(op));
  }
  return std::move(*best);
}

void print_header(const Arguments& arguments) {
  fmt::print("\n{}, {} thread{}, cg, double\n{:44}{:>10}{:>12}  {:10}{:26}{:>10}   {}\n",
             describe(arguments.device).name, threads(), threads() == 1 ? "" : "s", "matrix", "rows", "entries",
             "precond", "plan", "ours us", "peer us, ratio, rounds");
}

void print_line(const std::string& name, const Csr<double>& A, const std::string& preconditioner, const Plan& plan,
                const Duel& d) {
  fmt::print("{:44}{:10}{:12}  {:10}{:26}{:10.1f}", name.substr(name.rfind('/') + 1), A.rows, A.nnz(), preconditioner,
             to_string(plan), d.ours * 1e6);
  for (const Opponent& peer : d.peers)
    fmt::print(" | {} {:.1f}  {:.2f}  {:.2f} .. {:.2f}", peer.name, peer.seconds * 1e6, peer.seconds / d.ours,
               peer.lowest, peer.highest);
  fmt::print("\n");
  std::fflush(stdout);
}

CgPeers cpu_peers(const CsrView<double>& A, bool jacobi) {
  CgPeers peers;
  if (bench::has_eigen_cg()) peers.push_back(bench::make_eigen_cg(A, jacobi));
  if (bench::has_petsc_cg()) peers.push_back(bench::make_petsc_cg(A, jacobi));
  return peers;
}

// Geometric means over the lines, by peer.
class Summary {
 public:
  void add(const Duel& line) {
    for (const Opponent& peer : line.peers) logs_[peer.name].push_back(std::log(peer.seconds / line.ours));
  }
  void print() const {
    for (const auto& [name, logs] : logs_)
      fmt::print("{}: geometric mean {:.2f}, least {:.2f}, over {} lines\n", name,
                 std::exp(std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size())),
                 std::exp(*std::min_element(logs.begin(), logs.end())), logs.size());
  }

 private:
  std::map<std::string, std::vector<double>> logs_;
};

void against_cpu_peers(const Arguments& arguments) {
  print_header(arguments);
  Summary summary;
  const int iterations = arguments.iterations > 0 ? arguments.iterations : 40;
  for (const std::string& name : arguments.matrices) {
    const Csr<double> A = read_matrix(name);
    const Buffer<double> b = some_right_hand_side(A.rows);
    Buffer<double> x(A.rows), y(A.rows);
    const Operator<double> op = optimize(A, {.device = arguments.device});
    for (const char* preconditioner : {"none", "jacobi"}) {
      const CgPeers peers = cpu_peers(A.view(), std::string_view(preconditioner) == "jacobi");
      const Duel line = duel([&] { return ours(op, A, b, x, preconditioner, iterations); }, peers, b, y, iterations, 7);
      print_line(name, A, preconditioner, op.plan(), line);
      summary.add(line);
    }
  }
  summary.print();
}

void on_one_core_then_all(const Arguments& arguments) {
  const int all = threads();
  set_threads(1);
  against_cpu_peers(arguments);
  set_threads(0);
  if (all > 1) against_cpu_peers(arguments);
}

void against_cusparse(const Arguments& arguments) {
  print_header(arguments);
  const int iterations = arguments.iterations > 0 ? arguments.iterations : 400;
  for (const std::string& name : arguments.matrices) {
    const Csr<double> A = read_matrix(name);
    const Buffer<double> b = some_right_hand_side(A.rows).to(arguments.device);
    Buffer<double> x(A.rows, arguments.device), y(A.rows, arguments.device);
    const Operator<double> op = fastest(A, arguments.device, b, x, 60);
    for (const char* preconditioner : {"none", "jacobi"}) {
      CgPeers peer;
      peer.push_back(bench::make_cusparse_cg(A.view(), std::string_view(preconditioner) == "jacobi"));
      peer.front()->seconds_per_iteration(b, y, 20);
      const Duel line = duel([&] { return ours(op, A, b, x, preconditioner, iterations, arguments.graph); }, peer, b, y,
                             iterations, 5);
      print_line(name, A, preconditioner, op.plan(), line);
    }
  }
}

// ------------------------------------------------------------------------------------------------ time to solution

struct Course {
  std::string name;
  double setup = 0, seconds = 0;  // medians
  Report report;
};

Course course(const Operator<double>& op, const Csr<double>& A, std::span<const double> b, const std::string& name,
              const Arguments& arguments) {
  constexpr int rounds = 5;
  std::vector<double> setups, solves;
  Course made;
  for (int round = 0; round < rounds; ++round) {
    Buffer<double> zeros(A.rows);
    std::fill(zeros.begin(), zeros.end(), 0.0);
    Buffer<double> x = zeros.to(op.device());
    rest();
    const double begun = bench::seconds_now();
    const auto preconditioner = make_preconditioner(name, op, A);
    const double ready = bench::seconds_now();
    made.report = solve(op, b, x.span(),
                        {.method = "cg",
                         .own_preconditioner = preconditioner,
                         .tolerance = arguments.to,
                         .graph = arguments.graph,
                         .matrix = &A});
    solves.push_back(bench::seconds_now() - ready);
    setups.push_back(ready - begun);
  }
  made.name = made.report.preconditioner;
  made.setup = bench::summary(setups).median;
  made.seconds = bench::summary(solves).median;
  return made;
}

void to_the_tolerance(const Arguments& arguments) {
  fmt::print(
      "\n{}, {} threads, cg until {:g}, double; medians of 5, times in ms\n{:44}{:>10}  "
      "{:28}{:>11}{:>10}{:>10}{:>10}\n",
      describe(arguments.device).name, threads(), arguments.to, "matrix", "rows", "preconditioner", "iterations",
      "set-up", "solve", "both");
  for (const std::string& name : arguments.matrices) {
    const Csr<double> A = read_matrix(name);
    const Buffer<double> b = some_right_hand_side(A.rows).to(arguments.device);
    const Operator<double> op = optimize(A, {.device = arguments.device});
    for (const char* preconditioner : {"jacobi", "chebyshev", "fsai", "amg"}) {
      const Course c = course(op, A, b, preconditioner, arguments);
      fmt::print("{:44}{:10}  {:28}{:>11}{:10.2f}{:10.2f}{:10.2f}{}\n", name.substr(name.rfind('/') + 1), A.rows,
                 c.name, c.report.iterations, c.setup * 1e3, c.seconds * 1e3, (c.setup + c.seconds) * 1e3,
                 c.report.converged() ? "" : fmt::format("  {}", name_of(c.report.status)));
      std::fflush(stdout);
    }
  }
}

Arguments parse(std::span<char*> words) {
  Arguments made;
  for (const std::string_view word : words) {
    if (word.starts_with("--device="))
      made.device = Device::parse(word.substr(9));
    else if (word.starts_with("--iterations="))
      made.iterations = std::atoi(word.substr(13).data());
    else if (word == "--graph=on" || word == "--graph=off")
      made.graph = word == "--graph=on" ? Graph::on : Graph::off;
    else if (word.starts_with("--to="))
      made.to = std::atof(word.substr(5).data());
    else
      made.matrices.emplace_back(word);
  }
  if (made.matrices.empty()) made.matrices = usual;
  return made;
}

int run(const Arguments& arguments) {
  if (arguments.to > 0) {
    to_the_tolerance(arguments);
    return 0;
  }
  const bool gpu = arguments.device.kind == Device::Kind::gpu;
  if (!(gpu ? bench::has_cusparse_cg() : bench::has_eigen_cg() || bench::has_petsc_cg())) {
    fmt::print("this build has no {} to compare with\n", gpu ? "cuSPARSE and cuBLAS" : "Eigen or PETSc");
    return 0;
  }
  if (!gpu && !bench::has_petsc_cg()) fmt::print("without PETSc: its headers or its library were not found\n");
  gpu ? against_cusparse(arguments) : on_one_core_then_all(arguments);
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  try {
    return heddle::run(heddle::parse(std::span(argv + 1, static_cast<std::size_t>(argc - 1))));
  } catch (const std::exception& error) {
    fmt::print(stderr, "solve_bench: {}\n", error.what());
    return 2;
  }
}
