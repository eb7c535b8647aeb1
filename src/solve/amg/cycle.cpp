#include "solve/amg/cycle.hpp"

#include <algorithm>
#include <utility>

#include <heddle/analyze.hpp>
#include <heddle/choose.hpp>
#include <heddle/error.hpp>

#include "formats/build_canonical.hpp"
#include "plan/prospects.hpp"
#include "solve/iterations.hpp"

namespace heddle::solve_method {

namespace {

template <class V>
Buffer<V> in_precision(const Steps& steps, Buffer<double>&& values) {
  if constexpr (sizeof(V) == sizeof(double))
    return std::move(values);
  else
    return steps.narrowed(values);
}
template <class V>
Csr<V> in_precision(const Steps& steps, Csr<double>&& matrix) {
  return {matrix.rows, matrix.cols, std::move(matrix.ptr), std::move(matrix.col),
          in_precision<V>(steps, std::move(matrix.val))};
}
template <class T>
Buffer<T> borrowed(const Buffer<T>& from) {
  return Buffer<T>::borrow(from, from.device());
}

// Matrices in host memory come from the set-up, or have been checked before it: nobody looks again whether they are
// canonical.
template <class V>
Plan plan_for(const Csr<V>& matrix, Device device) {
  const Machine& machine = built_in_machine(device.kind);
  const ChooseOptions options{.expected_multiplies = 200, .device = device, .reorder = false};
  if (device == Device::cpu()) return choose_canonical(matrix, machine, options);
  return choose(matrix, analyze(matrix, Detail::planning), machine, options);
}

// Of a matrix in the memory of a device nobody has asked whether the format takes it.
template <class V, class Matrix>
Operator<V> built(Matrix&& matrix, const Plan& plan, const Place& place) {
  const Plan csr{"csr", {}};
  const BuildOptions options{.device = place.device, .updates = place.updates};
  if (place.device == Device::cpu()) return build_canonical(std::forward<Matrix>(matrix), plan, options);
  if (matrix.val.device().host_memory()) return build(std::forward<Matrix>(matrix), plan, options);
  try {
    return build(std::as_const(matrix), plan, options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unavailable || plan.format == csr.format) throw;
  }
  return build(std::forward<Matrix>(matrix), csr, options);
}

template <class V, class Matrix>
Operator<V> planned_and_built(Matrix&& matrix, const Place& place) {
  const Plan plan = plan_for(matrix, place.device);
  const bool recorded = place.device.kind == Device::Kind::gpu && place.finest_rows <= most_rows_recorded;
  if (!recorded) return built<V>(std::forward<Matrix>(matrix), plan, place);
  Operator<V> made = built<V>(std::as_const(matrix), plan, place);
  return made.takes_turns() ? built<V>(std::forward<Matrix>(matrix), Plan{"csr", {}}, place) : std::move(made);
}

// Grids into stages.
template <class V>
class Builder {
 public:
  Builder(const Steps& steps, const Operator<V>& finest, bool keep)
      : steps_(steps), place_{finest.device(), finest.rows(), keep}, keep_(keep) {}

  Stage<V> stage(Grid& grid) const {
    const std::int64_t n = grid.inverse.size();
    Stage<V> made;
    if (grid.A.rows > 0) {
      made.own.emplace(placed(grid.A));
      made.r = Buffer<V>(n, place_.device);
      made.z = Buffer<V>(n, place_.device);
    }
    if (!grid.is_last()) {
      made.R.emplace(placed(grid.R));
      made.P.emplace(placed(grid.P));
    }
    made.inverse = vector(keep_ ? borrowed(grid.inverse) : std::move(grid.inverse));
    made.step = Buffer<V>(n, place_.device);
    made.product = Buffer<V>(n, place_.device);
    return made;
  }
  Operator<V> placed(Csr<double>& matrix) const {
    if (!keep_) return planned(in_precision<V>(steps_, std::move(matrix)), place_);
    const Csr<V> kept = in_precision<V>(steps_, solve_method::borrowed(matrix));
    return planned(kept, place_);
  }
  Buffer<V> vector(Buffer<double>&& values) const {
    return in_precision<V>(steps_, std::move(values)).owned_on(place_.device);
  }

