// What a system multiplies by: an operator, or a function of the caller.
#pragma once

#include <string>

#include <heddle/matrix_free.hpp>
#include <heddle/operator.hpp>

namespace heddle::solve_method {

template <class V>
class Action {
 public:
  Action(const Operator<V>& A) : op_(&A) {}
  Action(const MatrixFree<V>& A) : function_(&A) {}

  std::int64_t size() const { return op_ ? op_->rows() : function_->size; }
  Device device() const { return op_ ? op_->device() : function_->device; }
  std::string plan() const { return op_ ? to_string(op_->plan()) : function_->name; }
  // An operator that is not re-entrant cannot be serialised inside a graph, where another user of it would meet the
  // replay.
  bool recordable() const { return op_ ? !op_->takes_turns() : function_->recordable; }
  const Operator<V>* as_operator() const { return op_; }
  // "auto" for a function, by what its owner says of it.
  std::string promised_method() const {
    return !function_->symmetric ? "gmres" : function_->positive_definite ? "cg" : "minres";
  }

  void multiply(const V* x, V* y, Stream stream);  // y = A x

 private:
  void call(std::span<const V> x, std::span<V> y, Stream stream) const;
  void checked_call(std::span<const V> x, std::span<V> y, Stream stream) const;

  const Operator<V>* op_ = nullptr;
  const MatrixFree<V>* function_ = nullptr;
  bool called_ = false;
};

}  // namespace heddle::solve_method
