// An operator that another thread builds while the caller goes on without it.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include <heddle/operator.hpp>

namespace heddle {

template <class V>
class BackgroundBuild {
 public:
  // Nothing, where there is nothing better to build; what it throws is kept as `error`. It is called on another
  // thread, or not at all where none can be had.
  using Builder = std::function<std::optional<Operator<V>>()>;

  explicit BackgroundBuild(Builder builder);
  ~BackgroundBuild() { wait(); }
  BackgroundBuild(const BackgroundBuild&) = delete;
  BackgroundBuild& operator=(const BackgroundBuild&) = delete;

  // Null until it is built, and for ever where it is not. Never waits.
  const Operator<V>* ready() const noexcept { return over() && made_ ? &*made_ : nullptr; }
  bool over() const noexcept { return over_.load(std::memory_order_acquire); }
  // Until it is over. To be called by one thread.
  void wait();

  // Once it is over.
  double seconds() const noexcept { return seconds_; }
  const std::string& error() const noexcept { return error_; }
  std::optional<Operator<V>> take() && { return std::move(made_); }

 private:
  void build(const Builder& builder);

  std::optional<Operator<V>> made_;
  std::string error_;
  double seconds_ = 0;
  std::atomic<bool> over_{false};
  std::thread worker_;
};

// Error(usage) unless one can take the place of the other.
template <class V>
void require_same_matrix(const Operator<V>& first, const Operator<V>& better);

}  // namespace heddle
