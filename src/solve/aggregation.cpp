#include "solve/aggregation.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "solve/dense_inverse.hpp"
#include "solve/lanczos.hpp"
#include "solve/sparse_product.hpp"

namespace heddle::solve_method {

namespace {

constexpr std::int64_t rows_of_task = 1 << 12;
constexpr int most_grids = 30;
// A diagonal entry this far below those it was added up from is rounding: the grid has a constant that A maps to zero.
constexpr double flat = 1e-12;

At at_amg() { return {"amg", "use --precond jacobi or none, with --method minres or gmres"}; }

// ------------------------------------------------------------------------------------------------------ couplings

// Nodes and the sizes of the blocks between them; a node of one unknown is a row.
Csr<double> between_nodes(const CsrView<double>& A, int block) {
  Csr<double> nodes = from_rows(A.rows / block, A.cols / block, [&](std::int64_t node, RowSum& sum) {
    for (Offset k = A.ptr[node * block]; k < A.ptr[(node + 1) * block]; ++k)
      sum.add(A.col[k] / block, A.val[k] * A.val[k]);
  });
  for (double& squared : nodes.val) squared = std::sqrt(squared);
  return nodes;
}

Buffer<double> diagonal_of(const CsrView<double>& A) {
  Buffer<double> diagonal(A.rows);
  parallel_ranges(A.rows, rows_of_task, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      diagonal[row] = 0;
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
        if (A.col[k] == row) diagonal[row] += A.val[k];
    }
  });
  return diagonal;
}

// Marks the strong couplings of a graph of nodes. Sizes are relative to the diagonal: |a_ij| / sqrt(a_ii a_jj).
Buffer<std::uint8_t> strong_couplings(const CsrView<double>& nodes, double share) {
  const Buffer<double> diagonal = diagonal_of(nodes);
  const auto size = [&](std::int64_t i, Offset k) {
    const double both = diagonal[i] * diagonal[nodes.col[k]];
    return nodes.col[k] != i && both > 0 ? std::abs(nodes.val[k]) / std::sqrt(both) : 0;
  };
  const auto on_ranges = [&](auto f) { parallel_ranges(nodes.rows, rows_of_task, f); };
  Buffer<double> largest(nodes.rows);
  on_ranges([&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      largest[i] = 0;
      for (Offset k = nodes.ptr[i]; k < nodes.ptr[i + 1]; ++k) largest[i] = std::max(largest[i], size(i, k));
    }
  });
  Buffer<std::uint8_t> strong(nodes.nnz());
  on_ranges([&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (Offset k = nodes.ptr[i]; k < nodes.ptr[i + 1]; ++k)
        strong[k] = size(i, k) > 0 && size(i, k) >= share * std::min(largest[i], largest[nodes.col[k]]);
  });
  return strong;
}

// ----------------------------------------------------------------------------------------------------- aggregates

struct Aggregates {
  Buffer<Index> of;  // a node; `none` without strong couplings: smoothing alone solves for it
  std::int64_t count = 0;
  static constexpr Index none = -1;
};

class Aggregation {
 public:
  Aggregation(const CsrView<double>& nodes, const Buffer<std::uint8_t>& strong)
      : nodes_(nodes), strong_(strong), made_{Buffer<Index>(nodes.rows)} {
    std::fill(made_.of.begin(), made_.of.end(), Aggregates::none);
  }

  Aggregates run() && {
    for (Index i = 0; i < nodes_.rows; ++i)
      if (alone_with_neighbours(i)) begin_at(i);
    Buffer<Index> joined = made_.of;
    for (Index i = 0; i < nodes_.rows; ++i)
      if (made_.of[i] == Aggregates::none) joined[i] = strongest_neighbour(i);
    made_.of = std::move(joined);
    return std::move(made_);
  }

