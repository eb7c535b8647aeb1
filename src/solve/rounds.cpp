// The iterations of a solve: rounds of a method, what may follow on a round, and the looks of the host.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.hpp"
#include "core/watch.hpp"
#include "solve/methods.hpp"
#include "solve/size.hpp"
#include "solve/solver.hpp"

namespace heddle::solve_method {

namespace {

constexpr std::int64_t most_iterations = 100'000;

}  // namespace

template <class V>
std::int64_t Solver<V>::limit() const {
  return options_.max_iterations >= 0 ? options_.max_iterations : std::min(10 * on.size(), most_iterations);
}

template <class V>
int Solver<V>::look_every() const {
  if (options_.check_every > 0) return options_.check_every;
  // A look costs a GPU some iterations' time, a late one some iterations for nothing.
  const int usual =
      on.device().host_memory() ? 1 : std::clamp(static_cast<int>(on.state.recorded / 8), 4, history_size);
  return std::max(usual, iterations_->fewest(on.state.recorded));
}

// Null where keep_going has ended it.
template <class V>
Prepared<V>* Solver<V>::prepared_unless_stopped(const SolveProgress& now) {
  KeepGoing ask;
  if (options_.keep_going) ask = [&](std::string_view, double) { return !asked_to_stop(now); };
  const Watch watch(ask);
  try {
    return &preparation_();
  } catch (const Error& error) {
    if (!stopped_ || error.kind() != ErrorKind::stopped) throw;
    return nullptr;
  }
}

template <class V>
void Solver<V>::prepare(const SolveProgress& now) {
  Prepared<V>* const found = prepared_unless_stopped(now);
  if (!found) return;
  Prepared<V>& prepared = *found;
  report_.loading_seconds = std::exchange(prepared.loading_seconds, 0);
  preconditioner_ = prepared.preconditioner;
  report_.preconditioner = preconditioner_ ? preconditioner_->name() : "none";
  report_.preconditioner_reason = prepared.reason;
  if (preconditioner_) report_.grids = preconditioner_->grids();
  const WallClock clock;
  take_method(prepared.method);
  report_.setup_seconds = prepared.seconds + clock.seconds();
}

template <class V>
void Solver<V>::take_method(const std::string& name) {
  report_.method = name;
  on.set_preconditioner(preconditioner_.get());
  iterations_.reset();
  method_ = method_line<V>(name).make(on, options_);
  iterations_.emplace(on, *method_, options_.graph);
}

// Each round starts from the recomputed residual. A round that ends well is checked; when rounding has made the
// residual carried along too optimistic, or the method broke down after some progress, another round follows.
template <class V>
void Solver<V>::iterate(double rr) {
  for (;;) {
    on.state.iteration = on.state.recorded;
    on.state.stopped = never;
    on.state.reason = Stop::none;
    Stop why = method_->start();
    if (why == Stop::none) why = round();
    method_->finish();
    const double before = rr;
    rr = on.residual();
    report_.iterations = on.state.recorded;
    note_residuals(why == Stop::small_residual || on.state.recorded > 0 ? last_recorded() : before, rr);
    if (small(rr)) return verdict(Status::converged, "the residual recomputed from x meets the tolerance");
    if (!std::isfinite(rr)) return verdict(Status::not_finite, "an Inf or NaN came up");
    if (go_on(why, before, rr) || starts_again(why) || go_on_with_minres(why)) continue;
    return give_up(why);
  }
}

template <class V>
bool Solver<V>::go_on(Stop why, double before, double rr) const {
  constexpr double progress = 0.25;  // of the squared residual: half its norm
  if (on.state.recorded >= limit() || stuck_ || diverged_ || stopped_) return false;
  if (why == Stop::none) return rr < before * (1 - 1e-10);  // a cycle of gmres is full
  const bool worth_it = why == Stop::small_residual || why == Stop::breakdown || why == Stop::exhausted;
  return worth_it && rr < progress * before;
}

template <class V>
bool Solver<V>::starts_again(Stop why) {
  return on.state.recorded < limit() && !stopped_ && method_->starts_again(why);
}

// Where "auto" took cg, and cg proves that A or the preconditioner is not positive definite. A preconditioner that is
// not is of no use to minres either: a named one is dropped.
template <class V>
bool Solver<V>::go_on_with_minres(Stop why) {
  Prepared<V>& prepared = preparation_();
  const bool of_preconditioner = why == Stop::preconditioner && preconditioner_ && !options_.own_preconditioner;
  const bool of_matrix = why == Stop::curvature && prepared.method == "cg";
  if (!prepared.method_was_auto || !(of_matrix || of_preconditioner) || on.state.recorded >= limit()) return false;
  std::string reason;
  if (method_->judge(why, reason) != Status::indefinite) return false;
  if (of_preconditioner) {
    prepared.reason = fmt::format("without {}, which is not positive definite here", preconditioner_->name());
    prepared.preconditioner = preconditioner_ = nullptr;
    report_.preconditioner = "none";
    report_.preconditioner_reason = prepared.reason;
  }
  if (prepared.method == "cg") report_.minres_from = on.state.recorded;
  prepared.method = "minres";
  take_method("minres");
  best_ = HUGE_VAL;
  best_at_ = on.state.recorded;
  return true;
}

template <class V>
void Solver<V>::give_up(Stop why) {
  if (stopped_) return verdict(Status::stopped, "keep_going ended it");
  std::string reason;
  const bool full = why == Stop::none && on.state.recorded < limit();
  Status status = method_->judge(full ? Stop::exhausted : why, reason);
  if (diverged_) {
    status = Status::breakdown;
    reason = "the residual has grown beyond all bounds; is the matrix singular?";
  } else if (stuck_) {
    status = Status::stagnated;
    reason = "the residual has not become smaller for a long time";
  }
  verdict(status, std::move(reason));
}

// Iterations until the method stops, is full, gets stuck or may not do more.
template <class V>
Stop Solver<V>::round() {
  while (on.state.recorded < limit() && !method_->full() && !stuck_ && !diverged_ && !stopped_) {
    const std::int64_t seen = on.state.recorded;
    const std::int64_t batch = std::min<std::int64_t>(look_every(), limit() - seen);
    iterations_->queue(seen, batch);
    on.fetch();
    look_at_history(seen);
    if (on.state.reason != Stop::none) return on.state.reason;
    check(on.state.recorded > seen, ErrorKind::internal, "{} did no iteration", to_string(on.device()));
    if (const Operator<V>* first = on.first_action().as_operator())
      if (const Operator<V>* better = better_->take(*first, on.state.recorded)) change_to(*better);
  }
  return Stop::none;
}

template <class V>
void Solver<V>::change_to(const Operator<V>& better) {
  on.set_operator(better);
  if (preconditioner_) preconditioner_->use(better);
  iterations_->operator_changed();
  report_.plan = to_string(better.plan());
}

template <class V>
void Solver<V>::look_at_history(std::int64_t seen) {
  for (std::int64_t k = seen + 1; k <= on.state.recorded; ++k) {
    const double rr = on.state.history[k % history_size];
    report_.history.push_back(relative(rr));
    if (rr < 0.98 * best_) best_ = rr, best_at_ = k;
  }
  diverged_ = report_.history.back() > largest_;
  stuck_ = on.state.recorded - best_at_ > std::max<std::int64_t>(1000, on.size());
  if (on.state.recorded == seen) return;
  const SolveProgress now{on.state.recorded, report_.history.back(), target_ / b_.scaled};
  if (options_.progress) options_.progress(now);
  if (options_.iterate) show(now);
  asked_to_stop(now);
}

template <class V>
void Solver<V>::show(const SolveProgress& now) {
  Buffer<V> x = on.vector();
  on.copy(on.x, x.data());
  method_->add_rest(x.data());
  if (b_.scale != 1) on.trip(Combine<V>{V(0), nullptr, V(1) / static_cast<V>(b_.scale), x.data()});
  const Buffer<V> here = on_host(on, x.data());
  options_.iterate(now, here.span());
}

template <class V>
bool Solver<V>::asked_to_stop(const SolveProgress& now) {
  if (options_.keep_going && !options_.keep_going(now)) stopped_ = true;
  return stopped_;
}

template class Solver<float>;
template class Solver<double>;

}  // namespace heddle::solve_method
