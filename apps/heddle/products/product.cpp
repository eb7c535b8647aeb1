#include "products/product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "core/gpu.hpp"
#include "core/stopwatch.hpp"

namespace heddle {

template <class V>
TimedProduct<V> timed_product(const Operator<V>& op, V alpha, std::span<const V> x, V beta, std::span<const V> y,
                              double budget) {
  constexpr int most_repeats = 21;
  const Device device = op.device();
  const Buffer<V> x_there = Buffer<V>::copy_of(x, device);
  const auto fresh_y = [&] { return y.empty() ? Buffer<V>(op.rows(), device) : Buffer<V>::copy_of(y, device); };
  const auto multiply = [&](Buffer<V>& target) {
    // Memory of the device, but never read as host memory: a span only carries its address and size.
    op.multiply(alpha, x_there.span(), beta, target.span());
    if (!device.host_memory()) gpu::synchronize({});
  };
  TimedProduct<V> made;
  Buffer<V> result = fresh_y();
  const double first = seconds_of([&] { multiply(result); });
  made.y = std::move(result).owned_on(Device::cpu());
  std::vector<double> times;
  Buffer<V> scratch = first < budget ? fresh_y() : Buffer<V>();
  for (double spent = first; spent < budget && static_cast<int>(times.size()) < most_repeats; spent += times.back())
    times.push_back(seconds_of([&] { multiply(scratch); }));
  if (times.empty()) times.push_back(first);
  made.repeats = static_cast<int>(times.size());
  made.seconds = median(std::move(times));
  return made;
}

template <class V>
double norm(std::span<const V> y) {
  double largest = 0, sum = 0;
  for (const V v : y) {
    if (std::isnan(v)) return v;
    largest = std::max(largest, std::abs(static_cast<double>(v)));
  }
  if (largest == 0 || std::isinf(largest)) return largest;
  for (const V v : y) sum += (v / largest) * (v / largest);
  return largest * std::sqrt(sum);
}

template <class V>
std::string checksum(std::span<const V> y) {
  using Bits = std::conditional_t<sizeof(V) == 8, std::uint64_t, std::uint32_t>;
  // Every step is a bijection of the state that spreads each input bit over all 64 (the finaliser of splitmix64).
  std::uint64_t state = y.size();
  for (const V v : y) {
    state = (state ^ std::bit_cast<Bits>(v)) + 0x9E3779B97F4A7C15u;
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
    state = (state ^ (state >> 27)) * 0x94D049BB133111EBu;
    state ^= state >> 31;
  }
  return fmt::format("{:016x}", state);
}

template TimedProduct<float> timed_product(const Operator<float>&, float, std::span<const float>, float,
                                           std::span<const float>, double);
template TimedProduct<double> timed_product(const Operator<double>&, double, std::span<const double>, double,
                                            std::span<const double>, double);
template double norm(std::span<const float>);
template double norm(std::span<const double>);
template std::string checksum(std::span<const float>);
template std::string checksum(std::span<const double>);

}  // namespace heddle
