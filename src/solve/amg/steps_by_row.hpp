// Steps that treat every row for itself, over a side that knows how to do so:
//
//   struct Side {
//     void each(const Items& items, std::int64_t count) const;                    // items(i) for all i
//     typename Items::Result reduce(const Items& items, std::int64_t count) const;  // items.add(i, result)
//   };
#pragma once

#include "solve/amg/steps.hpp"

namespace heddle::solve_method {

struct WorkOfEntries {
  struct Result {
    std::int64_t products = 0;
    SIMT_BOTH void add(const Result& other) { products += other.products; }
  };
  const Index* col;
  const Offset* ptr;
  SIMT_BOTH void add(std::int64_t k, Result& to) const { to.products += ptr[col[k] + 1] - ptr[col[k]]; }
};

struct LongestRow {
  struct Result {
    std::int64_t length = 0;
    SIMT_BOTH void add(const Result& other) { length = other.length > length ? other.length : length; }
  };
  const Offset* ptr;
  SIMT_BOTH void add(std::int64_t row, Result& to) const { to.add({ptr[row + 1] - ptr[row]}); }
};

struct Narrow {
  const double* from;
  float* to;
  SIMT_BOTH void operator()(std::int64_t i) const { to[i] = static_cast<float>(from[i]); }
};

struct FloatRange {
  static constexpr double largest = 1e30;
  struct Result {
    bool fits = true;
    SIMT_BOTH void add(const Result& other) { fits = fits && other.fits; }
  };
  const double* value;
  SIMT_BOTH void add(std::int64_t i, Result& to) const { to.add({value[i] < largest && value[i] > -largest}); }
};

struct PositiveSpan {
  struct Result {
    double least = HUGE_VAL, most = 0;
    SIMT_BOTH void add(const Result& other) {
      least = other.least < least ? other.least : least;
      most = other.most > most ? other.most : most;
    }
    double ratio() const { return most > 0 ? most / least : 1; }
  };
  const double* value;
  SIMT_BOTH void add(std::int64_t i, Result& to) const {
    if (value[i] > 0) to.add({value[i], value[i]});
  }
};

template <class Side>
class StepsByRow : public Steps {
 public:
  StepsByRow(Device device, Side side) : Steps(device), side_(side) {}

  Buffer<double> positive_inverse(const CsrView<double>& A) const override {
    Buffer<double> inverse(A.rows, device());
    const WrongRow wrong = side_.reduce(InvertPositive{MatrixRows(A), inverse.data()}, A.rows);
    if (wrong.row < A.rows) fail_diagonal(wrong.row, fetched(inverse, wrong.row));
    return inverse;
  }
  Buffer<double> coarse_inverse(const CsrView<double>& A, const CsrView<double>& R,
                                const Buffer<double>& finer) const override {
    Buffer<double> inverse(A.rows, device());
    const WrongRow wrong =
        side_.reduce(InvertCoarse{MatrixRows(A), MatrixRows(R), finer.data(), inverse.data()}, A.rows);
    if (wrong.row < A.rows) fail_energy(fetched(inverse, wrong.row));
    return inverse;
  }

  Couplings couplings(const CsrView<double>& A, const Buffer<double>& inverse, int block,
                      double strength) const override {
    Couplings made;
    made.block = block;
    if (block > 1) made.made = node_graph(A, block);
    made.strong = Buffer<std::uint8_t>(made.nodes(A).nnz(), device());
    const FlagCount count = flags(A, inverse, made, strength, false);
    made.fold = count.weak > 0;
    made.count = count.strong;
    made.longest = count.longest;
    made.order = NodeOrder::for_graph(made.nodes(A).rows, count.strong, count.distance);
    return made;
  }
  std::int64_t changed_flags(const CsrView<double>& A, const Buffer<double>& inverse, Couplings& kept,
                             double strength) const override {
    if (kept.block > 1) kept.made = node_graph(A, kept.block);
    return flags(A, inverse, kept, strength, true).changed;
  }
  Aggregates aggregates(const CsrView<double>& A, const Couplings& couplings) const override {
    const StrongGraph graph = couplings.graph(A);
    const std::int64_t nodes = graph.nodes.rows;
    Aggregates made{Buffer<Index>(nodes, device())};
    const Buffer<Index> number = root_numbers(graph, couplings, made.count);
    Buffer<Index> claimed(nodes, device());
    side_.each(ClaimNodes{graph, number.data(), claimed.data()}, nodes);
    side_.each(JoinNodes{graph, claimed.data(), made.of.data()}, nodes);
    return made;
  }

