// The set-up of amg and the solve with it, apart: the least of several runs, after one that is not timed.
//
//   amg_bench                       the CPU: 3D grids of 0.1 to 8 million rows
//   amg_bench --device=gpu          a GPU: the set-up by its kernels, from a matrix that lies there, and on the host
//   amg_bench --steps               every step of the set-up for itself, grid by grid; a GPU is waited for after each
//   amg_bench --calls --device=gpu  what its set-up and its update_values call of the CUDA runtime, and how long
//                                   kernels take
//   amg_bench --there --device=gpu  jacobi and the set-up from a matrix that lies there, nothing else
//   amg_bench --hash                names all arrays of all grids by a number, on the device and on the host
//   amg_bench --runs=3 gen:stencil2d5,n=1000 M.mtx          these matrices instead of the list
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <type_traits>

#include <heddle/heddle.hpp>

#include "built_with.hpp"
#include "call_trace.hpp"
#include "program.hpp"
#include "solve/amg/cycle.hpp"
#include "solve/precondition/preconditioners.hpp"

namespace heddle {

namespace {

using namespace solve_method;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A copy from the device waits for what was queued.
void wait_for(Device device) {
  if (!device.host_memory()) Buffer<int>(1, device).to({});
}

// Times every step of other steps.
class TimedSteps final : public Steps {
 public:
  explicit TimedSteps(Device on) : Steps(on), steps_(steps_on(on)) {}
  std::map<std::string, std::vector<double>> seconds;  // of each grid
  void note(const std::string& step, std::size_t grid, double taken) {
    std::vector<double>& of_grids = seconds[step];
    of_grids.resize(std::max(of_grids.size(), grid + 1));
    of_grids[grid] += taken;
  }

  Buffer<double> positive_inverse(const CsrView<double>& A) const override {
    return timed("diagonal", [&] { return steps_->positive_inverse(A); });
  }
  Buffer<double> coarse_inverse(const CsrView<double>& A, const CsrView<double>& R,
                                const Buffer<double>& finer) const override {
    return timed("diagonal", [&] { return steps_->coarse_inverse(A, R, finer); });
  }
  Couplings couplings(const CsrView<double>& A, const Buffer<double>& inverse, int block,
                      double strength) const override {
    if (seconds.contains("couplings")) ++const_cast<TimedSteps*>(this)->grid_;
    return timed("couplings", [&] { return steps_->couplings(A, inverse, block, strength); });
  }
  std::int64_t changed_flags(const CsrView<double>& A, const Buffer<double>& inverse, Couplings& kept,
                             double strength) const override {
    return timed("couplings", [&] { return steps_->changed_flags(A, inverse, kept, strength); });
  }
  Aggregates aggregates(const CsrView<double>& A, const Couplings& couplings) const override {
    return timed("aggregates", [&] { return steps_->aggregates(A, couplings); });
  }
  Buffer<double> folded_inverse(const CsrView<double>& A, const Couplings& couplings,
                                const Buffer<double>& inverse) const override {
    return timed("folding", [&] { return steps_->folded_inverse(A, couplings, inverse); });
  }
  double largest_eigenvalue(const CsrView<double>& A, const Couplings* couplings,
                            const Buffer<double>& inverse) const override {
    return timed("eigenvalues", [&] { return steps_->largest_eigenvalue(A, couplings, inverse); });
  }
  NearNullspace fit(const NearNullspace& near, std::int64_t rows, Interpolation& interpolation) const override {
    return timed("fit", [&] { return steps_->fit(near, rows, interpolation); });
  }
  void interpolate(const CsrView<double>& A, const Interpolation& interpolation, const Buffer<double>& inverse,
                   double omega, Csr<double>& into, KnownPatterns& known) const override {
    timed("P", [&] { return steps_->interpolate(A, interpolation, inverse, omega, into, known), 0; });
  }
  std::int64_t product_work(const PatternView& A, const PatternView& B) const override {
    return timed("work", [&] { return steps_->product_work(A, B); });
  }
  std::int64_t longest_row(const PatternView& A) const override {
    return timed("work", [&] { return steps_->longest_row(A); });
  }
  void transpose(const CsrView<double>& P, Csr<double>& into, KnownPatterns& known) const override {
    timed("R", [&] { return steps_->transpose(P, into, known), 0; });
  }
  void coarse_matrix(const CsrView<double>& R, const CsrView<double>& A, const CsrView<double>& P, Csr<double>& into,
                     KnownPatterns& known) const override {
    timed("R A P", [&] { return steps_->coarse_matrix(R, A, P, into, known), 0; });
  }
  Buffer<float> narrowed(std::span<const double> values) const override { return steps_->narrowed(values); }
  bool fits_float(std::span<const double> values) const override { return steps_->fits_float(values); }
  double span_of(std::span<const double> values) const override { return steps_->span_of(values); }
  Csr<double> dense_inverse(const CsrView<double>& A, const Buffer<double>& inverse) const override {
    return timed("dense inverse", [&] { return steps_->dense_inverse(A, inverse); });
  }

