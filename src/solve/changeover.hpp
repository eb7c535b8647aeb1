// Overlapped planning (Matam and Kothapalli 2011, CG with overlapped preprocessing): iterations run with a cheap
// operator while another thread builds a better one.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <optional>
#include <thread>

#include <heddle/solve.hpp>

#include "solve/seconds.hpp"

namespace heddle::solve_method {

template <class V>
class BetterOperator {
 public:
  // Nothing happens without a builder. Where no thread can be had, there will be no better operator.
  explicit BetterOperator(const std::function<Operator<V>()>& builder) {
    if (!builder) return;
    outcome_.asked = true;
    try {
      worker_ = std::thread([this, builder] { build(builder); });
    } catch (const std::system_error& error) {
      outcome_.error = error.what();
    }
  }
  ~BetterOperator() {
    if (worker_.joinable()) worker_.join();
  }
  BetterOperator(const BetterOperator&) = delete;

  void iterations_begin() { clock_ = Clock(); }
  // The operator, the first time it is asked for after it has become ready; else null.
  const Operator<V>* take(const Operator<V>& first, std::int64_t iteration);
  // To be called when a solve ends: fills in what is known about the change.
  Changeover finish(std::int64_t iterations);

 private:
  void build(const std::function<Operator<V>()>& builder) {
    const Clock clock;
    try {
      made_.emplace(builder());
    } catch (const std::exception& error) {
      outcome_.error = error.what();
    }
    outcome_.build_seconds = clock.seconds();
    ready_.store(true, std::memory_order_release);
  }

  Changeover outcome_;
  Clock clock_;
  double changed_at_ = 0;
  std::optional<Operator<V>> made_;
  std::atomic<bool> ready_{false};
  std::thread worker_;
};

}  // namespace heddle::solve_method
