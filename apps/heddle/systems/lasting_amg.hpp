// `heddle solve --then`: other numbers on the pattern of the matrix before. The operator keeps its plan, and amg its
// aggregates and patterns; other preconditioners are made anew by each solve.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <heddle/error.hpp>
#include <heddle/solve.hpp>

#include "core/stopwatch.hpp"
#include "solve/loading.hpp"

namespace heddle {

// What it took to have an amg for the numbers of a matrix.
struct AmgSetUp {
  double seconds = 0;
  bool renewed = false;      // the amg of the numbers before took these
  std::int64_t changed = 0;  // then: couplings that are strong now and were not, or the other way round
  std::string refused;       // why it did not, and a new one was made
};

// The amg of a sequence of matrices; none where another preconditioner is asked for or is the better one.
template <class V>
class LastingAmg {
 public:
  LastingAmg(const Operator<V>& A, const SolveOptions<V>& wishes)
      : A_(A), matrix_(*wishes.matrix), settings_(wishes.preconditioner_options) {
    settings_.updates = true;
    if (wishes.preconditioner == "amg")
      begin(wishes);
    else if (wishes.preconditioner == "auto")
      choose(wishes);
  }

  const std::shared_ptr<Preconditioner<V>>& preconditioner() const { return amg_; }
  const AmgSetUp& set_up() const { return set_up_; }

  // The numbers of the matrix and of its operator are new ones.
  void renew() {
    if (!amg_) return;
    set_up_ = {.renewed = true};
    try {
      set_up_.seconds = seconds_of([&] { set_up_.changed = amg_->update_values(matrix_.val); });
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unavailable) throw;
      set_up_ = {.refused = error.message()};
      make();
    }
  }
  // The solve itself knows neither the seconds nor the reason.
  void complete(Report& report) const {
    if (!amg_) return;
    report.setup_seconds += set_up_.seconds;
    report.preconditioner_reason = reason_;
  }

 private:
  void make() {
    amg_.reset();
    set_up_.seconds = seconds_of([&] { amg_ = make_preconditioner("amg", A_, matrix_, settings_); });
  }
  void begin(const SolveOptions<V>& wishes) {
    if (A_.device().kind == Device::Kind::gpu)
      solve_method::load_kernels<V>({A_.device(), wishes.method == "auto" ? method_for(matrix_) : wishes.method, "amg",
                                     solve_method::set_up_of(matrix_, settings_)});
    make();
  }
  void choose(const SolveOptions<V>& wishes) {
    const std::string method = wishes.method == "auto" ? method_for(matrix_) : wishes.method;
    PreconditionerChoice choice = preconditioner_for(matrix_, method, A_.device(), wishes.tolerance);
    if (choice.name != "amg") return;
    try {
      begin(wishes);
      reason_ = std::move(choice.reason);
    } catch (const Error& error) {  // the solve will find that, too, and take jacobi
      if (error.kind() != ErrorKind::input) throw;
    }
  }

  const Operator<V>& A_;
  const Csr<V>& matrix_;
  PreconditionerOptions settings_;
  std::shared_ptr<Preconditioner<V>> amg_;
  AmgSetUp set_up_;
  std::string reason_;
};

}  // namespace heddle
