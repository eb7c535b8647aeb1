// A Chebyshev polynomial in D^-1 A that is close to its inverse on the upper part of the spectrum: a preconditioner
// made of multiplications alone, hence as parallel as they are. For symmetric positive definite A.
#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/gpu.hpp"
#include "solve/preconditioners.hpp"

namespace heddle::solve_method {

namespace {

// |D^-1 A| row sums bound its eigenvalues (Gershgorin); a few power steps find out how far below they are.
template <class V>
double gershgorin(const CsrView<V>& A, const Buffer<V>& inverse) {
  double largest = 0;
  for (std::int64_t row = 0; row < A.rows; ++row) {
    double sum = 0;
    for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k) sum += std::abs(static_cast<double>(A.val[k]));
    largest = std::max(largest, sum * std::abs(static_cast<double>(inverse[row])));
  }
  return largest;
}

double length(std::span<const double> v) {
  double sum = 0;
  for (const double e : v) sum += e * e;
  return std::sqrt(sum);
}

// The largest eigenvalue of D^-1/2 A D^-1/2 by power steps on the host.
template <class V>
double power_estimate(const CsrView<V>& A, const Buffer<V>& inverse) {
  constexpr int steps = 12;
  Buffer<double> v(A.rows), w(A.rows);
  std::uint64_t dice = 1;
  for (double& e : v) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    e = static_cast<double>(dice >> 40) / 16777216.0 - 0.5;
  }
  double estimate = 0;
  for (int step = 0; step < steps; ++step) {
    const double size = length(v);
    for (std::int64_t row = 0; row < A.rows; ++row) {
      double sum = 0;
      for (Offset k = A.ptr[row]; k < A.ptr[row + 1]; ++k)
        sum += A.val[k] * std::sqrt(std::abs(static_cast<double>(inverse[A.col[k]]))) * v[A.col[k]];
      w[row] = sum * std::sqrt(std::abs(static_cast<double>(inverse[row]))) / size;
    }
    estimate = length(w);
    std::swap(v, w);
  }
  return estimate;
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
    // The polynomial is positive up to `high`, so `high` must not be below the spectrum.
    const double high = std::min(gershgorin(matrix, diagonal), 1.2 * power_estimate(matrix, diagonal)), low = high / 30;
    middle = (high + low) / 2;
    half = (high - low) / 2;
    check(std::isfinite(middle) && half > 0, ErrorKind::input, "the eigenvalues of the matrix cannot be estimated");
    inverse = diagonal.to(op.device());
  }

  std::string name() const override { return fmt::format("chebyshev {}", terms); }
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
