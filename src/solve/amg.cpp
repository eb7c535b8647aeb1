// Algebraic multigrid by smoothed aggregation: the cycle. Everything it does is a product of an operator with a plan of
// its own, or a trip over vectors.
//
//   grid 0   smooth  residual                       + P z   smooth
//   grid 1              R r  smooth  residual   + P z  smooth
//   grid 2                              R r  inverse
//
// Smoothing is the same Chebyshev polynomial in D^-1 A before and after, so that for a symmetric positive definite A
// the cycle is one too, as cg needs it.
#include <algorithm>
#include <cmath>
#include <optional>

#include <heddle/analyze.hpp>
#include <heddle/choose.hpp>

#include "core/check.hpp"
#include "solve/aggregation.hpp"
#include "solve/iterations.hpp"
#include "solve/preconditioners.hpp"

namespace heddle::solve_method {

namespace {

template <class V>
Csr<V> in_precision(Csr<double>&& matrix) {
  if constexpr (sizeof(V) == sizeof(double))
    return std::move(matrix);
  else
    return convert<V>(matrix.view());
}

// By the figures that are the same everywhere: no bit of a cycle may depend on what was measured, or on the number of
// threads. A format that takes turns would keep a small system from being recorded as a graph.
template <class V>
Operator<V> planned(Csr<V>&& matrix, const Operator<V>& finest) {
  constexpr double products = 200;
  const Device device = finest.device();
  const Choice choice = choose(matrix, analyze(matrix, Detail::planning), built_in_machine(device.kind),
                               {.expected_multiplies = products, .device = device, .reorder = false});
  const bool recorded = device.kind == Device::Kind::gpu && finest.rows() <= most_rows_recorded;
  if (!recorded) return build(std::move(matrix), choice.plan, {.device = device});
  Operator<V> made = build(matrix, choice.plan, {.device = device});
  return made.takes_turns() ? build(std::move(matrix), Plan{"csr", {}}, {.device = device}) : std::move(made);
}

// One grid on the device.
template <class V>
struct Stage {
  std::optional<Operator<V>> own;  // the matrix, except on the first grid
  const Operator<V>* A = nullptr;
  std::optional<Operator<V>> P, R;  // to this grid from the next, and back
  Buffer<V> inverse;                // of the diagonal
  double middle = 0, half = 0;      // of the eigenvalues that are smoothed
  mutable Buffer<V> step, product;
  mutable Buffer<V> r, z;  // the system of this grid, except on the first
};

template <class V>
class Multigrid final : public Preconditioner<V> {
 public:
  Multigrid(const Operator<V>& A, Grids&& grids, int smoothing)
      : terms_(smoothing), block_(grids.block), trips_(trips_on<V>(A.device())) {
    for (Grid& grid : grids.all) stages_.push_back(stage(A, std::move(grid)));
    stages_.front().A = &A;
    for (Stage<V>& s : stages_)
      if (s.own) s.A = &*s.own;
    if (grids.inverse.rows > 0) inverse_.emplace(planned(in_precision<V>(std::move(grids.inverse)), A));
  }

  std::string name() const override {
    return fmt::format("amg, {} grid{}{}", stages_.size(), stages_.size() == 1 ? "" : "s",
                       block_ > 1 ? fmt::format(", blocks of {}", block_) : "");
  }
  bool recordable() const override {
    const auto free = [](const std::optional<Operator<V>>& op) { return !op || !op->takes_turns(); };
    return free(inverse_) && std::all_of(stages_.begin(), stages_.end(),
                                         [&](const Stage<V>& s) { return free(s.own) && free(s.P) && free(s.R); });
  }
  void use(const Operator<V>& better) override { stages_.front().A = &better; }
  std::vector<GridInfo> grids() const override {
    std::vector<GridInfo> all;
    for (const Stage<V>& s : stages_)
      all.push_back({s.A->rows(), s.A->nnz(), to_string(s.A->plan()), s.P ? s.P->nnz() : 0});
    if (inverse_) all.back().plan = "inverse, " + to_string(inverse_->plan());
    return all;
  }

  void apply(std::span<const V> r, std::span<V> z, Stream stream) const override { cycle(0, r, z, stream); }

