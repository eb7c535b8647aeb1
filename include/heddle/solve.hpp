// solve: A x = b by an iterative method, with a verdict that can be trusted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <heddle/export.hpp>
#include <heddle/matrix_free.hpp>
#include <heddle/operator.hpp>
#include <heddle/progress.hpp>

namespace HEDDLE_PUBLIC heddle {

enum class Status {
  converged,       // the residual recomputed from the x that is returned meets the tolerance
  max_iterations,  // it does not yet
  breakdown,       // the method divides by zero here: another method, or another start
  stagnated,       // the residual does not get smaller any more
  indefinite,      // cg or minres met a matrix or preconditioner that is not positive definite
  not_finite,      // Inf or NaN in A, b or x, or an overflow
  stopped          // SolveOptions::keep_going gave false: a user's Ctrl-C, a limit of time. x is the last iterate
};
const char* name_of(Status status) noexcept;

// A grid of a multigrid preconditioner.
struct GridInfo {
  std::int64_t rows = 0, nnz = 0;
  std::string plan;               // of its matrix; on the last one, where that is inverted, of the inverse
  std::int64_t interpolated = 0;  // entries of the matrix from the next grid to this one; 0 on the last
};

// M^-1, an approximation of A^-1. Implement it to supply your own.
template <class V>
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual std::string name() const = 0;
  // z = M^-1 r, both in the memory of the operator's device; on a GPU the work is queued on `stream`.
  virtual void apply(std::span<const V> r, std::span<V> z, Stream stream) const = 0;
  // The diagonal of a diagonal M^-1 in the device's memory, else null: methods then apply it in passing.
  virtual const V* diagonal() const { return nullptr; }
  // True when apply is not the same linear map every time: gmres becomes flexible, the other methods refuse it.
  virtual bool varies() const { return false; }
  // False: cg and minres refuse it.
  virtual bool symmetric() const { return true; }
  // True: apply queues the same work on its stream every time and does nothing else, so that a CUDA graph may replay
  // it.
  virtual bool recordable() const { return false; }
  // A faster operator of the same matrix has become available; for those that multiply with A themselves.
  virtual void use(const Operator<V>&) {}
  // New numbers of the matrix on its old pattern, as Operator::update_values takes them; the operator of A needs them
  // too. An amg keeps its aggregates and tells how many couplings are strong by the new numbers and were not, or the
  // other way round: with none it is what a new one would be. Error(unavailable) where a new one must be made. After an
  // Error it may hold some numbers of each: update it again, or make a new one.
  virtual std::int64_t update_values(std::span<const V> val);
  // Of a multigrid, the finest first.
  virtual std::vector<GridInfo> grids() const { return {}; }
};

// z = M r for a matrix M that resembles A^-1.
template <class V>
HEDDLE_PUBLIC std::shared_ptr<Preconditioner<V>> as_preconditioner(Operator<V> M);

struct PreconditionerOptions {
  int block = 0;              // block_jacobi, amg: rows of a block, up to 32; 0: by the structure of the matrix
  int degree = 4;             // chebyshev: the degree of the polynomial; it multiplies with A one time less
  int power = 1;              // fsai, spai: on the pattern of this power of the matrix, up to 3
  bool positive = false;      // jacobi: absolute values, so that minres gets a positive definite M
  double strength = 0.25;     // amg: a coupling is strong from this share of the strongest one of its nodes on; 0 to 1
  int smoothing = 2;          // amg: degree of the polynomial before and after the step to a coarser grid
  int coarsest = 300;         // amg: rows of a matrix that is inverted
  bool double_cycle = false;  // amg of a matrix in double: its cycle too, which is in float where all numbers fit
  bool host_setup = false;    // amg: set up on the host, where the device of A would do it itself
  bool updates = false;       // amg: its values will be updated
  // amg: up to 8 vectors that A maps to nearly zero, one after the other (rigid_body_modes); none: constants
  std::vector<double> near_nullspace;
  // Asked while it is made, by make_preconditioner and where a solve makes it; see progress.hpp.
  KeepGoing keep_going = {};
};

// How bodies move without being deformed: 3 vectors for nodes in the plane (`dimension` = 2) and 6 in space, one after
// the other, with `dimension` unknowns a node. `coordinates` are those of a node after the other.
std::vector<double> rigid_body_modes(std::span<const double> coordinates, int dimension);

// "none" (null), "jacobi", "block_jacobi", "chebyshev", "fsai", "spai" or "amg", on the device of A, which must outlive
// a chebyshev and an amg. It serves one solve at a time. `matrix` is the matrix of A. Error(input) where a diagonal
// entry or block has no inverse, fsai or amg finds that the matrix is not positive definite, or spai that it is
// singular.
template <class V>
HEDDLE_PUBLIC std::shared_ptr<Preconditioner<V>> make_preconditioner(const std::string& name, const Operator<V>& A,
                                                                     const Csr<V>& matrix,
                                                                     const PreconditionerOptions& options = {});

// What the preconditioner "auto" stands for, and why in one line.
struct PreconditionerChoice {
  std::string name, reason;
};
// For a method (not "auto") on a device, by the structure, the size and what the set-up of amg costs; no figure is
// measured. The structure is sampled in a part of the matrix that does not grow with it, its diagonal and row sums in
// all of it.
template <class V>
HEDDLE_PUBLIC PreconditionerChoice preconditioner_for(const Csr<V>& A, const std::string& method, Device device = {},
                                                      double tolerance = sizeof(V) == 8 ? 1e-8 : 1e-5);

// How far a solve is.
struct SolveProgress {
  std::int64_t iteration = 0;
  double residual = 0, target = 0;  // relative to |b|
};

