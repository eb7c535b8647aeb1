// Conjugate gradients, time per iteration, on symmetric positive definite matrices of more than 100,000 rows.
//
//   solve_bench                     CPU: the chosen plan against Eigen, same preconditioner, all cores each
//   solve_bench --device=gpu        GPU: our fastest plan against cuSPARSE's best SpMV with cuBLAS
//   solve_bench --device=gpu --graph=on
//                                   ... with iterations replayed as a CUDA graph; off: never; without it by the size
//   ... gen:stencil3d7,n=64 M.mtx   these matrices instead of the list
//
// The libraries take turns in rounds, with a rest before each. A ratio is the peer's time over ours, from the medians
// over the rounds; "rounds" is its least and largest value in a single round.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>

#include <heddle/heddle.hpp>

#include "bench/timing.hpp"
#include "solve_peers.hpp"

namespace heddle {
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
  Graph graph = Graph::automatic;
  std::vector<std::string> matrices;
};

// Seconds per iteration of ours: a tolerance out of reach, so that all of them are done.
double ours(const Operator<double>& op, const Csr<double>& A, std::span<const double> b, std::span<double> x,
            const std::string& preconditioner, int iterations, Graph graph = Graph::automatic) {
  const Buffer<double> zero_here = [&] {
    Buffer<double> zeros(A.rows);
    std::fill(zeros.begin(), zeros.end(), 0.0);
    return zeros;
  }();
  memory::copy(x.data(), op.device(), zero_here.data(), Device::cpu(), x.size_bytes());
  const Report report = solve(op, b, x,
                              {.method = "cg",
                               .preconditioner = preconditioner,
                               .tolerance = 1e-300,
                               .max_iterations = iterations,
                               .graph = graph,
                               .matrix = &A});
  return report.seconds / static_cast<double>(std::max<std::int64_t>(1, report.iterations));
}

Buffer<double> some_right_hand_side(std::int64_t n) {
  Buffer<double> b(n);
  for (std::int64_t i = 0; i < n; ++i) b[i] = 1 + static_cast<double>(i * 37 % 101) / 101;
  return b;
}

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

struct Duel {
  double ours, peer, lowest, highest;
};

template <class Ours, class Peer>
Duel duel(Ours one, Peer other, int rounds) {
  std::vector<double> mine, theirs, ratios;
  for (int round = 0; round < rounds; ++round) {
    rest();
    mine.push_back(one());
    rest();
    theirs.push_back(other());
    ratios.push_back(theirs.back() / mine.back());
  }
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  return {bench::summary(mine).median, bench::summary(theirs).median, *low, *high};
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

void print_header(const Arguments& arguments, const char* peer) {
  fmt::print("{}, {} threads, cg, double\n{:44}{:>10}{:>12}  {:14}{:26}{:>10}{:>12}{:>8}{:>15}\n",
             describe(arguments.device).name, threads(), "matrix", "rows", "entries", "precond", "plan", "ours us",
             peer, "ratio", "rounds");
}

void print_line(const std::string& name, const Csr<double>& A, const std::string& preconditioner, const Plan& plan,
                const Duel& d, const std::string& note) {
  fmt::print("{:44}{:10}{:12}  {:14}{:26}{:10.1f}{:12.1f}{:8.2f}{:8.2f} ..{:5.2f}  {}\n", name, A.rows, A.nnz(),
             preconditioner, to_string(plan), d.ours * 1e6, d.peer * 1e6, d.peer / d.ours, d.lowest, d.highest, note);
  std::fflush(stdout);
}

void against_eigen(const Arguments& arguments) {
  print_header(arguments, "eigen us");
  const int iterations = arguments.iterations > 0 ? arguments.iterations : 40;
  for (const std::string& name : arguments.matrices) {
    const Csr<double> A = read_matrix(name);
    const Buffer<double> b = some_right_hand_side(A.rows);
    Buffer<double> x(A.rows), y(A.rows);
    const Operator<double> op = optimize(A, {.device = arguments.device});
    for (const char* preconditioner : {"none", "jacobi"}) {
      const auto peer = bench::make_eigen_cg(A.view(), std::string_view(preconditioner) == "jacobi");
      const Duel line = duel([&] { return ours(op, A, b, x, preconditioner, iterations); },
                             [&] { return peer->seconds_per_iteration(b, y, iterations); }, 7);
      print_line(name, A, preconditioner, op.plan(), line, "");
    }
  }
}

void against_cusparse(const Arguments& arguments) {
  print_header(arguments, "cusparse us");
  const int iterations = arguments.iterations > 0 ? arguments.iterations : 400;
  for (const std::string& name : arguments.matrices) {
    const Csr<double> A = read_matrix(name);
    const Buffer<double> b = some_right_hand_side(A.rows).to(arguments.device);
    Buffer<double> x(A.rows, arguments.device), y(A.rows, arguments.device);
    const Operator<double> op = fastest(A, arguments.device, b, x, 60);
    for (const char* preconditioner : {"none", "jacobi"}) {
      const auto peer = bench::make_cusparse_cg(A.view(), std::string_view(preconditioner) == "jacobi");
      peer->seconds_per_iteration(b, y, 20);
      const Duel line = duel([&] { return ours(op, A, b, x, preconditioner, iterations, arguments.graph); },
                             [&] { return peer->seconds_per_iteration(b, y, iterations); }, 5);
      print_line(name, A, preconditioner, op.plan(), line, peer->name());
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
    else
      made.matrices.emplace_back(word);
  }
  if (made.matrices.empty()) made.matrices = usual;
  return made;
}

int run(const Arguments& arguments) {
  const bool gpu = arguments.device.kind == Device::Kind::gpu;
  if (!(gpu ? bench::has_cusparse_cg() : bench::has_eigen_cg())) {
    fmt::print("this build has no {} to compare with\n", gpu ? "cuSPARSE and cuBLAS" : "Eigen");
    return 0;
  }
  gpu ? against_cusparse(arguments) : against_eigen(arguments);
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