 private:
  const Steps& steps_;
  Place place_;
  bool keep_;
};

}  // namespace

std::vector<SmootherTerm> smoother_terms(Smoother kind, int terms, double largest) {
  std::vector<SmootherTerm> made;
  if (kind == Smoother::fourth_kind) {
    for (int k = 0; k < terms; ++k)
      made.push_back({(8.0 * k + 4) / (2.0 * k + 3) / largest, k == 0 ? 0 : (2.0 * k - 1) / (2.0 * k + 3)});
    return made;
  }
  // Saad, Iterative Methods, 12.1
  constexpr double smoothed = 10;  // the largest eigenvalue over the smallest one that smoothing takes care of
  const double middle = (largest + largest / smoothed) / 2, half = (largest - largest / smoothed) / 2;
  const double sigma = middle / half;
  double rho = 1 / sigma;
  for (int k = 0; k < terms; ++k) {
    const double next = k == 0 ? rho : 1 / (2 * sigma - rho);
    made.push_back({k == 0 ? 1 / middle : 2 * next / half, k == 0 ? 0 : next * rho});
    rho = next;
  }
  return made;
}

Csr<double> borrowed(const Csr<double>& matrix) {
  return {matrix.rows, matrix.cols, borrowed(matrix.ptr), borrowed(matrix.col), borrowed(matrix.val)};
}

template <class V>
Operator<V> planned(Csr<V>&& matrix, const Place& place) {
  return planned_and_built<V>(std::move(matrix), place);
}
template <class V>
Operator<V> planned(const Csr<V>& matrix, const Place& place) {
  return planned_and_built<V>(matrix, place);
}

template <class V>
Cycle<V>::Cycle(const Steps& steps, const Operator<V>& finest, Grids& grids, int smoothing, bool keep)
    : smoothing_(smoothing),
      kind_(grids.block == 1 && grids.regular ? Smoother::fourth_kind : Smoother::first_kind),
      trips_(trips_on<V>(finest.device())) {
  const Builder<V> builder(steps, finest, keep);
  for (Grid& grid : grids.all) {
    stages_.push_back(builder.stage(grid));
    stages_.back().terms = smoother_terms(kind_, smoothing_, grid.largest);
  }
  stages_.front().A = &finest;
  for (Stage<V>& s : stages_)
    if (s.own) s.A = &*s.own;
  if (grids.inverse.rows > 0) inverse_.emplace(builder.placed(grids.inverse));
}

template <class V>
void Cycle<V>::renew(const Steps& steps, const Grids& grids) {
  const Builder<V> builder(steps, *stages_.front().A, true);
  const auto put = [&](std::optional<Operator<V>>& into, const Buffer<double>& values) {
    if (into) into->update_values(in_precision<V>(steps, borrowed(values)));
  };
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Stage<V>& stage = stages_[i];
    const Grid& grid = grids.all[i];
    put(stage.own, grid.A.val);
    put(stage.R, grid.R.val);
    put(stage.P, grid.P.val);
    stage.inverse = builder.vector(borrowed(grid.inverse));
    stage.terms = smoother_terms(kind_, smoothing_, grid.largest);
  }
  put(inverse_, grids.inverse.val);
}

template <class V>
bool Cycle<V>::recordable() const {
  const auto free = [](const std::optional<Operator<V>>& op) { return !op || !op->takes_turns(); };
  return free(inverse_) && std::all_of(stages_.begin(), stages_.end(),
                                       [&](const Stage<V>& s) { return free(s.own) && free(s.P) && free(s.R); });
}

template <class V>
std::vector<GridInfo> Cycle<V>::grids() const {
  std::vector<GridInfo> all;
  for (const Stage<V>& s : stages_)
    all.push_back({s.A->rows(), s.A->nnz(), to_string(s.A->plan()), s.P ? s.P->nnz() : 0});
  if (inverse_) all.back().plan = "inverse, " + to_string(inverse_->plan());
  return all;
}

template <class V>
void Cycle<V>::on_grid(std::size_t at, std::span<const V> r, std::span<V> z, Stream stream) const {
  const Stage<V>& here = stages_[at];
  if (at + 1 == stages_.size() && inverse_) return inverse_->multiply(r, z, stream);
  smooth(here, true, r, z, stream);
  if (!here.P) return;
  const Stage<V>& next = stages_[at + 1];
  here.A->multiply(std::span<const V>(z), here.product.span(), stream);
  run_trip<Combine<V>, V>(trips_, {V(1), r.data(), V(-1), here.product.data()}, here.product.size(), stream);
  here.R->multiply(here.product, next.r.span(), stream);
  on_grid(at + 1, next.r, next.z.span(), stream);
  here.P->multiply(V(1), next.z, V(1), z, stream);
  smooth(here, false, r, z, stream);
}

// From zero or from z.
template <class V>
void Cycle<V>::smooth(const Stage<V>& on, bool from_zero, std::span<const V> r, std::span<V> z, Stream stream) const {
  for (std::size_t k = 0; k < on.terms.size(); ++k) {
    const bool first = from_zero && k == 0;
    if (!first) on.A->multiply(std::span<const V>(z), on.product.span(), stream);
    run_trip<ChebyshevStep<V>, V>(
        trips_,
        {static_cast<V>(on.terms[k].along), static_cast<V>(on.terms[k].back), on.inverse.data(), r.data(),
         first ? nullptr : on.product.data(), on.step.data(), z.data()},
        on.step.size(), stream);
  }
}

template class Cycle<float>;
template class Cycle<double>;
template Operator<float> planned(Csr<float>&&, const Place&);
template Operator<double> planned(Csr<double>&&, const Place&);
template Operator<float> planned(const Csr<float>&, const Place&);
template Operator<double> planned(const Csr<double>&, const Place&);

}  // namespace heddle::solve_method
