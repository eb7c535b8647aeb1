// What it costs to choose a plan for the CPU, against multiplications by the matrix.
//
//   choose_bench                                             sixteen matrices of 0.2 to 5 million entries
//   choose_bench --seconds=0.05 gen:mesh,rows=50k file.mtx
//   choose_bench --overlap                                   products that begin before the plan is chosen
//
// Columns: entries; analyze for planning, choose(A) (analyze for a CPU, and predict), a product by csr, one by the
// chosen plan and its build, in us; the first two and the last over the product by csr.
// --overlap: n products with all that is done before and meanwhile, in products by csr: by csr, by optimize, by
// Overlapped.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <heddle/heddle.hpp>

#include "core/stopwatch.hpp"
#include "machine/timing.hpp"
#include "program.hpp"

namespace heddle {
namespace {

const std::vector<std::string> classes{"gen:stencil3d7,n=33",
                                       "gen:stencil3d7,n=55",
                                       "gen:stencil2d5,n=700",
                                       "gen:stencil2d5,n=1000,coefficients=varying",
                                       "gen:elasticity,nx=30,ny=12,nz=12",
                                       "gen:fem,n=19,dof=5",
                                       "gen:band,rows=300k,width=7",
                                       "gen:mesh,rows=50k",
                                       "gen:circuit,rows=200k",
                                       "gen:random,rows=100k,per_row=20",
                                       "gen:rmat,scale=17",
                                       "gen:web,rows=300k",
                                       "gen:road,rows=400k",
                                       "gen:arrow,rows=500k",
                                       "gen:lp,rows=1000,cols=90k,per_row=400",
                                       "gen:dense,rows=1500"};

template <class V>
double product_us(const Csr<V>& A, const Plan& plan, double seconds) {
  const auto op = build(A, plan, {Device::cpu()});
  Buffer<V> x(A.cols), y(A.rows);
  std::fill(x.begin(), x.end(), V(1));
  return 1e6 * time_multiply<V>(op, x, y, seconds, false).median;
}

template <class V>
void measure(const std::string& matrix, double seconds) {
  const Csr<V> A = convert<V>(read_matrix(matrix).view());
  const ChooseOptions on_cpu{.device = Device::cpu()};
  const Plan plan = choose(A, on_cpu).plan;
  const auto us = [&](const auto& call) { return 1e6 * time_calls(seconds, call).median; };
  const double analyzing = us([&] { analyze(A.view(), Detail::planning); }), choosing = us([&] { choose(A, on_cpu); }),
               building = us([&] { build(A, plan, {Device::cpu()}); }), csr = product_us(A, Plan{}, seconds),
               chosen = product_us(A, plan, seconds);
  fmt::print("{:44}{:>4}{:10}{:10.0f}{:10.0f}{:10.1f}{:10.1f}{:10.0f}{:9.1f}{:9.1f}{:9.1f}   {}\n", matrix,
             sizeof(V) == 8 ? "f64" : "f32", A.nnz(), analyzing, choosing, csr, chosen, building, analyzing / csr,
             choosing / csr, building / csr, to_string(plan));
  std::fflush(stdout);
}

// The least of three: from the matrix to the last of n products. `make` gives something that multiplies.
template <class V, class F>
double total_us(std::int64_t n, const Csr<V>& A, F&& make) {
  Buffer<V> x(A.cols), y(A.rows);
  std::fill(x.begin(), x.end(), V(1));
  double best = HUGE_VAL;
  for (int round = 0; round < 3; ++round) {
    const double seconds = seconds_of([&] {
      const auto op = make();
      for (std::int64_t i = 0; i < n; ++i) op.multiply(x, y);
    });
    best = std::min(best, 1e6 * seconds);
  }
  return best;
}

template <class V>
void measure_overlap(const std::string& matrix, double seconds) {
  const Csr<V> A = convert<V>(read_matrix(matrix).view());
  const ChooseOptions on_cpu{.device = Device::cpu()};
  const double csr = product_us(A, Plan{}, seconds);
  fmt::print("{:44}{:>4}{:10}", matrix, sizeof(V) == 8 ? "f64" : "f32", A.nnz());
  for (const std::int64_t n : {1, 10, 100, 1000}) {
    const double by_csr = total_us(n, A, [&] { return build(A, {}, {Device::cpu()}); }),
                 chosen = total_us(n, A, [&] { return optimize(A, on_cpu); }),
                 overlapped = total_us(n, A, [&] { return Overlapped<V>(A, on_cpu); });
    fmt::print("{:10.1f}{:8.1f}{:8.1f}", by_csr / csr, chosen / csr, overlapped / csr);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void table_of_overlap(const Words& words, double seconds) {
  fmt::print("{:44}{:>4}{:>10}", "matrix", "", "entries");
  for (const int n : {1, 10, 100, 1000}) fmt::print("{:>10}{:>8}{:>8}", fmt::format("{} csr", n), "chosen", "overlap");
  fmt::print("\n");
  for (const std::string& matrix : words.matrices.empty() ? classes : words.matrices) {
    measure_overlap<float>(matrix, seconds);
    measure_overlap<double>(matrix, seconds);
  }
}

void table(const Words& words) {
  const double seconds = words.number("--seconds=", 0.05);
  fmt::print("{}, {} threads\n", describe(Device::cpu()).name, threads());
  if (words.has("--overlap")) return table_of_overlap(words, seconds);
  fmt::print("{:44}{:>4}{:>10}{:>50}{:>27}\n", "", "", "", "us", "over a product by csr");
  fmt::print("{:44}{:>4}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}{:>9}{:>9}{:>9}   plan\n", "matrix", "", "entries",
             "analyze", "choose", "csr", "chosen", "build", "analyze", "choose", "build");
  for (const std::string& matrix : words.matrices.empty() ? classes : words.matrices) {
    measure<float>(matrix, seconds);
    measure<double>(matrix, seconds);
  }
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  return heddle::run_program("choose_bench", argc, argv, {"--seconds=", "--overlap"}, heddle::table);
}
