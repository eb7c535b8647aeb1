// multiply_many: several right-hand sides at once where the format has a kernel for them, else one by one.
#include <cstdint>
#include <optional>

#include "formats/operator_state.hpp"
#include "layout/many.hpp"
#include "layout/strided.hpp"

namespace heddle {

namespace {

// Vectors in strides.
struct Shape {
  std::int64_t element, vector, extent;  // extent: elements from the first to the last, gaps included
  int count;
};

// Elements from the first of the first vector to the last of the last, of vectors of `size` elements; nothing where
// 64 bits do not number them.
std::optional<std::int64_t> extent_of(std::int64_t size, std::int64_t count, std::int64_t element,
                                      std::int64_t vector) {
  std::int64_t along = 0, across = 0, sum = 0;
  const bool overflow = __builtin_mul_overflow(size - 1, element, &along) ||
                        __builtin_mul_overflow(count - 1, vector, &across) ||
                        __builtin_add_overflow(along, across, &sum) || __builtin_add_overflow(sum, 1, &sum);
  return overflow ? std::nullopt : std::optional(sum);
}

template <class V>
Shape shape_of(const Vectors<V>& v, std::int64_t size, const char* name) {
  check(v.count >= 1 && v.count <= INT32_MAX, ErrorKind::input, "{} has {} vectors", name, v.count);
  const bool by_vector = v.order == VectorOrder::by_vector;
  const std::int64_t least = by_vector ? size : v.count, stride = v.stride == 0 ? least : v.stride;
  check(stride >= least, ErrorKind::input, "the stride of {} is {}, it takes at least {}", name, stride, least);
  if (size == 0) return {1, 0, 0, static_cast<int>(v.count)};
  const std::int64_t element = by_vector ? 1 : stride, vector = by_vector ? stride : 1;
  const auto extent = extent_of(size, v.count, element, vector);
  check(extent.has_value(), ErrorKind::input, "the stride of {} is {}, too large for {} vectors of {}", name, stride,
        v.count, size);
  check(static_cast<std::int64_t>(v.data.size()) >= *extent, ErrorKind::input,
        "{} has {} elements, {} vectors of {} need {}", name, v.data.size(), v.count, size, *extent);
  return {element, vector, *extent, static_cast<int>(v.count)};
}

template <class V>
bool packed(const V* data, const Shape& shape, int count) {
  constexpr int P = many_pack<V>;
  return shape.vector == 1 && shape.element % P == 0 && count % P == 0 &&
         reinterpret_cast<std::uintptr_t>(data) % (P * sizeof(V)) == 0;
}

// Vectors first .. first + count - 1 of all.
template <class V>
ProductMany<V> group_of(const V* x, const Shape& X, V alpha, V beta, V* y, const Shape& Y, int first, int count,
                        Stream stream) {
  x += first * X.vector;
  y += first * Y.vector;
  return {{x, X.element, X.vector, count, packed(x, X, count)},
          {alpha, beta, y, Y.element, Y.vector, count, packed<V>(y, Y, count)},
          stream};
}

template <class V>
bool straight(const ProductMany<V>& p) {
  return p.x.element == 1 && p.update.element == 1;
}

}  // namespace

template <class V>
void Operator<V>::Impl::one_by_one(const Store<V>& matrix, const ProductMany<V>& p, std::int64_t x_size,
                                   std::int64_t y_size) const {
  const bool in_place = straight(p);
  if (!in_place && lines.empty())
    fail(ErrorKind::usage,
         {"multiply_many", "build with BuildOptions{.right_hand_sides = k}, or order vectors by_vector"},
         "the format multiplies vectors one by one and needs room to take them from between the others");
  const auto multiply_one = [&](int j) {
    const V* x = p.x.at(0, j);
    V* y = p.update.at(0, j);
    if (in_place) return matrix.multiply({x, {p.update.alpha, p.update.beta, y}, p.stream});
    V* line_x = const_cast<V*>(lines.data());
    V* line_y = line_x + x_size;
    on(device, [&](auto where) {
      copy_strided<V>(where, {x, p.x.element, line_x, 1, x_size}, p.stream);
      if (p.update.beta != V(0)) copy_strided<V>(where, {y, p.update.element, line_y, 1, y_size}, p.stream);
      matrix.multiply({line_x, {p.update.alpha, p.update.beta, line_y}, p.stream});
      copy_strided<V>(where, {line_y, 1, y, p.update.element, y_size}, p.stream);
    });
  };
  const auto multiply_all = [&] {
    for (int j = 0; j < p.x.count; ++j) multiply_one(j);
  };
  if (in_place) return multiply_all();
  const std::lock_guard alone(lines_guard);
  if (!device.host_memory()) lines_turn.wait_on(p.stream);
  multiply_all();
  if (!device.host_memory()) lines_turn.passed_on(p.stream);
}

template <class V>
void Operator<V>::Impl::multiply_many(const Store<V>& matrix, std::int64_t x_size, std::int64_t y_size, V alpha,
                                      Vectors<const V> x, V beta, Vectors<V> y, Stream stream, Memory memory) const {
  check(x.count == y.count, ErrorKind::input, "X has {} vectors, Y has {}", x.count, y.count);
  const Shape X = shape_of(x, x_size, "X"), Y = shape_of(y, y_size, "Y");
  const auto x_span = x.data.first(static_cast<std::size_t>(X.extent));
  const auto y_span = y.data.first(static_cast<std::size_t>(Y.extent));
  check_apart(x_span, y_span);
  if (y_size == 0) return;
  with_vectors_there(x_span, y_span, stream, memory, [&](const V* x_there, V* y_there) {
    for (int first = 0; first < X.count; first += most_vectors) {
      const int count = std::min(most_vectors, X.count - first);
      const ProductMany<V> p = group_of(x_there, X, alpha, beta, y_there, Y, first, count, stream);
      if (alpha == V(0))
        on(device, [&](auto where) { scale_many(where, p.update, y_size, stream); });
      else if ((count == 1 && straight(p)) || !matrix.multiply_many(p))
        one_by_one(matrix, p, x_size, y_size);
    }
  });
}

template <class V>
void Operator<V>::multiply_many(Vectors<const V> x, Vectors<V> y, Stream stream, Memory memory) const {
  multiply_many(V(1), x, V(0), y, stream, memory);
}

template <class V>
void Operator<V>::multiply_many(V alpha, Vectors<const V> x, V beta, Vectors<V> y, Stream stream, Memory memory) const {
  const Impl& impl = held(impl_);
  impl.multiply_many(*impl.own.store, impl.cols, impl.rows, alpha, x, beta, y, stream, memory);
}

template <class V>
void Operator<V>::multiply_many_transposed(V alpha, Vectors<const V> x, V beta, Vectors<V> y, Stream stream,
                                           Memory memory) const {
  const Impl& impl = held(impl_);
  impl.check_transposed("multiply_many_transposed");
  impl.multiply_many(*impl.transposed.store, impl.rows, impl.cols, alpha, x, beta, y, stream, memory);
}

template void Operator<float>::multiply_many(Vectors<const float>, Vectors<float>, Stream, Memory) const;
template void Operator<double>::multiply_many(Vectors<const double>, Vectors<double>, Stream, Memory) const;
template void Operator<float>::multiply_many(float, Vectors<const float>, float, Vectors<float>, Stream, Memory) const;
template void Operator<double>::multiply_many(double, Vectors<const double>, double, Vectors<double>, Stream,
                                              Memory) const;
template void Operator<float>::multiply_many_transposed(float, Vectors<const float>, float, Vectors<float>, Stream,
                                                        Memory) const;
template void Operator<double>::multiply_many_transposed(double, Vectors<const double>, double, Vectors<double>, Stream,
                                                         Memory) const;

}  // namespace heddle
