// BiCGSTAB (van der Vorst 1992), preconditioned from the right, for any square matrix.
#include "solve/problem.hpp"

namespace heddle::solve_method {

namespace {

template <class V>
class Bicgstab final : public Method<V> {
 public:
  explicit Bicgstab(Problem<V>& problem)
      : on(problem), r0(on.vector()), p(on.vector()), v(on.vector()), t(on.vector()) {
    if (on.M) p_hat = on.vector(), s_hat = on.vector();
  }

  Stop start() override {
    on.copy(on.r.data(), r0.data());
    on.copy(on.r.data(), p.data());
    if (on.M) on.precondition(p.data(), p_hat.data());
    const double rho = on.dot(r0.data(), on.r.data());
    on.state.memory[0].rho = on.state.memory[1].rho = rho;
    on.store();
    return finite(rho) ? Stop::none : Stop::not_finite;
  }

  void queue() override {
    double *first = on.sums(first_sum), *second = on.sums(second_sum);
    V* r = on.r.data();  // s from the first half on
    V *ph = on.M ? p_hat.data() : p.data(), *sh = on.M ? s_hat.data() : r;
    on.multiply(ph, v.data());                                            // v = A M^-1 p
    on.trip(Dot<V>{r0.data(), v.data(), Dot<V>::opens}, nullptr, first);  // r0'v
    on.trip(BicgstabHalf<V>{v.data(), r, on.d, sh}, first, second);       // s = r - alpha v
    if (on.M && !on.d) on.precondition(r, sh);
    on.multiply(sh, t.data());                             // t = A M^-1 s
    on.trip(BicgstabDots<V>{t.data(), r}, second, first);  // t's, t't
    on.trip(BicgstabWhole<V>{t.data(), ph, sh, r0.data(), r, on.x}, first, second);
    on.trip(BicgstabDirection<V>{r, v.data(), on.d, p.data(), ph}, second);  // p = r + beta (p - omega v)
    if (on.M && !on.d) on.precondition(p.data(), ph);
  }

 private:
  Problem<V>& on;
  Buffer<V> r0, p, v, t, p_hat, s_hat;
};

}  // namespace

template <class V>
std::unique_ptr<Method<V>> make_bicgstab(Problem<V>& problem) {
  return std::make_unique<Bicgstab<V>>(problem);
}

template std::unique_ptr<Method<float>> make_bicgstab(Problem<float>&);
template std::unique_ptr<Method<double>> make_bicgstab(Problem<double>&);

}  // namespace heddle::solve_method