 private:
  template <class F>
  void each_neighbour(Index i, F f) const {
    for (Offset k = nodes_.ptr[i]; k < nodes_.ptr[i + 1]; ++k)
      if (strong_[k]) f(nodes_.col[k], std::abs(nodes_.val[k]));
  }
  bool alone_with_neighbours(Index i) const {
    bool free = made_.of[i] == Aggregates::none, any = false;
    each_neighbour(i, [&](Index j, double) {
      free = free && made_.of[j] == Aggregates::none;
      any = true;
    });
    return free && any;
  }
  void begin_at(Index i) {
    const auto number = static_cast<Index>(made_.count++);
    made_.of[i] = number;
    each_neighbour(i, [&](Index j, double) { made_.of[j] = number; });
  }
  Index strongest_neighbour(Index i) const {
    double most = 0;
    Index found = Aggregates::none;
    each_neighbour(i, [&](Index j, double size) {
      if (made_.of[j] != Aggregates::none && size > most) most = size, found = made_.of[j];
    });
    return found;
  }

  const CsrView<double>& nodes_;
  const Buffer<std::uint8_t>& strong_;
  Aggregates made_;
};

// --------------------------------------------------------------------------------------------------- prolongation

// A with its weak couplings added to the node's own block: the row sums stay, and so does what A does to constants.
// The columns it has them in may repeat.
Buffer<Index> folded_columns(const CsrView<double>& A, const CsrView<double>& nodes, const Buffer<std::uint8_t>& strong,
                             int block) {
  Buffer<Index> folded(A.nnz());
  parallel_ranges(A.rows, rows_of_task, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t node = row / block;
      Offset at = nodes.ptr[node];
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) {
        while (nodes.col[at] < A.col[k] / block) ++at;
        folded[k] = strong[at] ? A.col[k] : static_cast<Index>(node * block + A.col[k] % block);
      }
    }
  });
  return folded;
}

// T alone: every unknown of a node takes the value of its aggregate.
Csr<double> plain_prolongation(std::int64_t rows, const Aggregates& aggregates, int block) {
  return from_rows(rows, aggregates.count * block, [&](std::int64_t row, RowSum& sum) {
    const Index at = aggregates.of[row / block];
    if (at != Aggregates::none) sum.add(std::int64_t{at} * block + row % block, 1);
  });
}

// P = T - omega D^-1 A T with the folded A.
Csr<double> smooth_prolongation(const CsrView<double>& folded, const Buffer<double>& inverse, double largest,
                                const Aggregates& aggregates, int block) {
  const double omega = 4.0 / 3 / largest;
  return from_rows(folded.rows, aggregates.count * block, [&](std::int64_t row, RowSum& sum) {
    const Index own = aggregates.of[row / block];
    if (own == Aggregates::none) return;
    sum.add(std::int64_t{own} * block + row % block, 1);
    for (Offset k = folded.ptr[row]; k < folded.ptr[row + 1]; ++k) {
      const Index at = aggregates.of[folded.col[k] / block];
      if (at != Aggregates::none)
        sum.add(std::int64_t{at} * block + folded.col[k] % block, -omega * inverse[row] * folded.val[k]);
    }
  });
}

// The diagonal of the folded matrix, or of A where that is more than the folding has left of it.
Buffer<double> folded_inverse(const CsrView<double>& folded, const Buffer<double>& inverse) {
  constexpr double least_left = 0.1;
  Buffer<double> made = diagonal_of(folded);
  for (std::int64_t row = 0; row < made.size(); ++row)
    made[row] = made[row] * inverse[row] > least_left ? 1 / made[row] : inverse[row];
  return made;
}

// ---------------------------------------------------------------------------------------------------------- grids

class Coarsening {
 public:
  explicit Coarsening(const GridOptions& options) : options_(options) {}

  // From a grid to the next; nothing when there is none that is markedly smaller.
  std::optional<Grid> next(const CsrView<double>& A, Grid& grid) const {
    Csr<double> P = prolongation(A, grid);
    if (P.cols == 0 || static_cast<double>(P.cols) > 0.8 * static_cast<double>(P.rows)) return {};
    const Csr<double> R = transpose(P.view());
    Grid made;
    made.A = product(R.view(), product(A, P.view()).view());
    made.inverse = inverse_diagonal(made.A.view(), R.view(), grid.inverse);
    made.largest = largest_eigenvalue(made.A.view(), made.inverse);
    grid.P = std::move(P);
    return made;
  }