 private:
  template <class F>
  std::invoke_result_t<F> timed(const char* name, const F& f) const {
    const double begin = now();
    auto made = f();
    wait_for(device());
    const_cast<TimedSteps*>(this)->note(name, grid_ - 1, now() - begin);
    return made;
  }

  std::unique_ptr<Steps> steps_;
  std::size_t grid_ = 1;
};

template <class T>
void mix(std::uint64_t& hash, const Buffer<T>& values) {
  const Buffer<T> here = values.to({});
  const auto* byte = reinterpret_cast<const unsigned char*>(here.data());
  for (std::size_t i = 0; i < here.bytes(); ++i) hash = (hash ^ byte[i]) * 0x100000001b3u;
}
void mix(std::uint64_t& hash, const Csr<double>& matrix) {
  mix(hash, matrix.ptr);
  mix(hash, matrix.col);
  mix(hash, matrix.val);
}
std::uint64_t hash_of(const Grids& grids) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const Grid& grid : grids.all) {
    mix(hash, grid.A);
    mix(hash, grid.P);
    mix(hash, grid.R);
    mix(hash, grid.inverse);
    mix(hash, Buffer<double>{grid.largest});
  }
  mix(hash, grids.inverse);
  return hash;
}

struct Measured {
  double setup = HUGE_VAL, solve = HUGE_VAL;
  std::string name;
  std::int64_t iterations = 0;
};

class Program {
 public:
  Program(const Words& words)
      : device_(words.device(Device::cpu())),
        runs_(static_cast<int>(words.number("--runs=", 3))),
        steps_(words.has("--steps")),
        hash_(words.has("--hash")),
        there_(words.has("--there")),
        calls_(words.has("--calls")) {}

  void run(const std::string& name) const {
    const Csr<double> A = name.starts_with("gen:") ? generate<double>(name.substr(4)) : read_matrix(name);
    const int full = nearly_full_block(A.view()), block = full > 0 && A.rows % full == 0 ? full : 1;
    fmt::print("{}: {} rows, {} entries, blocks of {}\n", name, A.rows, A.nnz(), block);
    if (hash_) print_hashes(A, block);
    if (steps_) print_steps(A, block);
    if (calls_) print_calls(A);
    if (steps_ || calls_) return;
    const auto op = optimize(A, {.expected_multiplies = 200, .device = device_});
    const bool on_host = device_.kind == Device::Kind::cpu;
    print(A, "jacobi", measured(A, op, A, "jacobi", {}));
    if (!there_) {
      print(A, "amg", measured(A, op, A, "amg", {}));
      print(A, "amg, double cycle", measured(A, op, A, "amg", {.double_cycle = true}));
    }
    if (on_host) return;
    print(A, "amg, matrix on the device", measured(A, op, A.to(device_), "amg", {}));
    if (!there_) print(A, "amg, set up on the host", measured(A, op, A, "amg", {.host_setup = true}));
    print_renewal(A, op);
  }

