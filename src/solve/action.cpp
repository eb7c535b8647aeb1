#include "solve/action.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>

#include "core/check.hpp"
#include "core/gpu.hpp"

namespace heddle::solve_method {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::input, what, name, "multiply(x, y, stream) has to set all of y, and nothing else");
}

[[noreturn]] void pass_on(const std::string& name, const std::string& what) {
  std::throw_with_nested(Error(ErrorKind::input, "the product has thrown: " + what, name));
}

// A NaN that no arithmetic makes.
template <class V>
V untouched() {
  if constexpr (sizeof(V) == 8)
    return std::bit_cast<V>(std::uint64_t{0x7ff8'6865'6464'6c65});
  else
    return std::bit_cast<V>(std::uint32_t{0x7fc0'686c});
}

template <class V>
bool is_untouched(const V& element) {
  const V mark = untouched<V>();
  return std::memcmp(&element, &mark, sizeof(V)) == 0;
}

}  // namespace

template <class V>
void Action<V>::multiply(const V* from, V* to, Stream stream) {
  const auto n = static_cast<std::size_t>(size());
  const std::span<const V> x(from, n);
  const std::span<V> y(to, n);
  if (op_) return op_->multiply(x, y, stream);
  if (called_) return call(x, y, stream);
  checked_call(x, y, stream);
  called_ = true;
}

template <class V>
void Action<V>::call(std::span<const V> x, std::span<V> y, Stream stream) const {
  try {
    function_->multiply(x, y, stream);
  } catch (const std::exception& error) {
    pass_on(function_->name, error.what());
  } catch (...) {
    pass_on(function_->name, "what it threw is no std::exception");
  }
}

//   | margin | y                  | margin |      marked before the call; afterwards no mark in y, only marks outside
template <class V>
void Action<V>::checked_call(std::span<const V> x, std::span<V> y, Stream stream) const {
  constexpr std::int64_t margin = 64;
  const std::int64_t n = size();
  Buffer<V> marked(n + 2 * margin);
  std::fill(marked.begin(), marked.end(), untouched<V>());
  const bool elsewhere = !device().host_memory();
  Buffer<V> there = elsewhere ? marked.to(device()) : Buffer<V>();
  const std::span<V> inner = (elsewhere ? there : marked).span().subspan(margin, y.size());
  call(x, inner, stream);
  if (elsewhere) {
    gpu::synchronize(stream);
    memory::copy(marked.data(), Device::cpu(), there.data(), device(), marked.bytes());
  }
  for (std::int64_t i = 0; i < marked.size(); ++i) {
    const bool inside = i >= margin && i < margin + n;
    if (inside && is_untouched(marked[i]))
      refuse(function_->name, fmt::format("the product has left element {} of {} of y unwritten", i - margin + 1, n));
    if (!inside && !is_untouched(marked[i]))
      refuse(function_->name, fmt::format("the product has written beyond the {} elements of y", n));
  }
  memory::copy(y.data(), device(), inner.data(), device(), y.size_bytes());
}

template class Action<float>;
template class Action<double>;

}  // namespace heddle::solve_method