 private:
  // Where rows are so long that the smoothed P would make the next matrix a full one, T alone.
  Csr<double> prolongation(const CsrView<double>& A, const Grid& grid) const {
    const int block = options_.block;
    // Products of numbers for each entry of A. (Laplacian of a web with 325,729 pages: 15 times the entries of A on all
    // grids and 14 s of set-up became 1.5 times and 0.8 s, at 59 iterations of cg instead of 47.)
    const std::int64_t most_work = 15 * block;
    const Csr<double> made = block > 1 ? between_nodes(A, block) : Csr<double>();
    const CsrView<double> nodes = block > 1 ? made.view() : A;
    const Buffer<std::uint8_t> strong = strong_couplings(nodes, options_.strength);
    const Aggregates aggregates = Aggregation(nodes, strong).run();
    const Buffer<Index> columns = folded_columns(A, nodes, strong, block);
    const CsrView<double> folded{{A.rows, A.cols, A.ptr, columns}, A.val};
    const bool as_it_was = std::equal(columns.begin(), columns.end(), A.col.begin());
    const Buffer<double> inverse = as_it_was ? grid.inverse : folded_inverse(folded, grid.inverse);
    const double largest = as_it_was ? grid.largest : largest_eigenvalue(folded, inverse);
    Csr<double> P = smooth_prolongation(folded, inverse, largest, aggregates, block);
    if (product_work(A, P.view()) <= most_work * A.nnz()) return P;
    return plain_prolongation(A.rows, aggregates, block);
  }

  // Of P^T A P, and zero where its diagonal is nothing but rounding.
  static Buffer<double> inverse_diagonal(const CsrView<double>& A, const CsrView<double>& R,
                                         const Buffer<double>& finer) {
    Buffer<double> inverse = diagonal_of(A);
    for (std::int64_t row = 0; row < A.rows; ++row) {
      double usual = 0;
      for (Offset k = R.ptr[row]; k < R.ptr[row + 1]; ++k)
        if (finer[R.col[k]] > 0) usual += R.val[k] * R.val[k] / finer[R.col[k]];
      const double entry = inverse[row];
      if (!(entry >= -flat * usual) || !std::isfinite(entry))
        fail(ErrorKind::input, at_amg(),
             "a sum over neighbouring unknowns has the energy {:.3g}: "
             "the matrix is not positive definite",
             entry);
      inverse[row] = entry > flat * usual ? 1 / entry : 0;
    }
    return inverse;
  }

  GridOptions options_;
};

Buffer<double> positive_inverse_diagonal(const CsrView<double>& A) {
  Buffer<double> inverse = diagonal_of(A);
  for (std::int64_t row = 0; row < A.rows; ++row) {
    const double entry = inverse[row];
    inverse[row] = 1 / entry;
    if (!(entry > 0) || !(inverse[row] > 0) || !std::isfinite(inverse[row]))
      fail(ErrorKind::input, at_amg(), "the diagonal entry of row {} is {}: amg needs positive ones", row + 1, entry);
  }
  return inverse;
}

}  // namespace

Grids make_grids(const CsrView<double>& A, const GridOptions& options) {
  Grids made;
  made.block = options.block;
  made.all.emplace_back().inverse = positive_inverse_diagonal(A);
  made.all.back().largest = largest_eigenvalue(A, made.all.back().inverse);
  check(std::isfinite(made.all.back().largest), ErrorKind::input, "there is an Inf or NaN in the matrix");
  const Coarsening coarsening(options);
  CsrView<double> last = A;
  while (last.rows > options.coarsest && static_cast<int>(made.all.size()) < most_grids) {
    std::optional<Grid> next = coarsening.next(last, made.all.back());
    if (!next) break;
    last = made.all.emplace_back(std::move(*next)).A.view();
  }
  if (last.rows <= options.coarsest) made.inverse = dense_inverse(last, made.all.back().inverse);
  return made;
}

}  // namespace heddle::solve_method
