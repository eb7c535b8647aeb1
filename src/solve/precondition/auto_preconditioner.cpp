// The preconditioner "auto": amg where the iterations it spares take longer than its set-up, else jacobi, which costs
// nothing, or none where jacobi changes nothing.
//
// How many iterations cg needs with jacobi is predicted from two facts. Where every diagonal entry exceeds the rest of
// its row, the share bounds the condition number. Else a number has to travel through the graph of the matrix, and cg
// takes about four iterations for each step of the way:
//
//   grid                  rows       radius   iterations until 1e-8    per step of the radius     (2026-11)
//   stencil2d5,n=300      90,000     212      898                      4.2
//   stencil3d7,n=64       262,144    59       233                      3.9
//   stencil3d27,n=32      32,768     15       68                       4.5
//   elasticity,20x10x10   7,623      7        202                      30      unknowns in blocks
//
// The radius is extrapolated from a part of the graph around one row.
#include <algorithm>
#include <cmath>

#include <heddle/machine.hpp>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"
#include "solve/amg/node_order.hpp"
#include "solve/precondition/preconditioners.hpp"

namespace heddle {

namespace solve_method {
namespace {

// What amg costs. Two cores of a Xeon and an H200, 2026-11. Set up on the GPU from host memory, grids of 0.1 to 4
// million rows took 2.4 to 3.7 ns an entry and 1.3 ms a level (docs/solvers.md); each level has its launches, its
// waits and the building of three operators.
constexpr double setup_ns_per_entry_host = 70, setup_ns_per_entry_gpu = 3, setup_ms_per_level_gpu = 1.3;
constexpr double shrinks_by = 9, coarsest_rows = 300;  // of grids
constexpr double amg_iterations = 12;                  // until 1e-8
constexpr double passes_of_cycle = 8;  // its time over that of an iteration with jacobi, for large systems
constexpr double cycle_start_us_gpu = 100, iteration_start_us_gpu = 10;
constexpr double must_save = 0.7;  // amg is taken where it promises this share of the time with jacobi, or less

// Of the diagonal and the row sums.
struct Diagonal {
  double smallest = HUGE_VAL, largest = 0;  // absolute values
  double others = 0;                        // the most that the other entries of a row are, relative to its diagonal
  Offset longest = 0;                       // row, entries
  bool whole = true;                        // no entry is missing, zero, Inf or NaN

  void join(const Diagonal& other) {
    smallest = std::min(smallest, other.smallest);
    largest = std::max(largest, other.largest);
    others = std::max(others, other.others);
    longest = std::max(longest, other.longest);
    whole = whole && other.whole;
  }
  bool constant() const { return largest <= smallest; }
};

template <class V>
Diagonal diagonal_of(const CsrView<V>& A) {
  constexpr std::int64_t grain = 1 << 14;
  Vector<Diagonal> parts(static_cast<std::size_t>((A.rows + grain - 1) / grain));
  parallel_tasks(static_cast<std::int64_t>(parts.size()), [&](std::int64_t task) {
    Diagonal part;
    for (std::int64_t row = task * grain; row < std::min(A.rows, (task + 1) * grain); ++row) {
      double entry = 0, sum = 0;
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
        (A.col[k] == row ? entry : sum) += std::abs(static_cast<double>(A.val[k]));
      part.whole = part.whole && entry > 0 && std::isfinite(entry);
      part.smallest = std::min(part.smallest, entry);
      part.largest = std::max(part.largest, entry);
      part.others = std::max(part.others, sum / entry);
      part.longest = std::max(part.longest, A.length(row));
    }
    parts[static_cast<std::size_t>(task)] = part;
  });
  Diagonal all;
  for (const Diagonal& part : parts) all.join(part);
  return all;
}

struct Reach {
  double radius = 0;  // steps from the middle of the graph to its end
  double dimension = 1;
};

// Steps through the graph from one row, as far as a fixed number of rows and entries goes.
template <class V>
class Walk {
 public:
  explicit Walk(const CsrView<V>& matrix) : A(matrix), seen_(static_cast<std::size_t>(A.rows / 64 + 1)) {}

  // |  .  .  o  o  x  o  o  .  .  |     rows within 1, 2, ... steps of x: how they grow tells the dimension, and how
  //                                     many there are in all the radius
  Reach reach() {
    within_.clear();
    add(static_cast<Index>(static_cast<double>(A.rows) * 0.3819));  // near no edge of a grid, as a rule
    std::size_t first = 0;
    std::int64_t entries = 0;
    while (first < rows_.size() && std::ssize(rows_) < most_rows && entries < most_entries) {
      within_.push_back(static_cast<double>(rows_.size()));
      const std::size_t last = rows_.size();
      for (; first < last && entries < most_entries; ++first) {
        const Index row = rows_[first];
        entries += A.length(row);
        for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) add(A.col[k]);
      }
    }
    const auto steps = static_cast<double>(within_.size());
    const double here = static_cast<double>(rows_.size()), before = within_[within_.size() / 2];
    const double dimension = std::clamp(std::log2(here / before), 1.0, 10.0);
    const bool all = first == rows_.size();  // from somewhere, which is farther from the end than the middle is
    if (all) return {steps / 1.5, dimension};
    return {steps * std::pow(static_cast<double>(A.rows) / here, 1 / dimension), dimension};
  }

 private:
  static constexpr std::int64_t most_rows = 20'000, most_entries = 400'000;

