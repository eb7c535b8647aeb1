#include "solve/changeover.hpp"

#include <cmath>

namespace heddle::solve_method {

template <class V>
const Operator<V>* BetterOperator<V>::take(const Operator<V>& first, std::int64_t iteration) {
  const Operator<V>* made = building_ && !outcome_.happened ? building_->ready() : nullptr;
  if (!made) return nullptr;
  require_same_matrix(first, *made);
  outcome_.happened = true;
  outcome_.iteration = iteration;
  outcome_.plan = to_string(made->plan());
  changed_at_ = clock_.seconds();
  return made;
}

template <class V>
Changeover BetterOperator<V>::finish(std::int64_t iterations) {
  const double end = clock_.seconds();
  if (building_) {
    building_->wait();
    outcome_.build_seconds = building_->seconds();
    outcome_.error = building_->error();
  }
  if (!outcome_.happened) {
    outcome_.iteration = iterations;
    outcome_.first_seconds = iterations > 0 ? end / static_cast<double>(iterations) : 0;
    return outcome_;
  }
  const std::int64_t later = iterations - outcome_.iteration;
  if (outcome_.iteration > 0) outcome_.first_seconds = changed_at_ / static_cast<double>(outcome_.iteration);
  if (later > 0) outcome_.better_seconds = (end - changed_at_) / static_cast<double>(later);
  const double gain = outcome_.first_seconds - outcome_.better_seconds;
  if (outcome_.iteration > 0 && later > 0 && gain > 0)
    outcome_.break_even = static_cast<std::int64_t>(std::ceil(outcome_.build_seconds / gain));
  return outcome_;
}

template class BetterOperator<float>;
template class BetterOperator<double>;

}  // namespace heddle::solve_method
