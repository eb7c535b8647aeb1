#include "solve/amg/grids.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle::solve_method {

namespace {

constexpr int most_grids = 30;

class Coarsening {
 public:
  Coarsening(const Steps& steps, const GridOptions& options) : steps_(steps), options_(options) {}

  // What the interpolation to a grid is made from; `near` becomes that of the next grid.
  Interpolation interpolation(const CsrView<double>& A, const Grid& grid, int block, NearNullspace& near) const {
    Interpolation made;
    made.couplings = steps_.couplings(A, grid.inverse, block, options_.strength);
    made.aggregates = steps_.aggregates(A, made.couplings);
    if (near.count > 0) near = steps_.fit(near, A.rows, made);
    return made;
  }
  // Where rows are so long that the smoothed P would make the next matrix a full one, T alone.
  void interpolate(const CsrView<double>& A, Grid& grid) const {
    smooth(A, grid);
    if (!too_full(A, grid, std::max(grid.from.block(), grid.from.fitted))) return;
    grid.from.smooth = false;
    grid.P = {};
    smooth(A, grid);
  }
  void smooth(const CsrView<double>& A, Grid& grid) const {
    const bool fold = grid.from.folds();
    const Buffer<double> folded = fold ? steps_.folded_inverse(A, grid.from.couplings, grid.inverse) : Buffer<double>();
    const Buffer<double>& inverse = fold ? folded : grid.inverse;
    const double largest =
        fold && grid.from.smooth ? steps_.largest_eigenvalue(A, &grid.from.couplings, inverse) : grid.largest;
    steps_.interpolate(A, grid.from, inverse, 4.0 / 3 / largest, grid.P, grid.known);
  }
  void coarse(const CsrView<double>& A, Grid& grid, Grid& next) const {
    steps_.transpose(grid.P.view(), grid.R, grid.known);
    steps_.coarse_matrix(grid.R.view(), A, grid.P.view(), next.A, grid.known);
    next.inverse = steps_.coarse_inverse(next.A.view(), grid.R.view(), grid.inverse);
    next.largest = steps_.largest_eigenvalue(next.A.view(), nullptr, next.inverse);
  }
  void finest(const CsrView<double>& A, Grid& grid) const {
    grid.inverse = steps_.positive_inverse(A);
    grid.largest = steps_.largest_eigenvalue(A, nullptr, grid.inverse);
    if (!std::isfinite(grid.largest)) fail_not_finite();
  }

 private:
  // (Laplacian of a web with 325,729 pages: 15 times the entries of A on all grids and 14 s of set-up became 1.5 times
  // and 0.8 s, at 59 iterations of cg instead of 47.)
  bool too_full(const CsrView<double>& A, const Grid& grid, int block) const {
    const std::int64_t most_products = 15 * block;  // for each entry of A
    return grid.known.P.longest > most_products && steps_.product_work(A, grid.P.view()) > most_products * A.nnz();
  }

  const Steps& steps_;
  const GridOptions& options_;
};

// Nothing is gained by a grid that is not markedly smaller.
bool is_smaller(const Interpolation& from, std::int64_t rows) {
  return from.columns() > 0 && static_cast<double>(from.columns()) <= 0.8 * static_cast<double>(rows);
}

}  // namespace

Grids make_grids(const Steps& steps, const CsrView<double>& A, const GridOptions& options) {
  Grids made;
  made.block = options.block;
  made.regular = 2 * steps.longest_row(A) * A.rows <= 3 * A.nnz();
  const Coarsening coarsening(steps, options);
  coarsening.finest(A, made.all.emplace_back());
  CsrView<double> last = A;
  NearNullspace near = options.near;
  for (int block = options.block; last.rows > options.coarsest && static_cast<int>(made.all.size()) < most_grids;) {
    Interpolation from = coarsening.interpolation(last, made.all.back(), block, near);
    if (!is_smaller(from, last.rows)) break;
    block = from.coarse_block();
    made.all.back().from = std::move(from);
    made.all.back().known.keep = options.renewable;
    coarsening.interpolate(last, made.all.back());
    if (!options.renewable) made.all.back().from = {};
    Grid next;
    coarsening.coarse(last, made.all.back(), next);
    last = made.all.emplace_back(std::move(next)).A.view();
  }
  if (last.rows <= options.coarsest) made.inverse = steps.dense_inverse(last, made.all.back().inverse);
  return made;
}

std::int64_t renew_grids(const Steps& steps, const CsrView<double>& A, const GridOptions& options, Grids& grids) {
  const Coarsening coarsening(steps, options);
  coarsening.finest(A, grids.all.front());
  CsrView<double> last = A;
  std::int64_t changed = 0;
  for (std::size_t i = 0; i + 1 < grids.all.size(); ++i) {
    Grid &grid = grids.all[i], &next = grids.all[i + 1];
    changed += steps.changed_flags(last, grid.inverse, grid.from.couplings, options.strength);
    coarsening.smooth(last, grid);
    coarsening.coarse(last, grid, next);
    last = next.A.view();
  }
  if (grids.inverse.rows > 0) grids.inverse = steps.dense_inverse(last, grids.all.back().inverse);
  return changed;
}

}  // namespace heddle::solve_method
