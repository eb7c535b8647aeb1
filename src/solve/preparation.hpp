// What is decided and made once for all right-hand sides of a matrix: the method and the preconditioner.
#pragma once

#include <optional>

#include <heddle/solve.hpp>

#include "solve/action.hpp"

namespace heddle::solve_method {

template <class V>
struct Prepared {
  std::string method;  // no "auto" left
  bool method_was_auto = false;
  std::shared_ptr<Preconditioner<V>> preconditioner;
  std::string reason;  // why this preconditioner
  double seconds = 0, loading_seconds = 0;
};

template <class V>
class Preparation {
 public:
  Preparation(const Action<V>& A, const SolveOptions<V>& options) : A_(A), options_(options) {}
  // Made when it is first asked for: a system whose first guess is a solution needs none.
  Prepared<V>& operator()();

 private:
  Prepared<V> made() const;

  Action<V> A_;
  const SolveOptions<V>& options_;
  std::optional<Prepared<V>> prepared_;
};

}  // namespace heddle::solve_method
