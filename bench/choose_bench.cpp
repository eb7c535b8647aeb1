// What it costs to choose a plan for the CPU, against multiplications by the matrix.
//
//   choose_bench                                             sixteen matrices of 0.2 to 5 million entries
//   choose_bench --seconds=0.05 gen:mesh,rows=50k file.mtx
//
// Columns: entries; analyze for planning, choose(A) (analyze for a CPU, and predict), a product by csr, one by the
// chosen plan and its build, in us; the first two and the last over the product by csr.
#include <algorithm>
#include <string>
#include <vector>

#include <heddle/heddle.hpp>

#include "plan/timing.hpp"
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
  const auto op = build(A, plan);
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
               building = us([&] { build(A, plan); }), csr = product_us(A, Plan{}, seconds),
               chosen = product_us(A, plan, seconds);
  fmt::print("{:44}{:>4}{:10}{:10.0f}{:10.0f}{:10.1f}{:10.1f}{:10.0f}{:9.1f}{:9.1f}{:9.1f}   {}\n", matrix,
             sizeof(V) == 8 ? "f64" : "f32", A.nnz(), analyzing, choosing, csr, chosen, building, analyzing / csr,
             choosing / csr, building / csr, to_string(plan));
  std::fflush(stdout);
}

void table(const Words& words) {
  const double seconds = words.number("--seconds=", 0.05);
  fmt::print("{}, {} threads\n", describe(Device::cpu()).name, threads());
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
  return heddle::run_program("choose_bench", argc, argv, {"--seconds="}, heddle::table);
}
