// Preconditioned conjugate gradients (Hestenes and Stiefel 1952), for symmetric positive definite matrices.
#include <limits>

#include "solve/problem.hpp"

namespace heddle::solve_method {

namespace {

template <class V>
class ConjugateGradients final : public Method<V> {
 public:
  explicit ConjugateGradients(Problem<V>& problem) : on(problem), p(on.vector()), q(on.vector()) {
    if (on.M && !on.d) z = on.vector();
  }

  Stop start() override {
    on.precondition(on.r.data(), p.data());            // p = z = M^-1 r
    const double rho = on.dot(on.r.data(), p.data());  // rho = r'z
    on.state.memory[0].rho = on.state.memory[1].rho = rho;
    on.store();
    return !finite(rho) ? Stop::not_finite : rho > 0 ? Stop::none : Stop::preconditioner;
  }

  void queue() override {
    double *pq = on.sums(first_sum), *rr = on.sums(second_sum), *rz = on.sums(second_sum, 1);
    V *r = on.r.data(), *own_z = z.empty() ? nullptr : z.data();
    on.multiply(p.data(), q.data());                                  // q = A p
    on.trip(Dot<V>{p.data(), q.data(), Dot<V>::opens}, nullptr, pq);  // p'q
    on.trip(CgResidual<V>{q.data(), r, on.d}, pq, rr);                // r = r - alpha q
    if (own_z) {
      on.precondition(r, own_z);                                  // z = M^-1 r
      on.trip(Dot<V>{r, own_z, Dot<V>::inside, 2}, nullptr, rz);  // r'z
    }
    on.trip(CgDirection<V>{p.data(), on.x, r, on.d, own_z}, rr);  // x = x + alpha p;  p = z + beta p
  }

  // p'A p <= 0 proves that A is not positive definite, unless rounding made it so: close to a null vector of A (where
  // alpha may also overflow), or at a residual below what can be represented.
  Status judge(Stop why, std::string& reason) override {
    const Status usual = Method<V>::judge(why, reason);
    if (why != Stop::curvature && why != Stop::not_finite) return usual;
    const double eps = std::numeric_limits<V>::epsilon();
    const double pp = on.dot(p.data(), p.data()), qq = on.dot(q.data(), q.data());
    const double bb = on.dot(on.b, on.b);
    if (!finite(pp) || !finite(qq)) return usual;
    if (pp < 1e-200 || pp < eps * eps * eps * bb) {
      reason = "the search direction has vanished before the residual of x was small enough";
      return Status::stagnated;
    }
    on.multiply(on.b, q.data());
    const double largest = on.dot(q.data(), q.data()) / bb;  // at most the square of the norm of A
    if (qq > 1e4 * eps * eps * largest * pp) return usual;
    reason = "A p is zero for a p that is not: the matrix is singular, and b not in its range";
    return Status::breakdown;
  }

 private:
  Problem<V>& on;
  Buffer<V> p, q, z;
};

}  // namespace

template <class V>
std::unique_ptr<Method<V>> make_cg(Problem<V>& problem) {
  return std::make_unique<ConjugateGradients<V>>(problem);
}

template std::unique_ptr<Method<float>> make_cg(Problem<float>&);
template std::unique_ptr<Method<double>> make_cg(Problem<double>&);

}  // namespace heddle::solve_method