 private:
  static Stage<V> stage(const Operator<V>& finest, Grid&& grid) {
    constexpr double smoothed = 10;  // the largest eigenvalue over the smallest one that smoothing takes care of
    const std::int64_t n = grid.inverse.size();
    const Device device = finest.device();
    Stage<V> made;
    if (grid.A.rows > 0) {
      made.own.emplace(planned(in_precision<V>(std::move(grid.A)), finest));
      made.r = Buffer<V>(n, device);
      made.z = Buffer<V>(n, device);
    }
    if (!grid.is_last()) {
      made.R.emplace(planned(in_precision<V>(transpose(grid.P.view())), finest));
      made.P.emplace(planned(in_precision<V>(std::move(grid.P)), finest));
    }
    Buffer<V> inverse(n);
    std::transform(grid.inverse.begin(), grid.inverse.end(), inverse.begin(),
                   [](double e) { return static_cast<V>(e); });
    made.inverse = inverse.to(device);
    made.middle = (grid.largest + grid.largest / smoothed) / 2;
    made.half = (grid.largest - grid.largest / smoothed) / 2;
    made.step = Buffer<V>(n, device);
    made.product = Buffer<V>(n, device);
    return made;
  }

  void cycle(std::size_t at, std::span<const V> r, std::span<V> z, Stream stream) const {
    const Stage<V>& here = stages_[at];
    if (at + 1 == stages_.size() && inverse_) return inverse_->multiply(r, z, stream);
    smooth(here, true, r, z, stream);
    if (!here.P) return;
    const Stage<V>& next = stages_[at + 1];
    here.A->multiply(std::span<const V>(z), here.product.span(), stream);
    run_trip<Combine<V>, V>(trips_, {V(1), r.data(), V(-1), here.product.data()}, here.product.size(), stream);
    here.R->multiply(here.product, next.r.span(), stream);
    cycle(at + 1, next.r, next.z.span(), stream);
    here.P->multiply(V(1), next.z, V(1), z, stream);
    smooth(here, false, r, z, stream);
  }

  // The Chebyshev iteration for A z = r (Saad, Iterative Methods, 12.1), from zero or from z.
  void smooth(const Stage<V>& on, bool from_zero, std::span<const V> r, std::span<V> z, Stream stream) const {
    const double sigma = on.middle / on.half;
    double rho = 1 / sigma;
    for (int k = 0; k < terms_; ++k) {
      const bool first = from_zero && k == 0;
      const double next = k == 0 ? rho : 1 / (2 * sigma - rho);
      if (!first) on.A->multiply(std::span<const V>(z), on.product.span(), stream);
      const double along = k == 0 ? 1 / on.middle : 2 * next / on.half, back = k == 0 ? 0 : next * rho;
      run_trip<ChebyshevStep<V>, V>(trips_,
                                    {static_cast<V>(along), static_cast<V>(back), on.inverse.data(), r.data(),
                                     first ? nullptr : on.product.data(), on.step.data(), z.data()},
                                    on.step.size(), stream);
      rho = next;
    }
  }

  int terms_, block_;
  std::vector<Stage<V>> stages_;
  std::optional<Operator<V>> inverse_;
  Trips<V> trips_;
};

template <class V>
int block_for(const CsrView<V>& matrix, int asked) {
  check(asked >= 0 && asked <= 32, ErrorKind::usage, "a block of {} rows: amg takes 1 to 32", asked);
  check(asked == 0 || matrix.rows % asked == 0, ErrorKind::usage, "{} rows are no blocks of {}", matrix.rows, asked);
  const int block = asked > 0 ? asked : nearly_full_block(matrix);
  return block > 0 && matrix.rows % block == 0 ? block : 1;
}

}  // namespace

template <class V>
std::shared_ptr<Preconditioner<V>> make_amg(const Operator<V>& A, const CsrView<V>& matrix,
                                            const PreconditionerOptions& options) {
  check(options.strength >= 0 && options.strength <= 1, ErrorKind::usage, "a strength of {}: amg takes 0 to 1",
        options.strength);
  check(options.smoothing >= 1 && options.smoothing <= 16, ErrorKind::usage,
        "a smoothing of degree {}: amg takes 1 to 16", options.smoothing);
  check(options.coarsest >= 1 && options.coarsest <= 4096, ErrorKind::usage,
        "{} rows of the coarsest grid: amg takes 1 to 4096", options.coarsest);
  const GridOptions wishes{block_for(matrix, options.block), options.strength, options.coarsest};
  if constexpr (sizeof(V) == sizeof(double))
    return std::make_shared<Multigrid<V>>(A, make_grids(matrix, wishes), options.smoothing);
  else
    return std::make_shared<Multigrid<V>>(A, make_grids(convert<double>(matrix), wishes), options.smoothing);
}

template std::shared_ptr<Preconditioner<float>> make_amg(const Operator<float>&, const CsrView<float>&,
                                                         const PreconditionerOptions&);
template std::shared_ptr<Preconditioner<double>> make_amg(const Operator<double>&, const CsrView<double>&,
                                                          const PreconditionerOptions&);

}  // namespace heddle::solve_method
