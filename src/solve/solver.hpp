// One system: the rounds of a method, and the verdict.
#pragma once

#include <optional>

#include <heddle/solve.hpp>

#include "solve/changeover.hpp"
#include "solve/iterations.hpp"
#include "solve/preparation.hpp"
#include "solve/problem.hpp"
#include "solve/size.hpp"

namespace heddle::solve_method {

// x of the problem is memory of this solve alone. It begins as the first guess, and is to be given back where `run`
// says so.
template <class V>
class Solver {
 public:
  Solver(Problem<V>& problem, Preparation<V>& preparation, const SolveOptions<V>& options, Report& report)
      : on(problem), preparation_(preparation), options_(options), report_(report) {}
  // The preconditioner may be the caller's, and the better operator ends with the solve.
  ~Solver();
  Solver(const Solver&) = delete;

  // Whether x has changed.
  bool run();

 private:
  // solver.cpp: what is solved, and what is said of it.
  bool run_without_b();
  bool run_scaled();
  void run_from(double rr);
  void judge_returned();
  void verdict(Status status, std::string reason);
  void note_residuals(double carried, double recomputed);
  double relative(double squared) const;
  bool small(double squared) const;

  // rounds.cpp: the iterations.
  Prepared<V>* prepared_unless_stopped(const SolveProgress& now);
  void prepare(const SolveProgress& now);
  void take_method(const std::string& name);
  void iterate(double rr);
  bool go_on(Stop why, double before, double rr) const;
  bool starts_again(Stop why);
  bool go_on_with_minres(Stop why);
  void give_up(Stop why);
  Stop round();
  void change_to(const Operator<V>& better);
  void look_at_history(std::int64_t seen);
  void show(const SolveProgress& now);
  bool asked_to_stop(const SolveProgress& now);
  std::int64_t limit() const;
  int look_every() const;
  double last_recorded() const { return on.state.history[on.state.recorded % history_size]; }

  Problem<V>& on;
  Preparation<V>& preparation_;
  const SolveOptions<V>& options_;
  Report& report_;
  Size b_;
  double target_ = 0;
  std::shared_ptr<Preconditioner<V>> preconditioner_;
  std::unique_ptr<Method<V>> method_;
  std::optional<Iterations<V>> iterations_;
  BetterOperator<V>* better_ = nullptr;
  double best_ = HUGE_VAL;
  std::int64_t best_at_ = 0;
  double largest_ = 0;  // a relative residual beyond this leaves no correct digit in x
  bool stuck_ = false, diverged_ = false, stopped_ = false;
};

}  // namespace heddle::solve_method
