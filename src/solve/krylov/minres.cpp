// MINRES (Paige and Saunders 1975): the smallest residual over the Krylov space of a symmetric matrix, definite or not.
#include <algorithm>
#include <cmath>
#include <utility>

#include "solve/problem.hpp"

namespace heddle::solve_method {

namespace {

template <class V>
class Minres final : public Method<V> {
 public:
  explicit Minres(Problem<V>& problem)
      : on(problem), r1(on.vector()), r2(on.vector()), t(on.vector()), w1(on.vector()), w2(on.vector()) {
    if (on.M) y = on.vector(), next_y = on.vector(), res = on.vector();
  }

  Stop start() override {
    on.copy(on.r.data(), r2.data());
    if (on.M) {
      on.precondition(r2.data(), y.data());
      on.copy(on.r.data(), res.data());
    }
    for (Buffer<V>* zero : {&r1, &w1, &w2}) on.clear(zero->data());
    const double squared = on.dot(r2.data(), lanczos());  // beta^2 = r'M^-1 r
    const double beta = std::sqrt(squared), scale = scale_for(beta);
    if (scale != 1)
      for (Buffer<V>* v : {&r2, &y})
        if (!v->empty()) on.trip(Combine<V>{V(0), nullptr, static_cast<V>(scale), v->data()});
    on.state.memory[0] = on.state.memory[1] = {.beta = beta * scale, .phibar = beta};
    on.store();
    began_at_ = on.state.recorded;
    return !finite(squared) ? Stop::not_finite : squared > 0 ? Stop::none : Stop::preconditioner;
  }

  void queue() override {
    double *first = on.sums(first_sum), *second = on.sums(second_sum);
    on.multiply(lanczos(), t.data());                                     // t = A y
    on.trip(Dot<V>{lanczos(), t.data(), Dot<V>::opens}, nullptr, first);  // y't
    V* new_y = on.d ? next_y.data() : nullptr;
    on.trip(MinresVector<V>{t.data(), r1.data(), r2.data(), on.d, new_y}, first, second);
    if (on.M && !on.d) {
      on.precondition(t.data(), next_y.data());
      on.trip(Dot<V>{t.data(), next_y.data(), Dot<V>::inside, 2}, nullptr, second);  // beta^2
    }
    on.trip(MinresSolution<V>{lanczos(), w2.data(), w1.data(), on.x, t.data(), on.M ? res.data() : nullptr}, second,
            first);
    if (on.M) on.trip(ResidualCheck{}, first);
  }
  void advance() override {
    std::swap(w1, w2);
    std::swap(r1, r2);  // r1 <- r2 <- t, and t gets the memory that is free
    std::swap(r2, t);
    if (on.M) std::swap(y, next_y);
  }
  int period() const override { return 6; }  // two and three vectors in turn

  // What rounding leaves of zero is told by the size of the numbers of the Lanczos recurrence, whose first two know
  // that of r and not yet that of A. So an end within them is believed once A has been asked.
  bool starts_again(Stop why) override {
    if (why != Stop::exhausted || norm_ > 0 || on.state.recorded > began_at_ + 2) return false;
    norm_ = norm_of_a_vector();
    return norm_ > 0 && finite(norm_);
  }

 private:
  const V* lanczos() const { return on.M ? y.data() : r2.data(); }

  // How much longer M^-1/2 A M^-1/2 makes some vector.
  double norm_of_a_vector() {
    const Buffer<V> u = on.noise();
    Buffer<V> v = on.vector();
    on.precondition(u.data(), v.data());
    const double before = on.dot(u.data(), v.data());
    on.multiply(v.data(), t.data());
    on.precondition(t.data(), v.data());
    return std::sqrt(on.dot(t.data(), v.data()) / before);
  }
  // A power of two that brings the first beta, which does not matter otherwise, to the size of A.
  double scale_for(double beta) const {
    if (!(norm_ > 0) || !(beta > 0) || !finite(beta)) return 1;
    const int most = sizeof(V) == 8 ? 1000 : 100;
    return std::ldexp(1.0, std::clamp(std::ilogb(norm_) - std::ilogb(beta), -most, most));
  }

  Problem<V>& on;
  double norm_ = 0;  // 0: not asked for
  std::int64_t began_at_ = 0;
  Buffer<V> r1, r2, t, w1, w2, y, next_y, res;
};

}  // namespace

template <class V>
std::unique_ptr<Method<V>> make_minres(Problem<V>& problem) {
  return std::make_unique<Minres<V>>(problem);
}

template std::unique_ptr<Method<float>> make_minres(Problem<float>&);
template std::unique_ptr<Method<double>> make_minres(Problem<double>&);

}  // namespace heddle::solve_method
