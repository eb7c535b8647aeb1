#include "solve/size.hpp"

#include <algorithm>
#include <cmath>

#include "core/gpu.hpp"

namespace heddle::solve_method {

namespace {

template <class V>
struct Range {
  static constexpr double least = 1e-20, most = 1e20;
  static constexpr int exponents = 120;  // of a scale and of its inverse
};
template <>
struct Range<double> {
  static constexpr double least = 1e-100, most = 1e100;
  static constexpr int exponents = 1000;
};

}  // namespace

template <class V>
Buffer<V> on_host(const Problem<V>& problem, const V* a) {
  if (!problem.device().host_memory()) gpu::synchronize(problem.stream());
  Buffer<V> here(problem.size());
  memory::copy(here.data(), Device::cpu(), a, problem.device(), here.bytes());
  return here;
}

template <class V>
Size size_of(Problem<V>& problem, const V* b) {
  using R = Range<V>;
  const double norm = std::sqrt(problem.dot(b, b));
  if (norm > R::least && norm < R::most) return {.scaled = norm};
  const Buffer<V> here = on_host(problem, b);
  Size size;
  double largest = 0, sum = 0;
  for (const V v : here) {
    if (!std::isfinite(v)) return {.finite = false, .scaled = static_cast<double>(v)};
    largest = std::max(largest, std::abs(static_cast<double>(v)));
  }
  if (largest == 0) return size;
  size.scale = std::ldexp(1.0, -std::clamp(std::ilogb(largest), -R::exponents, R::exponents));
  for (const V v : here) sum += (v * size.scale) * (v * size.scale);
  size.scaled = std::sqrt(sum);
  return size;
}

template Buffer<float> on_host(const Problem<float>&, const float*);
template Buffer<double> on_host(const Problem<double>&, const double*);
template Size size_of(Problem<float>&, const float*);
template Size size_of(Problem<double>&, const double*);

}  // namespace heddle::solve_method
