#include "solve/amg/grids.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace heddle::solve_method {

namespace {

constexpr int most_grids = 30;

class Coarsening {
 public:
  Coarsening(const Steps& steps, const GridOptions& options) : steps_(steps), options_(options) {}

  // From a grid to the next; nothing when there is none that is markedly smaller.
  std::optional<Grid> next(const CsrView<double>& A, Grid& grid) const {
    Csr<double> P = prolongation(A, grid);
    if (P.cols == 0 || static_cast<double>(P.cols) > 0.8 * static_cast<double>(P.rows)) return {};
    grid.R = steps_.transposed(P.view());
    grid.P = std::move(P);
    Grid made;
    steps_.coarse_matrix(grid.R.view(), A, grid.P.view(), made.A);
    made.inverse = steps_.coarse_inverse(made.A.view(), grid.R.view(), grid.inverse);
    made.largest = steps_.largest_eigenvalue(made.A.view(), nullptr, made.inverse);
    return made;
  }

 private:
  // Where rows are so long that the smoothed P would make the next matrix a full one, T alone.
  Csr<double> prolongation(const CsrView<double>& A, const Grid& grid) const {
    const int block = options_.block;
    const Couplings couplings = steps_.couplings(A, grid.inverse, block, options_.strength);
    const Aggregates aggregates = steps_.aggregates(A, couplings);
    const bool fold = couplings.fold;
    const Buffer<double> folded = fold ? steps_.folded_inverse(A, couplings, grid.inverse) : Buffer<double>();
    const Buffer<double>& inverse = fold ? folded : grid.inverse;
    const double largest = fold ? steps_.largest_eigenvalue(A, &couplings, inverse) : grid.largest;
    Csr<double> P;
    steps_.smoothed(A, couplings, aggregates, inverse, 4.0 / 3 / largest, P);
    return too_full(A, P, block) ? steps_.unsmoothed(A.rows, aggregates, block) : std::move(P);
  }
  // (Laplacian of a web with 325,729 pages: 15 times the entries of A on all grids and 14 s of set-up became 1.5 times
  // and 0.8 s, at 59 iterations of cg instead of 47.)
  bool too_full(const CsrView<double>& A, const Csr<double>& P, int block) const {
    const std::int64_t most_products = 15 * block;  // for each entry of A
    return steps_.longest_row(P.view()) > most_products && steps_.product_work(A, P.view()) > most_products * A.nnz();
  }

  const Steps& steps_;
  GridOptions options_;
};

}  // namespace

Grids make_grids(const Steps& steps, const CsrView<double>& A, const GridOptions& options) {
  Grids made;
  made.block = options.block;
  made.all.emplace_back().inverse = steps.positive_inverse(A);
  made.all.back().largest = steps.largest_eigenvalue(A, nullptr, made.all.back().inverse);
  if (!std::isfinite(made.all.back().largest)) fail_not_finite();
  const Coarsening coarsening(steps, options);
  CsrView<double> last = A;
  while (last.rows > options.coarsest && static_cast<int>(made.all.size()) < most_grids) {
    std::optional<Grid> next = coarsening.next(last, made.all.back());
    if (!next) break;
    last = made.all.emplace_back(std::move(*next)).A.view();
  }
  if (last.rows <= options.coarsest) made.inverse = steps.dense_inverse(last, made.all.back().inverse);
  return made;
}

}  // namespace heddle::solve_method
