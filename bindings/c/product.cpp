// heddle_multiply*: of one vector and of several.
#include "guard.hpp"
#include "handles.hpp"

using namespace heddle::c;
using heddle::Operator;
using heddle::VectorOrder;
using heddle::Vectors;

namespace {

const heddle_operator& checked(const heddle_operator* op, int32_t transposed) {
  const auto& mine = needed(op, "op");
  if (transposed && !mine.transposed)
    wrong_usage("the operator was made without its transpose", {}, "set heddle_options.transposed");
  return mine;
}

template <class V>
Vectors<V> vectors_of(const heddle_vectors& given, int64_t n, int64_t count, const char* name) {
  const bool by_vector = given.element_stride == 1 && (count <= 1 || given.vector_stride >= n);
  const bool by_element = !by_vector && given.vector_stride == 1 && (n <= 1 || given.element_stride >= count);
  if (!by_vector && !by_element && n > 0 && count > 0)
    wrong_usage("one of the strides must be 1, and the vectors must not overlap", name);
  Vectors<V> made;
  made.count = count;
  made.order = by_element ? VectorOrder::by_element : VectorOrder::by_vector;
  made.stride = by_element ? given.element_stride : (count <= 1 ? 0 : given.vector_stride);
  if (by_element && n <= 1) made.stride = 0;
  const int64_t longest =
      by_element ? (n - 1) * std::max(made.stride, count) + count : (count - 1) * std::max(made.stride, n) + n;
  made.data = output<V>(given.data, n == 0 || count == 0 ? 0 : longest, name);
  return made;
}

}  // namespace

heddle_status heddle_multiply(const heddle_operator* op, const void* x, void* y, heddle_stream stream) {
  return guard([&] {
    const auto& mine = needed(op, "op");
    if (const auto* A = std::get_if<Operator<double>>(&mine.op)) {
      A->multiply(input<double>(x, mine.cols, "x"), output<double>(y, mine.rows, "y"), {stream});
    } else {
      std::get<1>(mine.op).multiply(input<float>(x, mine.cols, "x"), output<float>(y, mine.rows, "y"), {stream});
    }
  });
}

heddle_status heddle_multiply_known(const heddle_operator* op, heddle_memory memory, int32_t transposed, double alpha,
                                    const void* x, double beta, void* y, heddle_stream stream) {
  return guard([&] {
    const auto& mine = checked(op, transposed);
    const auto where = memory_of(memory);
    std::visit(
        [&]<class V>(const Operator<V>& A) {
          const V a = static_cast<V>(alpha), b = static_cast<V>(beta);
          if (transposed)
            A.multiply_transposed(a, input<V>(x, mine.rows, "x"), b, output<V>(y, mine.cols, "y"), {stream}, where);
          else
            A.multiply(a, input<V>(x, mine.cols, "x"), b, output<V>(y, mine.rows, "y"), {stream}, where);
        },
        mine.op);
  });
}

heddle_status heddle_multiply_add(const heddle_operator* op, int32_t transposed, double alpha, const void* x,
                                  double beta, void* y, heddle_stream stream) {
  return heddle_multiply_known(op, HEDDLE_DETECT, transposed, alpha, x, beta, y, stream);
}

heddle_status heddle_multiply_many_known(const heddle_operator* op, heddle_memory memory, int32_t transposed,
                                         int64_t count, double alpha, const heddle_vectors* x, double beta,
                                         const heddle_vectors* y, heddle_stream stream) {
  return guard([&] {
    const auto& mine = checked(op, transposed);
    const auto where = memory_of(memory);
    if (count < 0) wrong_usage("a number from 0 on is needed", "count");
    std::visit(
        [&]<class V>(const Operator<V>& A) {
          const V a = static_cast<V>(alpha), b = static_cast<V>(beta);
          const auto X = vectors_of<V>(needed(x, "x"), transposed ? mine.rows : mine.cols, count, "x");
          const auto Y = vectors_of<V>(needed(y, "y"), transposed ? mine.cols : mine.rows, count, "y");
          if (transposed)
            A.multiply_many_transposed(a, X, b, Y, {stream}, where);
          else
            A.multiply_many(a, X, b, Y, {stream}, where);
        },
        mine.op);
  });
}

heddle_status heddle_multiply_many(const heddle_operator* op, int32_t transposed, int64_t count, double alpha,
                                   const heddle_vectors* x, double beta, const heddle_vectors* y,
                                   heddle_stream stream) {
  return heddle_multiply_many_known(op, HEDDLE_DETECT, transposed, count, alpha, x, beta, y, stream);
}
