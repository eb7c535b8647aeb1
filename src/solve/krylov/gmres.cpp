// GMRES(m) (Saad and Schultz 1986), preconditioned from the right, so that its residual is that of the system. With a
// preconditioner that varies it keeps M^-1 v for every v: flexible GMRES (Saad 1993). The basis is made orthogonal by
// classical Gram-Schmidt done twice: as exact as the modified one, and its dot products come eight to a trip.
#include <algorithm>
#include <cmath>
#include <vector>

#include "solve/problem.hpp"

namespace heddle::solve_method {

namespace {

template <class V>
class Gmres final : public Method<V> {
 public:
  Gmres(Problem<V>& problem, int restart)
      : on(problem),
        m(static_cast<int>(std::min<std::int64_t>(restart, on.size()))),
        flexible(on.M && on.M->varies()),
        basis(on.size() * (m + 1), on.device()),
        directions(flexible ? on.size() * m : 0, on.device()),
        w(on.vector()),
        numbers(count(), on.device()),
        numbers_here(count()) {
    if (on.M) z = on.vector();
  }

  Stop start() override {
    step = 0;
    began_at = on.state.iteration;
    const double squared = on.dot(on.r.data(), on.r.data());
    const double beta = std::sqrt(squared);
    std::fill(numbers_here.begin(), numbers_here.end(), 0.0);
    small(numbers_here).g[0] = beta;
    memory::copy(numbers.data(), on.device(), numbers_here.data(), Device::cpu(), numbers.bytes());
    on.store();
    if (!finite(squared)) return Stop::not_finite;
    on.trip(Combine<V>{static_cast<V>(1 / beta), on.r.data(), V(0), column(0)});  // v = r / |r|
    return Stop::none;
  }

  void queue() override {
    const V* v = column(step);
    V* direction = flexible ? directions.data() + step * on.size() : z.data();
    if (on.M) on.precondition(v, direction);
    on.multiply(on.M ? direction : v, w.data());  // w = A M^-1 v
    orthogonalise(false);
    orthogonalise(true);
    on.trip(BasisNext<V>{w.data(), column(step + 1), small(numbers), step}, on.sums(second_sum));
  }
  void advance() override { ++step; }
  int period() const override { return 0; }  // every step goes over one more vector

  bool full() const override { return step == m; }

  void finish() override {
    on.fetch();
    add_rest(on.x);
  }
  // y minimises |g - H y|;  to = to + M^-1 V y
  void add_rest(V* to) override {
    const auto done = static_cast<int>(on.state.recorded - began_at);
    if (done <= 0 || done > m) return;
    memory::copy(numbers_here.data(), Device::cpu(), numbers.data(), on.device(), numbers.bytes());
    const std::vector<double> y = solve_triangle(done);
    if (flexible || !on.M) return add(flexible ? directions.data() : basis.data(), y, to, false);
    add(basis.data(), y, w.data(), true);
    on.precondition(w.data(), z.data());
    on.trip(Combine<V>{V(1), z.data(), V(1), to});
  }

 private:
  std::int64_t count() const { return std::int64_t{m + 1} * m + 3 * std::int64_t{m + 1}; }
  V* column(int c) { return basis.data() + c * on.size(); }
  Hessenberg small(Buffer<double>& where) const {
    double* after = where.data() + std::int64_t{m + 1} * m;
    return {where.data(), after, after + (m + 1), after + 2 * (m + 1), m};
  }

  void orthogonalise(bool again) {
    for (int c = 0; c <= step; c += columns_at_once) {
      const int columns = std::min(columns_at_once, step + 1 - c);
      on.trip(BasisDots<V>{column(c), w.data(), on.size(), columns, !again && c == 0}, nullptr, on.sums(first_sum));
      on.trip(BasisSubtract<V>{column(c), w.data(), on.size(), columns, small(numbers).column(step) + c, again},
              on.sums(first_sum), on.sums(second_sum));
    }
  }

  std::vector<double> solve_triangle(int done) {
    const Hessenberg R = small(numbers_here);
    std::vector<double> y(static_cast<std::size_t>(done));
    for (int i = done - 1; i >= 0; --i) {
      double sum = R.g[i];
      for (int j = i + 1; j < done; ++j) sum -= R.column(j)[i] * y[static_cast<std::size_t>(j)];
      const double pivot = R.column(i)[i];
      y[static_cast<std::size_t>(i)] = pivot == 0 ? 0 : sum / pivot;
    }
    return y;
  }

  void add(const V* columns, const std::vector<double>& y, V* to, bool assigns) {
    const int done = static_cast<int>(y.size());
    for (int c = 0; c < done; c += columns_at_once) {
      BasisUpdate<V> body{columns + c * on.size(), to, on.size(), std::min(columns_at_once, done - c),
                          assigns && c == 0};
      for (int k = 0; k < body.count; ++k) body.y[k] = static_cast<V>(y[static_cast<std::size_t>(c + k)]);
      on.trip(body);
    }
  }

  Problem<V>& on;
  int m;
  bool flexible;
  int step = 0;
  std::int64_t began_at = 0;
  Buffer<V> basis, directions, w, z;
  Buffer<double> numbers, numbers_here;
};

}  // namespace

template <class V>
std::unique_ptr<Method<V>> make_gmres(Problem<V>& problem, int restart) {
  return std::make_unique<Gmres<V>>(problem, restart);
}

template std::unique_ptr<Method<float>> make_gmres(Problem<float>&, int);
template std::unique_ptr<Method<double>> make_gmres(Problem<double>&, int);

}  // namespace heddle::solve_method