  Buffer<double> folded_inverse(const CsrView<double>& A, const Couplings& couplings,
                                const Buffer<double>& inverse) const override {
    Buffer<double> made(A.rows, device());
    side_.each(InvertFolded{couplings.folded(A), inverse.data(), made.data()}, A.rows);
    return made;
  }
  NearNullspace fit(const NearNullspace& near, std::int64_t rows, Interpolation& interpolation) const override {
    const int block = interpolation.block();
    const std::int64_t aggregates = interpolation.aggregates.count;
    const Csr<double> of_node = aggregate_of_nodes(rows / block, interpolation.aggregates);
    KnownPatterns none;
    Csr<double> nodes;
    this->transpose(of_node.view(), nodes, none);
    interpolation.fitted = near.count;
    interpolation.tentative = Buffer<double>(rows * near.count, device());
    NearNullspace next{near.count, Buffer<double>(aggregates * near.count * near.count, device())};
    side_.each(FitAggregates{nodes.ptr.data(), nodes.col.data(), rows, aggregates, block, near.count,
                             near.vectors.data(), interpolation.tentative.data(), next.vectors.data()},
               aggregates);
    return next;
  }
  std::int64_t product_work(const PatternView& A, const PatternView& B) const override {
    return side_.reduce(WorkOfEntries{A.col.data(), B.ptr.data()}, A.nnz()).products;
  }
  std::int64_t longest_row(const PatternView& A) const override {
    return side_.reduce(LongestRow{A.ptr.data()}, A.rows).length;
  }

  Buffer<float> narrowed(std::span<const double> values) const override {
    const auto size = static_cast<std::int64_t>(values.size());
    Buffer<float> made(size, device());
    side_.each(Narrow{values.data(), made.data()}, size);
    return made;
  }
  bool fits_float(std::span<const double> values) const override {
    return side_.reduce(FloatRange{values.data()}, static_cast<std::int64_t>(values.size())).fits;
  }
  double span_of(std::span<const double> values) const override {
    return side_.reduce(PositiveSpan{values.data()}, static_cast<std::int64_t>(values.size())).ratio();
  }

 protected:
  // A row a node, with a one for its aggregate.
  virtual Csr<double> aggregate_of_nodes(std::int64_t nodes, const Aggregates& aggregates) const = 0;
  virtual Csr<double> node_graph(const CsrView<double>& A, int block) const = 0;
  // Roots in ascending order of their nodes; `no_aggregate` for others.
  //
  // A node becomes a root when it has strong neighbours and no lower root is seen from it or from one of them.
  virtual Buffer<Index> root_numbers(const StrongGraph& graph, const Couplings& of, std::int64_t& count) const = 0;

  Side side_;

 private:
  double fetched(const Buffer<double>& from, std::int64_t at) const {
    double value = 0;
    memory::copy(&value, Device::cpu(), from.data() + at, from.device(), sizeof(double));
    return value;
  }
  FlagCount flags(const CsrView<double>& A, const Buffer<double>& inverse, Couplings& of, double strength,
                  bool keep) const {
    const MatrixRows nodes(of.nodes(A));
    Buffer<double> weight, at_least(nodes.rows, device());
    if (of.block > 1) {
      weight = Buffer<double>(nodes.rows, device());
      side_.each(NodeWeights{nodes, weight.data()}, nodes.rows);
    }
    const CouplingSizes size{nodes, of.block > 1 ? weight.data() : inverse.data(), of.block > 1};
    side_.each(LargestCouplings{size, strength, at_least.data()}, nodes.rows);
    return side_.reduce(StrongFlags{size, at_least.data(), of.strong.data(), keep}, nodes.rows);
  }
};

}  // namespace heddle::solve_method
