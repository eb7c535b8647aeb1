// A Chebyshev polynomial in D^-1 A that is close to its inverse on the upper part of the spectrum: a preconditioner
// made of multiplications alone, hence as parallel as they are. For symmetric positive definite A.
#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "solve/precondition/preconditioners.hpp"
#include "solve/problem.hpp"

namespace heddle::solve_method {

namespace {

// Row sums of |D^-1 A| bound its eigenvalues (Gershgorin).
template <class V>
double row_sum_bound(const CsrView<V>& A, const Buffer<V>& inverse) {
  constexpr std::int64_t grain = 1 << 14;
  Buffer<double> largest((A.rows + grain - 1) / grain);
  parallel_tasks(largest.size(), [&](std::int64_t task) {
    largest[task] = 0;
    for (std::int64_t row = task * grain; row < std::min(A.rows, (task + 1) * grain); ++row) {
      double sum = 0;
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) sum += std::abs(static_cast<double>(A.val[k]));
      largest[task] = std::max(largest[task], sum * std::abs(static_cast<double>(inverse[row])));
    }
  });
  return largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
}

// Power steps w = A v, v = D^-1 w: the growth of v'D v = w'v tends to the square of the largest eigenvalue of D^-1 A,
// from below.
template <class V>
double power_estimate(const Operator<V>& A, const Buffer<V>& inverse) {
  constexpr int steps = 12;
  Problem<V> on(A, nullptr, nullptr, {});
  Buffer<V> v = on.noise(), w = on.vector();
  double before = 0, growth = 0;
  for (int step = 0; step < steps; ++step) {
    on.multiply(v.data(), w.data());
    on.trip(ScaledRows<V>{inverse.data(), w.data(), v.data()});
    const double after = on.dot(w.data(), v.data());
    growth = step > 0 ? std::sqrt(after / before) : 0;
    before = after;
  }
  return growth;
}

template <class V>
class Chebyshev final : public Preconditioner<V> {
 public:
  Chebyshev(const Operator<V>& op, const CsrView<V>& matrix, int degree)
      : A(&op),
        terms(degree),
        step(op.rows(), op.device()),
        product(op.rows(), op.device()),
        trips(trips_on<V>(op.device())) {
    const Buffer<V> diagonal = inverse_diagonal(matrix, false);
    if (std::any_of(diagonal.begin(), diagonal.end(), [](V e) { return e < V(0); }))
      fail(ErrorKind::input, At{"chebyshev", "use --precond jacobi or none"},
           "the diagonal has negative entries: chebyshev needs a positive definite matrix");
    inverse = diagonal.to(op.device());
    // The polynomial is positive up to a little above `high`, so `high` must not be far below the spectrum.
    const double high = std::min(row_sum_bound(matrix, diagonal), 1.2 * power_estimate(op, inverse)), low = high / 30;
    middle = (high + low) / 2;
    half = (high - low) / 2;
    check(std::isfinite(middle) && half > 0, ErrorKind::input, "the eigenvalues of the matrix cannot be estimated");
  }

  std::string name() const override { return fmt::format("chebyshev {}", terms); }
  bool recordable() const override { return true; }
  void use(const Operator<V>& better) override { A = &better; }

  // z approximates the solution of A z = r by the Chebyshev iteration (Saad, Iterative Methods, 12.1).
  void apply(std::span<const V> r, std::span<V> z, Stream stream) const override {
    const double sigma = middle / half;
    double rho = 1 / sigma;
    run({static_cast<V>(1 / middle), V(0), inverse.data(), r.data(), nullptr, step.data(), z.data()}, stream);
    for (int k = 1; k < terms; ++k) {
      A->multiply(std::span<const V>(z), product.span(), stream);
      const double next = 1 / (2 * sigma - rho);
      run({static_cast<V>(2 * next / half), static_cast<V>(next * rho), inverse.data(), r.data(), product.data(),
           step.data(), z.data()},
          stream);
      rho = next;
    }
  }

 private:
  void run(const ChebyshevStep<V>& body, Stream stream) const { run_trip(trips, body, inverse.size(), stream); }

  const Operator<V>* A;
  int terms;
  double middle = 0, half = 0;
  Buffer<V> inverse;
  mutable Buffer<V> step, product;
  Trips<V> trips;
};

}  // namespace

template <class V>
std::shared_ptr<Preconditioner<V>> make_chebyshev(const Operator<V>& A, const CsrView<V>& matrix, int degree) {
  check(degree >= 1 && degree <= 64, ErrorKind::usage, "a polynomial of degree {}: chebyshev takes 1 to 64", degree);
  return std::make_shared<Chebyshev<V>>(A, matrix, degree);
}

template std::shared_ptr<Preconditioner<float>> make_chebyshev(const Operator<float>&, const CsrView<float>&, int);
template std::shared_ptr<Preconditioner<double>> make_chebyshev(const Operator<double>&, const CsrView<double>&, int);

}  // namespace heddle::solve_method