 private:
  Measured measured(const Csr<double>& A, const Operator<double>& op, const Csr<double>& given,
                    const std::string& preconditioner, const PreconditionerOptions& options) const {
    Measured best;
    for (int run = 0; run <= runs_; ++run) {
      const double begin = now();
      const auto M = make_preconditioner(preconditioner, op, given, options);
      const double setup = now() - begin;
      Buffer<double> b(A.rows), x(A.rows);
      for (std::int64_t i = 0; i < A.rows; ++i) {
        b[i] = std::sin(1 + 0.7 * static_cast<double>(i) * static_cast<double>(i));
        x[i] = 0;
      }
      const Buffer<double> b_there = b.to(device_);
      Buffer<double> x_there = x.to(device_);
      const Report report =
          solve<double>(op, b_there.span(), x_there.span(), {.method = "cg", .own_preconditioner = M});
      if (run == 0) continue;
      best = {std::min(best.setup, setup), std::min(best.solve, report.seconds), M->name(), report.iterations};
    }
    return best;
  }
  static void print(const Csr<double>& A, const char* what, const Measured& m) {
    fmt::print("  {:28} set-up {:9.3f} ms ({:6.1f} ns a row)  solve {:9.3f} ms  both {:9.3f} ms  {} iterations, {}\n",
               what, 1e3 * m.setup, 1e9 * m.setup / static_cast<double>(A.rows), 1e3 * m.solve,
               1e3 * (m.setup + m.solve), m.iterations, m.name);
  }
  void print_renewal(const Csr<double>& A, const Operator<double>& op) const {
    const auto M = make_preconditioner("amg", op, A, {.updates = true});
    const Buffer<double> val = A.val.to(device_);
    double best = HUGE_VAL;
    for (int run = 0; run <= runs_ + 1; ++run) {
      const double begin = now();
      M->update_values(val);
      wait_for(device_);
      if (run > 1) best = std::min(best, now() - begin);
    }
    fmt::print("  {:28} {:9.3f} ms ({:.1f} ns a row)\n", "update_values", 1e3 * best,
               1e9 * best / static_cast<double>(A.rows));
  }
  void print_hashes(const Csr<double>& A, int block) const {
    const GridOptions options{.block = block};
    const Csr<double> there = A.to(device_);
    const std::uint64_t on_device = hash_of(make_grids(*steps_on(device_), there.view(), options)),
                        on_host = hash_of(make_grids(*steps_on_host(), A.view(), options));
    fmt::print("  grids {:016x} on {}, {:016x} on the host: {}\n", on_device, to_string(device_), on_host,
               on_device == on_host ? "the same" : "DIFFERENT");
  }
  void print_steps(const Csr<double>& A, int block) const {
    const Csr<double> there = A.to(device_);
    std::map<std::string, std::vector<double>> best;
    double all = HUGE_VAL;
    std::string plans;
    for (int run = 0; run <= runs_; ++run) {
      TimedSteps steps(device_);
      const double begin = now();
      Grids grids = make_grids(steps, there.view(), {.block = block});
      const double taken = now() - begin;
      plans = time_operators(steps, there, grids);
      if (run > 0 && taken < all) all = taken, best = steps.seconds;
    }
    fmt::print("  plans {}\n", plans);
    fmt::print("  {:16} {:9.3f} ms\n", "grids", 1e3 * all);
    for (const auto& [step, seconds] : best) {
      const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
      fmt::print("  {:16} {:9.3f} ms ({:6.2f} ns a row)  ", step, 1e3 * sum, 1e9 * sum / static_cast<double>(A.rows));
      for (const double of_grid : seconds) fmt::print(" {:8.3f}", 1e3 * of_grid);
      fmt::print("\n");
    }
  }
  // Of the cycle, in float. Gives their plans.
  std::string time_operators(TimedSteps& steps, const Csr<double>& A, const Grids& grids) const {
    std::string plans;
    const auto time_one = [&](const std::string& name, std::size_t grid, const Csr<double>& matrix) {
      time_operator(steps, name, grid, matrix, A.rows, plans);
    };
    for (std::size_t i = 0; i < grids.all.size(); ++i) {
      const Grid& grid = grids.all[i];
      time_one("A", i, i == 0 ? A : grid.A);
      if (grid.is_last()) continue;
      time_one("P", i, grid.P);
      time_one("R", i, grid.R);
    }
    if (grids.inverse.rows > 0) time_one("inverse", grids.all.size() - 1, grids.inverse);
    return plans;
  }
  void time_operator(TimedSteps& steps, const std::string& name, std::size_t grid, const Csr<double>& matrix,
                     std::int64_t finest_rows, std::string& plans) const {
    Csr<float> narrow{matrix.rows, matrix.cols, Buffer<Offset>::borrow(matrix.ptr, matrix.ptr.device()),
                      Buffer<Index>::borrow(matrix.col, matrix.col.device()), steps.narrowed(matrix.val)};
    const double begin = now();
    const Operator<float> made = planned(std::move(narrow), Place{device_, finest_rows});
    wait_for(device_);
    steps.note("operator " + name, grid, now() - begin);
    plans += fmt::format("  {}{} {}", name, grid, to_string(made.plan()));
  }
  void print_calls([[maybe_unused]] const Csr<double>& A) const {
#ifdef HEDDLE_HAS_CUDA
    const auto op = optimize(A, {.expected_multiplies = 200, .device = device_});
    const Csr<double> there = A.to(device_);
    fmt::print("  set-up\n");
    CallTrace::print_sums([&] { make_preconditioner("amg", op, there, {}); }, runs_ + 2);
    fmt::print("  update_values\n");
    const auto M = make_preconditioner("amg", op, there, {.updates = true});
    CallTrace::print_sums([&] { M->update_values(there.val); }, runs_ + 2);
#endif
  }

  Device device_;
  int runs_;
  bool steps_, hash_, there_, calls_;
};

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  using namespace heddle;
  return run_program("amg_bench", argc, argv, {"--device=", "--runs=", "--steps", "--hash", "--there", "--calls"},
                     [](const Words& words) {
                       const std::vector<std::string> usual = {"gen:stencil3d7,n=46",  "gen:stencil3d7,n=80",
                                                               "gen:stencil3d7,n=100", "gen:stencil3d7,n=126",
                                                               "gen:stencil3d7,n=160", "gen:stencil3d7,n=200"};
                       const Program program(words);
                       for (const std::string& name : words.matrices.empty() ? usual : words.matrices)
                         program.run(name);
                     });
}