// Whether iterations on a GPU are recorded as a CUDA graph and replayed: the same bits with fewer calls.
// where_faster: where that has been measured to be faster (docs/solvers.md).
enum class Graph { where_faster, off, on };

template <class V>
struct SolveOptions {
  // cg (A symmetric positive definite), minres (symmetric), bicgstab, gmres; auto: cg for a symmetric matrix with a
  // positive diagonal, and minres from there on where cg finds that it is not positive definite; minres for any other
  // symmetric one, gmres for the rest.
  std::string method = "auto";
  std::string preconditioner = "none";                    // a name of make_preconditioner, or auto
  std::shared_ptr<Preconditioner<V>> own_preconditioner;  // takes precedence over the name
  PreconditionerOptions preconditioner_options;           // of a named one; minres sets `positive` by itself

  // |b - A x| <= max(tolerance |b|, absolute_tolerance)
  double tolerance = sizeof(V) == 8 ? 1e-8 : 1e-5, absolute_tolerance = 0;
  std::int64_t max_iterations = -1;  // -1: 10 n, at most 100,000
  int restart = 30;                  // gmres: vectors kept
  int check_every = 0;  // iterations between two looks of the host; 0: 1 on the CPU, an eighth of those done on a GPU
  Stream stream;
  Graph graph = Graph::where_faster;
  // These are called whenever the host looks at the residual. What they throw ends the solve, with x as it was.
  std::function<void(const SolveProgress&)> progress;
  // False ends the solve with Status::stopped. Asked before, during (at most every 50 ms) and after the set-up as well,
  // with iteration 0.
  std::function<bool(const SolveProgress&)> keep_going;
  // Gets the x there is by then, in host memory that is good until it returns: a copy every time, and for gmres the
  // work at the end of a cycle.
  std::function<void(const SolveProgress&, std::span<const V> x)> iterate;

  // Called by another thread as soon as the solve begins; the solve changes over to its operator once it is ready. It
  // must be the same matrix on the same device. From then on the bits depend on when that was.
  std::function<Operator<V>()> better;
  // The matrix, where the caller still has it: spares restoring it for `auto` and for the preconditioner.
  const Csr<V>* matrix = nullptr;
};

// The change of operators during a solve.
struct Changeover {
  bool asked = false, happened = false;
  std::int64_t iteration = 0;    // done with the first operator
  double build_seconds = 0;      // until the better operator was ready
  double first_seconds = 0;      // per iteration with the first operator
  double better_seconds = 0;     // per iteration with the better one
  std::int64_t break_even = -1;  // iterations that pay for building: build / (first - better); -1: never
  std::string plan, error;       // of the better operator; why there is none
};

// Residuals are relative to |b|, except that they are 0 for b = 0.
struct Report {
  std::string method, preconditioner, plan;
  Status status = Status::max_iterations;
  std::string reason;                 // one sentence
  std::string preconditioner_reason;  // one line: why "auto" took it, or why it was dropped
  std::int64_t iterations = 0;
  double residual = 0;                // as the method carries it along
  double true_residual = 0;           // |b - A x| recomputed from the x that is returned
  double rhs_norm = 0;                // |b|
  std::vector<double> history;        // residual before the first iteration and after each
  std::int64_t minres_from = -1;      // "auto": iterations of cg before minres went on; -1: it did not
  std::vector<GridInfo> grids;        // of a multigrid preconditioner
  double loading_seconds = 0;         // loading kernels, once in a process, before the clocks below begin
  double setup_seconds = 0;           // choosing the method, building the preconditioner; of solve_many for all
  double seconds = 0;                 // the iterations and the last check
  std::int64_t graph_iterations = 0;  // of all iterations those that a CUDA graph replayed
  Changeover changeover;
  bool converged() const { return status == Status::converged; }
};

// Several lines for people.
std::string to_string(const Report& report);

// x is the first guess and becomes the solution. b and x are host memory, or memory of the operator's device; they must
// not overlap. A matrix that is not square, a vector of the wrong length, an unknown word: Error before the first
// iteration. Everything else is a Status; x is then the last iterate, and untouched when nothing was iterated. An Error
// leaves x untouched. Same operator, options and start: same bits, whatever the number of threads. Several threads may
// solve with one operator at once, each with an x and a preconditioner of its own.
template <class V>
HEDDLE_PUBLIC Report solve(const Operator<V>& A, std::type_identity_t<std::span<const V>> b,
                           std::type_identity_t<std::span<V>> x,
                           const std::type_identity_t<SolveOptions<V>>& options = {});

// The same for a matrix that is known by its product alone. The preconditioner is "none" or the caller's; `better` and
// `matrix` are not for it.
template <class V>
HEDDLE_PUBLIC Report solve(const MatrixFree<V>& A, std::type_identity_t<std::span<const V>> b,
                           std::type_identity_t<std::span<V>> x,
                           const std::type_identity_t<SolveOptions<V>>& options = {});

// Several right-hand sides, one after the other: column i of B and of X is the n numbers from i n on. The method is
// chosen and the preconditioner built once, before the first of them. A report for each; one that fails stops no other.
template <class V>
HEDDLE_PUBLIC std::vector<Report> solve_many(const Operator<V>& A, std::type_identity_t<std::span<const V>> B,
                                             std::type_identity_t<std::span<V>> X,
                                             const std::type_identity_t<SolveOptions<V>>& options = {});

// The method "auto" begins with.
template <class V>
HEDDLE_PUBLIC std::string method_for(const Csr<V>& A);

}  // namespace heddle