  void add(Index row) {
    std::uint64_t& word = seen_[static_cast<std::size_t>(row) / 64];
    const std::uint64_t bit = std::uint64_t{1} << (row % 64);
    if ((word & bit) != 0) return;
    word |= bit;
    rows_.push_back(row);
  }

  const CsrView<V>& A;
  Vector<std::uint64_t> seen_;
  Vector<Index> rows_;
  Vector<double> within_;  // k steps
};

// Natural logarithms that the residual has to fall by.
double fall(double tolerance) { return std::log(2 / std::clamp(tolerance, 1e-16, 0.5)); }

template <class V>
double jacobi_iterations(const CsrView<V>& A, const Diagonal& diagonal, const Reach& reach, double tolerance) {
  constexpr double per_step = 4, per_step_in_blocks = 30;
  const bool in_blocks = nearly_full_block(A) > 1;
  const double by_way = (in_blocks ? per_step_in_blocks : per_step) * reach.radius * fall(tolerance) / fall(1e-8);
  if (!(diagonal.others < 1)) return by_way;
  const double condition = (1 + diagonal.others) / (1 - diagonal.others);
  return std::min(by_way, std::sqrt(condition) / 2 * fall(tolerance));
}

struct Seconds {
  double jacobi = 0;
  double amg = 0, setup = 0;  // all of it, and its set-up alone
};

double setup_seconds(double rows, double nnz, bool on_gpu) {
  if (!on_gpu) return nnz * setup_ns_per_entry_host * 1e-9;
  const double levels = 1 + std::max(0.0, std::log(rows / coarsest_rows) / std::log(shrinks_by));
  return nnz * setup_ns_per_entry_gpu * 1e-9 + levels * setup_ms_per_level_gpu * 1e-3;
}

template <class V>
Seconds predicted(const CsrView<V>& A, Device device, bool setup_on_gpu, double iterations, double tolerance) {
  constexpr double vectors = 11;  // that an iteration reads or writes
  const Machine& machine = built_in_machine(device.kind);
  const double rows = static_cast<double>(A.rows), nnz = static_cast<double>(A.nnz());
  const double bytes = nnz * (sizeof(V) + 4.0) + rows * (vectors * sizeof(V) + 4.0);
  const double stream = bytes / (rate_at(machine.read, bytes) * 1e9);
  const bool host = device.kind == Device::Kind::cpu;
  const double start = host ? 0 : iteration_start_us_gpu * 1e-6, cycle_start = host ? 0 : cycle_start_us_gpu * 1e-6;
  const double cycles = amg_iterations * fall(tolerance) / fall(1e-8);
  const double setup = setup_seconds(rows, nnz, setup_on_gpu);
  return {iterations * (stream + start), setup + cycles * (passes_of_cycle * stream + cycle_start), setup};
}

PreconditionerChoice without_amg(const Diagonal& diagonal, const std::string& rest) {
  if (!diagonal.whole) return {"none", "a diagonal entry is zero" + rest};
  if (diagonal.constant()) return {"none", "the diagonal is constant" + rest};
  return {"jacobi", "the diagonal varies" + rest};
}

}  // namespace

template <class V>
PreconditionerChoice choose_preconditioner(const Csr<V>& given, const std::string& method, Device device,
                                           double tolerance, bool host_setup) {
  const Csr<V> matrix = on_host(given);
  check(matrix.rows == matrix.cols, ErrorKind::input, "a {} x {} matrix has no preconditioner: it is not square",
        matrix.rows, matrix.cols);
  const CsrView<V> A = matrix.view();
  if (A.rows == 0) return {"none", "there are no rows"};
  const Diagonal diagonal = diagonal_of(A);
  if (method != "cg" || !diagonal.whole)
    return without_amg(diagonal, method == "cg" ? "" : fmt::format(", and amg is not for {}", method));
  const Reach reach = Walk<V>(A).reach();
  const double iterations = jacobi_iterations(A, diagonal, reach, tolerance);
  const bool setup_on_gpu =
      device.kind == Device::Kind::gpu && !host_setup && diagonal.longest <= most_neighbours_on_device;
  const Seconds seconds = predicted(A, device, setup_on_gpu, iterations, tolerance);
  const std::string expected = fmt::format(
      "about {:.0f} iterations without amg are predicted to take {:.2g} times as long as with it, {:.2g} ms of set-up "
      "on "
      "the {} included",
      iterations, seconds.jacobi / seconds.amg, seconds.setup * 1e3, setup_on_gpu ? "GPU" : "host");
  if (seconds.amg < must_save * seconds.jacobi)
    return {"amg",
            fmt::format("{}; it is {:.0f} steps from the middle of the graph to its end", expected, reach.radius)};
  return without_amg(diagonal, ", and " + expected);
}

template PreconditionerChoice choose_preconditioner(const Csr<float>&, const std::string&, Device, double, bool);
template PreconditionerChoice choose_preconditioner(const Csr<double>&, const std::string&, Device, double, bool);

}  // namespace solve_method

template <class V>
PreconditionerChoice preconditioner_for(const Csr<V>& A, const std::string& method, Device device, double tolerance) {
  return solve_method::choose_preconditioner(A, method, device, tolerance, false);
}

template PreconditionerChoice preconditioner_for(const Csr<float>&, const std::string&, Device, double);
template PreconditionerChoice preconditioner_for(const Csr<double>&, const std::string&, Device, double);

}  // namespace heddle
