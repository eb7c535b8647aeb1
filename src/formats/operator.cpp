// Operator: a stored matrix that multiplies.
#include "core/memory_errors.hpp"
#include "formats/operator_state.hpp"

namespace heddle {

template <class V>
void Operator<V>::Impl::check_vectors(std::span<const V> x, std::span<const V> y, std::int64_t x_size,
                                      std::int64_t y_size) const {
  const auto size_of = [](auto s) { return static_cast<std::int64_t>(s.size()); };
  check(size_of(x) == x_size, ErrorKind::input, "x has {} elements, the product needs {}", x.size(), x_size);
  check(size_of(y) == y_size, ErrorKind::input, "y has {} elements, the product needs {}", y.size(), y_size);
  check_apart(x, y);
}

template <class V>
void Operator<V>::Impl::check_apart(std::span<const V> x, std::span<const V> y) const {
  const std::less<const V*> before;
  const bool apart =
      x.empty() || y.empty() || !before(x.data(), y.data() + y.size()) || !before(y.data(), x.data() + x.size());
  check(apart, ErrorKind::input, "x and y overlap; the product needs a y of its own");
}

template <class V>
void Operator<V>::Impl::run(const Store<V>& matrix, const Product<V>& product, std::int64_t y_size) const {
  if (y_size == 0) return;
  if (product.update.alpha == V(0))
    on(device, [&](auto where) { scale(where, product.update, y_size, product.stream); });
  else
    matrix.multiply(product);
}

template <class V>
void Operator<V>::Impl::multiply(const Store<V>& matrix, V alpha, std::span<const V> x, V beta, std::span<V> y,
                                 Stream stream, Memory memory) const {
  with_vectors_there(x, y, stream, memory, [&](const V* x_there, V* y_there) {
    run(matrix, {x_there, {alpha, beta, y_there}, stream}, static_cast<std::int64_t>(y.size()));
  });
}

template <class V>
void Operator<V>::Impl::check_transposed(const char* where) const {
  if (!transposed.store)
    fail(ErrorKind::usage, {where, "build with BuildOptions{.transposed = true}"},
         "the operator was built without its transpose");
}

template <class V>
Operator<V>::Operator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
template <class V>
Operator<V>::Operator(Operator&&) noexcept = default;
template <class V>
Operator<V>& Operator<V>::operator=(Operator&&) noexcept = default;
template <class V>
Operator<V>::~Operator() = default;

template <class V>
std::int64_t Operator<V>::rows() const {
  return held(impl_).rows;
}
template <class V>
std::int64_t Operator<V>::cols() const {
  return held(impl_).cols;
}
template <class V>
std::int64_t Operator<V>::nnz() const {
  return held(impl_).nnz;
}
template <class V>
Device Operator<V>::device() const {
  return held(impl_).device;
}
template <class V>
const Plan& Operator<V>::plan() const {
  return held(impl_).own.plan;
}
template <class V>
std::int64_t Operator<V>::bytes() const {
  const Impl& impl = held(impl_);
  return impl.own.bytes() + impl.transposed.bytes() + static_cast<std::int64_t>(impl.lines.bytes());
}

template <class V>
bool Operator<V>::takes_turns() const {
  return held(impl_).own.store->takes_turns();
}

template <class V>
std::int64_t Operator<V>::entries() const {
  return held(impl_).entries();
}

template <class V>
void Operator<V>::multiply(std::span<const V> x, std::span<V> y, Stream stream, Memory memory) const {
  multiply(V(1), x, V(0), y, stream, memory);
}

template <class V>
void Operator<V>::multiply(const V* x, V* y, Memory memory, Stream stream) const {
  multiply(V(1), x, V(0), y, memory, stream);
}

template <class V>
void Operator<V>::multiply(V alpha, const V* x, V beta, V* y, Memory memory, Stream stream) const {
  const Impl& impl = held(impl_);
  check((x != nullptr || impl.cols == 0) && (y != nullptr || impl.rows == 0), ErrorKind::input, "{} is null",
        x == nullptr && impl.cols > 0 ? "x" : "y");
  const std::span<const V> from(x, static_cast<std::size_t>(impl.cols));
  const std::span<V> to(y, static_cast<std::size_t>(impl.rows));
  impl.check_apart(from, to);
  impl.multiply(*impl.own.store, alpha, from, beta, to, stream, memory);
}

template <class V>
void Operator<V>::multiply(V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream, Memory memory) const {
  const Impl& impl = held(impl_);
  impl.check_vectors(x, y, impl.cols, impl.rows);
  impl.multiply(*impl.own.store, alpha, x, beta, y, stream, memory);
}

template <class V>
void Operator<V>::multiply_transposed(V alpha, std::span<const V> x, V beta, std::span<V> y, Stream stream,
                                      Memory memory) const {
  const Impl& impl = held(impl_);
  impl.check_transposed("multiply_transposed");
  impl.check_vectors(x, y, impl.rows, impl.cols);
  impl.multiply(*impl.transposed.store, alpha, x, beta, y, stream, memory);
}

template <class V>
Csr<V> Operator<V>::restore() const {
  const Impl& impl = held(impl_);
  impl.own.report_twins();
  return with_memory_errors([&] { return impl.own.store->restore(); });
}

template <class V>
void Operator<V>::Impl::reserve(int count) {
  right_hand_sides = count;
  for (Side* side : {&own, &transposed})
    if (side->store) side->store->reserve(std::min(count, most_vectors));
  if (lines.empty()) lines = Buffer<V>(rows + cols, device);
}

template class Operator<float>;
template class Operator<double>;

}  // namespace heddle
