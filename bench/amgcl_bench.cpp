// Set-up and solve of cg with amg until 1e-8, ours and amgcl's in turns: the least of several runs after one that is
// not timed. Built where -DHEDDLE_AMGCL=DIR names the folder that has amgcl/amg.hpp. Threads by HEDDLE_THREADS and
// OMP_NUM_THREADS.
//
//   amgcl_bench                     the CPU
//   amgcl_bench --device=gpu        a GPU: amgcl prepares on the host, and solves by cuSPARSE and Thrust
//   amgcl_bench --strength=0.03     what amgcl counts as a strong coupling: by its 0.08 a 27-point grid has none at all
//   amgcl_bench --runs=3 gen:stencil2d5,n=1000 M.mtx        these matrices instead of the list
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include <heddle/heddle.hpp>

#include "amgcl_peer.hpp"
#include "core/stopwatch.hpp"
#include "program.hpp"
#include "solve/precondition/preconditioners.hpp"

namespace heddle {

namespace {

constexpr double tolerance = 1e-8;

struct Least {
  double setup = HUGE_VAL, solve = HUGE_VAL, both = HUGE_VAL, residual = 0;
  std::int64_t iterations = 0;

  void add(double setup_seconds, double solve_seconds, std::int64_t done) {
    setup = std::min(setup, setup_seconds);
    solve = std::min(solve, solve_seconds);
    both = std::min(both, setup_seconds + solve_seconds);
    iterations = done;
  }
};

class Comparison {
 public:
  Comparison(const std::string& name, Device device, double amgcl_strength)
      : name_(name),
        device_(device),
        A_(name.starts_with("gen:") ? generate<double>(name.substr(4)) : read_matrix(name)),
        op_(optimize(A_, {.expected_multiplies = 200, .device = device})),
        b_(A_.rows),
        x_(A_.rows) {
    const int full = solve_method::nearly_full_block(A_.view());
    block_ = full > 0 && A_.rows % full == 0 ? full : 1;
    there_.emplace(A_.to(device));
    const bench::AmgclWishes wishes{block_, amgcl_strength};
    amgcl_ = device.kind == Device::Kind::gpu ? bench::make_amgcl_on_gpu(A_.view(), wishes)
                                              : bench::make_amgcl_on_cpu(A_.view(), wishes);
    for (std::int64_t i = 0; i < A_.rows; ++i)
      b_[i] = std::sin(1 + 0.7 * static_cast<double>(i) * static_cast<double>(i));
  }

  void run(int runs) {
    for (int run = 0; run <= runs; ++run) {
      run_amgcl(run > 0);
      run_ours("amg", run > 0, amg_);
      run_ours("jacobi", run > 0, jacobi_);
    }
    fmt::print("{}: {} rows, {} entries, blocks of {}\n", name_, A_.rows, A_.nnz(), block_);
    print("amgcl", amgcl_least_, nullptr);
    print("amg", amg_, &amgcl_least_);
    print("jacobi", jacobi_, &amgcl_least_);
  }

 private:
  void run_amgcl(bool counts) {
    const bench::AmgclRun found = amgcl_->run(b_, x_.span(), tolerance);
    if (counts) amgcl_least_.add(found.setup, found.solve, found.iterations);
    amgcl_least_.residual = residual();
  }
  void run_ours(const char* preconditioner, bool counts, Least& least) {
    const Buffer<double> b = b_.to(device_);
    std::fill(x_.begin(), x_.end(), 0.0);
    Buffer<double> x = x_.to(device_);
    const WallClock clock;
    const auto M = make_preconditioner(preconditioner, op_, *there_);
    if (device_.kind == Device::Kind::gpu) Buffer<int>(1, device_).to({});  // waits for what was queued
    const double setup = clock.seconds();
    const Report report =
        solve<double>(op_, b, x.span(), {.method = "cg", .own_preconditioner = M, .tolerance = tolerance});
    if (counts) least.add(setup, report.seconds, report.iterations);
    least.residual = report.true_residual;
  }
  // |b - A x| / |b| of the x on the host.
  double residual() const {
    double left = 0, all = 0;
    for (std::int64_t row = 0; row < A_.rows; ++row) {
      double sum = b_[row];
      for (Offset k = A_.ptr[row]; k < A_.ptr[row + 1]; ++k) sum -= A_.val[k] * x_[A_.col[k]];
      left += sum * sum;
      all += b_[row] * b_[row];
    }
    return std::sqrt(left / all);
  }
  void print(const char* what, const Least& m, const Least* other) const {
    fmt::print(
        "  {:7} set-up {:9.3f} ms ({:7.1f} ns a row)  solve {:9.3f} ms  both {:9.3f} ms  {:5} iterations to {:.1e}",
        what, 1e3 * m.setup, 1e9 * m.setup / static_cast<double>(A_.rows), 1e3 * m.solve, 1e3 * m.both, m.iterations,
        m.residual);
    if (other)
      fmt::print("  of amgcl's {:.2f}, {:.2f}, {:.2f}", m.setup / other->setup, m.solve / other->solve,
                 m.both / other->both);
    fmt::print("\n");
  }

  std::string name_;
  Device device_;
  Csr<double> A_;
  Operator<double> op_;
  Buffer<double> b_, x_;
  std::optional<Csr<double>> there_;
  std::unique_ptr<bench::AmgclPeer> amgcl_;
  int block_ = 1;
  Least amgcl_least_, amg_, jacobi_;
};

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  using namespace heddle;
  return run_program("amgcl_bench", argc, argv, {"--device=", "--runs=", "--strength="}, [](const Words& words) {
    const std::vector<std::string> usual = {"gen:stencil2d5,n=300",
                                            "gen:stencil2d5,n=1000",
                                            "gen:stencil2d5,n=500,coefficients=varying",
                                            "gen:stencil3d7,n=46",
                                            "gen:stencil3d7,n=100",
                                            "gen:stencil3d7,n=80,coefficients=varying",
                                            "gen:stencil3d27,n=50",
                                            "gen:elasticity,nx=30,ny=30,nz=30"};
    const Device device = words.device(Device::cpu());
    const int runs = static_cast<int>(words.number("--runs=", 3));
    for (const std::string& name : words.matrices.empty() ? usual : words.matrices)
      Comparison(name, device, words.number("--strength=", 0)).run(runs);
  });
}
