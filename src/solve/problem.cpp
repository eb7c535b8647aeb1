#include "solve/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/gpu.hpp"
#include "solve/precondition/preconditioners.hpp"
#include "solve/size.hpp"

namespace heddle::solve_method {

template <class V>
Problem<V>::Problem(const Action<V>& A, const V* b_there, V* x_there, Stream stream)
    : b(b_there),
      x(x_there),
      r(A.size(), A.device()),
      first_(A),
      A_(A),
      n_(A.size()),
      device_(A.device()),
      stream_(stream),
      pieces_(device_.kind == Device::Kind::cpu ? pieces_on_cpu(n_) : pieces_on_gpu(n_)),
      trips_(trips_on<V>(device_)),
      sums_(sum_slots * columns_at_once * pieces_, device_),
      sums_here_(pieces_),
      state_(1, device_) {
  store();
}

template <class V>
void Problem<V>::multiply(const V* from, V* to) {
  A_.multiply(from, to, stream_);
}

template <class V>
void Problem<V>::precondition(const V* from, V* to) {
  const auto size = static_cast<std::size_t>(n_);
  if (d)
    trip(ScaledRows<V>{d, from, to});
  else if (M)
    M->apply(std::span<const V>(from, size), std::span<V>(to, size), stream_);
  else
    copy(from, to);
}

template <class V>
Buffer<V> Problem<V>::noise() const {
  Buffer<V> here(n_);
  std::uint64_t dice = 1;
  for (V& e : here) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    e = static_cast<V>(static_cast<double>(dice >> 40) / 16777216.0 - 0.5);
  }
  return here.to(device_);
}

// Of the partial sums of one dot product, on the host once the device has done them.
template <class V>
double Problem<V>::total(const double* sums) {
  memory::copy(sums_here_.data(), Device::cpu(), sums, device_, sums_here_.bytes());
  double sum = 0;
  for (const double part : sums_here_) sum += part;
  return sum;
}

template <class V>
double Problem<V>::dot(const V* one, const V* other) {
  trip(Dot<V>{one, other}, nullptr, sums(first_sum));
  if (!device_.host_memory()) gpu::synchronize(stream_);
  return total(sums(first_sum));
}

template <class V>
double Problem<V>::residual() {
  multiply(x, r.data());
  trip(Combine<V>{V(1), b, V(-1), r.data()});
  trip(Dot<V>{x, x}, nullptr, sums(second_sum));
  const double rr = dot(r.data(), r.data());
  const bool sound = std::isfinite(total(sums(second_sum))) || finite_x();
  return sound ? rr : std::numeric_limits<double>::quiet_NaN();
}

// Asked element by element: squares overflow before numbers do.
template <class V>
bool Problem<V>::finite_x() {
  const Buffer<V> here = on_host(*this, x);
  return std::all_of(here.begin(), here.end(), [](V v) { return std::isfinite(v); });
}

template <class V>
void Problem<V>::fetch() {
  if (!device_.host_memory()) gpu::synchronize(stream_);
  memory::copy(&state, Device::cpu(), state_.data(), device_, sizeof(State));
}

template <class V>
void Problem<V>::store() {
  if (!device_.host_memory()) gpu::synchronize(stream_);
  memory::copy(state_.data(), device_, &state, Device::cpu(), sizeof(State));
}

template <class V>
Status Method<V>::judge(Stop why, std::string& reason) {
  switch (why) {
    case Stop::none: reason = "the limit of iterations was reached"; return Status::max_iterations;
    case Stop::small_residual:
      reason = "the residual carried along is small enough, the one recomputed from x is not, and does not get smaller";
      return Status::stagnated;
    case Stop::curvature: reason = "p'A p is not positive"; return Status::indefinite;
    case Stop::preconditioner:
      reason = "r'M^-1 r is not positive: the preconditioner is not positive definite";
      return Status::indefinite;
    case Stop::breakdown: reason = "the method would divide by zero"; return Status::breakdown;
    case Stop::exhausted:
      reason = "no further direction makes the residual smaller; is the matrix singular?";
      return Status::stagnated;
    case Stop::not_finite: break;
  }
  reason = "an Inf or NaN came up";
  return Status::not_finite;
}

template class Problem<float>;
template class Problem<double>;
template class Method<float>;
template class Method<double>;

}  // namespace heddle::solve_method
