// Overlapped planning (Matam and Kothapalli 2011, CG with overlapped preprocessing): iterations run with a cheap
// operator while another thread builds a better one.
#pragma once

#include <functional>
#include <optional>

#include <heddle/solve.hpp>

#include "core/stopwatch.hpp"
#include "plan/background_build.hpp"

namespace heddle::solve_method {

template <class V>
class BetterOperator {
 public:
  // Nothing happens without a builder.
  explicit BetterOperator(const std::function<Operator<V>()>& builder) {
    outcome_.asked = static_cast<bool>(builder);
    if (builder) building_.emplace(builder);
  }

  void iterations_begin() { clock_ = WallClock(); }
  // The operator, the first time it is asked for after it has become ready; else null.
  const Operator<V>* take(const Operator<V>& first, std::int64_t iteration);
  // To be called when a solve ends: fills in what is known about the change.
  Changeover finish(std::int64_t iterations);

 private:
  Changeover outcome_;
  WallClock clock_;
  double changed_at_ = 0;
  std::optional<BackgroundBuild<V>> building_;
};

}  // namespace heddle::solve_method
