// The steps that the set-up of amg is made of. There are two sets of them, one on the host and one of kernels, with the
// same bits: `make_grids` is written once. Arrays that come and go lie on the device of the steps.
#pragma once

#include <memory>

#include <heddle/matrix.hpp>

#include "simt/simt.hpp"
#include "solve/amg/near_nullspace.hpp"
#include "solve/amg/node_order.hpp"
#include "solve/amg/row_steps.hpp"

namespace heddle::solve_method {

// The graph of the nodes of a matrix and which of its couplings are strong.
struct Couplings {
  Csr<double> made;  // sums of squares between nodes of several unknowns; one of a single unknown is a row of A
  Buffer<std::uint8_t> strong;
  bool fold = false;                    // there are weak ones
  std::int64_t count = 0, longest = 0;  // strong ones, and those of a node
  NodeOrder order;
  int block = 1;

  CsrView<double> nodes(const CsrView<double>& A) const { return block > 1 ? made.view() : A; }
  StrongGraph graph(const CsrView<double>& A) const { return {MatrixRows(nodes(A)), strong.data()}; }
  FoldedEntries folded(const CsrView<double>& A) const {
    const CsrView<double> of_nodes = nodes(A);
    return {MatrixRows(A), of_nodes.ptr.data(), of_nodes.col.data(), strong.data(), block};
  }
};

// Vectors that A maps to nearly zero, one after the other; none: constants, one for each unknown of a node.
struct NearNullspace {
  int count = 0;
  Buffer<double> vectors;
};

struct Aggregates {
  Buffer<Index> of;  // a node; `no_aggregate` without strong couplings: smoothing alone solves for it
  std::int64_t count = 0;
};

// What an interpolation is made from.
struct Interpolation {
  Couplings couplings;
  Aggregates aggregates;
  int fitted = 0;            // vectors that T is fitted to; 0: T is constant
  Buffer<double> tentative;  // then the rows of T
  bool smooth = true;

  int block() const { return couplings.block; }
  bool folds() const { return couplings.fold && fitted == 0; }
  int coarse_block() const { return fitted > 0 ? fitted : block(); }
  std::int64_t columns() const { return aggregates.count * coarse_block(); }
  ConstantRows constant() const { return {aggregates.of.data(), block()}; }
  FittedRows fitted_rows() const { return {aggregates.of.data(), block(), fitted, tentative.data()}; }
};

// What is known of rows that get new values on their pattern, so that it need not be found out again.
struct KnownRows {
  std::int64_t longest = 0, entries = 0;
  Buffer<Offset> ptr;  // of a matrix that does not stay itself
};
struct KnownPatterns {
  bool keep = false;  // new values will come
  KnownRows P, AP, coarse;
  Buffer<Index> order;  // the entries of P as those of R lie
};

// f(rows) with the kind of rows that P has.
template <class F>
void with_rows_of(const CsrView<double>& A, const Interpolation& from, const Buffer<double>& inverse, double omega,
                  const F& f) {
  const PlainEntries plain{MatrixRows(A)};
  if (from.fitted > 0 && from.smooth)
    f(SmoothedRows<PlainEntries, FittedRows>{plain, from.fitted_rows(), inverse.data(), omega});
  else if (from.fitted > 0)
    f(TentativeRows<FittedRows>{from.fitted_rows()});
  else if (!from.smooth)
    f(TentativeRows<ConstantRows>{from.constant()});
  else if (from.folds())
    f(SmoothedRows<FoldedEntries, ConstantRows>{from.couplings.folded(A), from.constant(), inverse.data(), omega});
  else
    f(SmoothedRows<PlainEntries, ConstantRows>{plain, from.constant(), inverse.data(), omega});
}

// What is wrong with a matrix, or too much for the device; kernels' files cannot format text.
[[noreturn]] void fail_diagonal(std::int64_t row, double entry);
[[noreturn]] void fail_energy(double entry);
[[noreturn]] void fail_not_finite();
[[noreturn]] void fail_negative_pivot();
[[noreturn]] void fail_too_long(std::int64_t most);
[[noreturn]] void fail_too_many(std::int64_t entries);

// What is known of a set-up before it begins, as far as it has kernels of its own.
struct RehearsedSetUp {
  bool blocks = false;  // there may be several unknowns a node
  bool fitted = false;  // vectors
};

class Steps {
 public:
  explicit Steps(Device device) : device_(device) {}
  virtual ~Steps() = default;
  Device device() const { return device_; }

  // Error(input) where the matrix is not positive definite.
  virtual Buffer<double> positive_inverse(const CsrView<double>& A) const = 0;
  virtual Buffer<double> coarse_inverse(const CsrView<double>& A, const CsrView<double>& R,
                                        const Buffer<double>& finer) const = 0;

  virtual Couplings couplings(const CsrView<double>& A, const Buffer<double>& inverse, int block,
                              double strength) const = 0;
  // How many flags other numbers would change; those that are there stay.
  virtual std::int64_t changed_flags(const CsrView<double>& A, const Buffer<double>& inverse, Couplings& kept,
                                     double strength) const = 0;
  virtual Aggregates aggregates(const CsrView<double>& A, const Couplings& couplings) const = 0;

  virtual Buffer<double> folded_inverse(const CsrView<double>& A, const Couplings& couplings,
                                        const Buffer<double>& inverse) const = 0;
  // Of D^-1 A, about (lanczos.hpp); with couplings that fold, of the folded matrix.
  virtual double largest_eigenvalue(const CsrView<double>& A, const Couplings* couplings,
                                    const Buffer<double>& inverse) const = 0;
  // T, and the vectors of the next grid.
  virtual NearNullspace fit(const NearNullspace& near, std::int64_t rows, Interpolation& interpolation) const = 0;
  // P, smoothed or T alone. Here and below `into` with rows has the pattern already, and gets new values.
  virtual void interpolate(const CsrView<double>& A, const Interpolation& interpolation, const Buffer<double>& inverse,
                           double omega, Csr<double>& into, KnownPatterns& known) const = 0;
  virtual std::int64_t product_work(const PatternView& A, const PatternView& B) const = 0;
  virtual std::int64_t longest_row(const PatternView& A) const = 0;
  virtual void transpose(const CsrView<double>& P, Csr<double>& into, KnownPatterns& known) const = 0;
  // R A P
  virtual void coarse_matrix(const CsrView<double>& R, const CsrView<double>& A, const CsrView<double>& P,
                             Csr<double>& into, KnownPatterns& known) const = 0;
  virtual Buffer<float> narrowed(std::span<const double> values) const = 0;
  // No number is so large that a cycle in float would lose it.
  virtual bool fits_float(std::span<const double> values) const = 0;
  // The largest of the positive values over the smallest; 1 without any.
  virtual double span_of(std::span<const double> values) const = 0;
  virtual Csr<double> dense_inverse(const CsrView<double>& A, const Buffer<double>& inverse) const = 0;

  // Launches the kernels that a small matrix alone does not need: those for long rows, for many and for weak couplings.
  virtual void rehearse(const RehearsedSetUp&) const {}

 private:
  Device device_;
};

std::unique_ptr<Steps> steps_on_host();
std::unique_ptr<Steps> steps_on(simt::Emulator, Device device);
std::unique_ptr<Steps> steps_on(simt::Cuda, Device device);
// Of a device; the host's for the CPU.
std::unique_ptr<Steps> steps_on(Device device);

}  // namespace heddle::solve_method
