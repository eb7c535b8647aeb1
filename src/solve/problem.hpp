// The system that is being solved, on its device, and everything a method does with it.
#pragma once

#include <heddle/solve.hpp>

#include "solve/action.hpp"
#include "solve/krylov/vectors.hpp"

namespace heddle::solve_method {

enum SumSlot { first_sum, second_sum, sum_slots };

template <class V>
class Problem {
 public:
  Problem(const Action<V>& A, const V* b, V* x, Stream stream);

  const V* b;
  V* x;
  Buffer<V> r;                     // b - A x, as `residual` or the method left it
  Preconditioner<V>* M = nullptr;  // null: none
  const V* d = nullptr;            // its diagonal, where it has one
  State state;                     // as last fetched or set

  std::int64_t size() const { return n_; }
  Device device() const { return device_; }
  Stream stream() const { return stream_; }
  void set_stream(Stream stream) { stream_ = stream; }
  const Action<V>& action() const { return A_; }
  const Action<V>& first_action() const { return first_; }
  void set_operator(const Operator<V>& A) { A_ = A; }
  void set_preconditioner(Preconditioner<V>* made) {
    M = made;
    d = made ? made->diagonal() : nullptr;
  }

  Buffer<V> vector() const { return Buffer<V>(n_, device_); }
  Buffer<V> noise() const;  // from -0.5 to 0.5, the same every time
  // Partial sums: slot and dot product within it.
  double* sums(SumSlot slot, int which = 0) { return sums_.data() + (slot * columns_at_once + which) * pieces_; }

  template <class Body>
  void trip(const Body& body, const double* in = nullptr, double* out = nullptr) {
    std::get<void (*)(const Body&, const Trip&)>(trips_)(body, {n_, state_.data(), in, out, stream_});
  }
  void multiply(const V* from, V* to);      // to = A from
  void precondition(const V* from, V* to);  // to = M^-1 from
  void copy(const V* from, V* to) { trip(Combine<V>{V(1), from, V(0), to}); }
  void clear(V* to) { trip(Combine<V>{V(0), nullptr, V(0), to}); }

  // These wait for the device.
  double dot(const V* a, const V* b);
  double residual();  // r = b - A x; gives r'r, or NaN where x holds an Inf or NaN, be it in a column without entries
  bool finite_x();
  void fetch();
  void store();

 private:
  double total(const double* sums);

  Action<V> first_, A_;  // as given, and what is multiplied by now
  std::int64_t n_;
  Device device_;
  Stream stream_;
  std::int64_t pieces_;
  Trips<V> trips_;
  Buffer<double> sums_, sums_here_;
  Buffer<State> state_;
};

template <class V>
class Method {
 public:
  virtual ~Method() = default;
  // Begins anew from problem.x and problem.r = b - A x.
  virtual Stop start() = 0;
  // Queues one iteration; once the state says stopped, that changes neither x nor the state.
  virtual void queue() = 0;
  // Gives the vectors their roles in the next iteration. After `period` of them the work is the same again; 0: never.
  virtual void advance() {}
  virtual int period() const { return 1; }
  void iterate() {
    queue();
    advance();
  }
  // Whether to start once more, with what this stop has taught; called after `finish`.
  virtual bool starts_again(Stop) { return false; }
  // No further iteration before `finish` and another `start`.
  virtual bool full() const { return false; }
  // Brings x up to date with the iterations that were done.
  virtual void finish() {}
  // Adds to a copy of x what `finish` would add to x.
  virtual void add_rest([[maybe_unused]] V* copy_of_x) {}
  // What the stop means; called after `finish`, with the state fetched.
  virtual Status judge(Stop why, std::string& reason);
};

template <class V>
std::unique_ptr<Method<V>> make_cg(Problem<V>& problem);
template <class V>
std::unique_ptr<Method<V>> make_minres(Problem<V>& problem);
template <class V>
std::unique_ptr<Method<V>> make_bicgstab(Problem<V>& problem);
template <class V>
std::unique_ptr<Method<V>> make_gmres(Problem<V>& problem, int restart);

}  // namespace heddle::solve_method
