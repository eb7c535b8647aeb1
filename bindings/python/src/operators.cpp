// Operators: made, transposed, updated, looked at, and the products that the fast calls leave to others.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <mutex>
#include <optional>

#include "core.hpp"

namespace heddle_python {

namespace {

std::shared_ptr<heddle_operator> made_of(const heddle_matrix* matrix, const Pair& pair) {
  heddle_options options = pair.options;
  options.size = sizeof options;
  options.plan = pair.plan.empty() ? nullptr : pair.plan.c_str();
  options.effort = pair.effort.c_str();
  Attention attention;
  options.keep_going = Attention::keep_going;
  options.context = &attention;
  heddle_operator* made = nullptr;
  heddle_status status;
  {
    const WithoutGil release;
    status = heddle_operator_create(matrix, &options, &made);
  }
  must(status);
  return {made, heddle_operator_destroy};
}

heddle_options options_of(double products, int device_kind, int device_ordinal, bool updates, int right_hand_sides,
                          bool reorder, bool cache) {
  HEDDLE_INIT(heddle_options, options);
  options.products = products;
  options.device = {device_kind, device_ordinal};
  options.updates = updates;
  options.right_hand_sides = right_hand_sides;
  options.no_reorder = !reorder;
  options.no_cache = !cache;
  return options;
}

nb::object made_core(nb::handle type, std::shared_ptr<Pair> pair, bool flipped) {
  nb::object self = nb::inst_alloc_zero(type);
  take(core_at(self), std::move(pair), flipped);
  return self;
}

nb::object create(nb::handle type, const MatrixHandle& matrix, const std::optional<std::string>& plan,
                  const std::string& effort, double products, int device_kind, int device_ordinal, bool updates,
                  int right_hand_sides, bool reorder, bool cache) {
  auto pair = std::make_shared<Pair>();
  if (plan) pair->plan = *plan;
  pair->effort = effort;
  pair->options = options_of(products, device_kind, device_ordinal, updates, right_hand_sides, reorder, cache);
  pair->plain = made_of(matrix.matrix, *pair);
  return made_core(type, std::move(pair), false);
}

// The operator of the transpose: chosen and stored for itself, with the order of the values kept.
std::shared_ptr<heddle_operator> transposed_of(const Core& core) {
  Attention attention;
  heddle_matrix *restored = nullptr, *flipped = nullptr;
  heddle_status status;
  {
    const WithoutGil release;
    status = heddle_operator_restore(core.op, Attention::keep_going, &attention, &restored);
    if (status == HEDDLE_OK) status = heddle_matrix_transpose(restored, Attention::keep_going, &attention, &flipped);
    heddle_matrix_destroy(restored);
  }
  must(status);
  const MatrixHandle owner(flipped);
  Pair other;
  other.plan = core.pair->plan, other.effort = core.pair->effort, other.options = core.pair->options;
  return made_of(flipped, other);
}

nb::object transposed(nb::handle type, const Core& core) {
  Pair& pair = *core.pair;
  auto& other = core.flipped ? pair.plain : pair.transposed;
  std::unique_lock no_update(pair.updating, std::defer_lock);
  std::optional<Solving> unchanged;
  if (!other) {
    const WithoutGil release;
    if (!Solving::with(pair)) no_update.lock();  // else there is none
    unchanged.emplace(pair);
  }
  if (!other) {
    auto made = transposed_of(core);
    if (!other) other = std::move(made);  // two callbacks of solves may have asked
  }
  return made_core(type, core.pair, !core.flipped);
}

void update(const Core& core, nb::handle values, heddle_stream stream) {
  const void* data = data_of(values, core.numpy_type, core.values, "values");
  if (Solving::with(*core.pair))
    throw nb::value_error("a callback of a solve cannot change the values of its operator");
  heddle_status status = HEDDLE_OK;
  {
    const WithoutGil release;
    const std::lock_guard no_transpose(core.pair->updating);
    const std::unique_lock alone(core.pair->guard);
    for (const auto& side : {core.pair->plain, core.pair->transposed})
      if (side && status == HEDDLE_OK) status = heddle_operator_update(side.get(), data, stream);
  }
  must(status);
}

// Arrays of one or two dimensions; Python has checked strides.
heddle_vectors vectors_of(nb::handle array, std::int64_t rows, int numpy_type) {
  auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
  if (!PyArray_Check(array.ptr()) || PyArray_TYPE(a) != numpy_type || PyArray_DIM(a, 0) != rows)
    throw nb::type_error("an array of another type or length is needed");
  const auto item = static_cast<std::int64_t>(PyArray_ITEMSIZE(a));
  if (PyArray_NDIM(a) == 1) return {PyArray_DATA(a), 1, PyArray_DIM(a, 0)};
  return {PyArray_DATA(a), PyArray_STRIDE(a, 0) / item, PyArray_STRIDE(a, 1) / item};
}

void product(const Core& core, double alpha, nb::handle x, double beta, nb::handle y, std::uintptr_t stream) {
  auto* a = reinterpret_cast<PyArrayObject*>(x.ptr());
  const std::int64_t count = PyArray_NDIM(a) == 1 ? 1 : PyArray_DIM(a, 1);
  const heddle_vectors X = vectors_of(x, core.cols, core.numpy_type), Y = vectors_of(y, core.rows, core.numpy_type);
  heddle_status status;
  {
    const WithoutGil release;
    const Unchanged unchanged(*core.pair);
    auto* queue = reinterpret_cast<heddle_stream>(stream);
    status = PyArray_NDIM(a) == 1 ? heddle_multiply_add(core.op, 0, alpha, X.data, beta, Y.data, queue)
                                  : heddle_multiply_many(core.op, 0, count, alpha, &X, beta, &Y, queue);
  }
  must(status);
}

heddle_operator_info info_of(const Core& core) {
  HEDDLE_INIT(heddle_operator_info, info);
  heddle_status status;
  {
    const WithoutGil release;
    const Unchanged unchanged(*core.pair);
    status = heddle_operator_get_info(core.op, &info);
  }
  must(status);
  return info;
}

template <class F>
std::string text_about(const Core& core, F&& function) {
  return text_of([&](auto... out) {
    const WithoutGil release;
    const Unchanged unchanged(*core.pair);
    return function(core.op, out...);
  });
}

std::unique_ptr<MatrixHandle> restored(const Core& core) {
  Attention attention;
  heddle_matrix* made = nullptr;
  heddle_status status;
  {
    const WithoutGil release;
    const Solving unchanged(*core.pair);
    status = heddle_operator_restore(core.op, Attention::keep_going, &attention, &made);
  }
  must(status);
  return std::make_unique<MatrixHandle>(made);
}

// What a Core without a handle answers: no attribute of it is meant for use.
const Core& ready(const Core& core) {
  if (!core.op) throw nb::type_error("heddle.optimize makes operators");
  return core;
}

}  // namespace

void take(Core& core, std::shared_ptr<Pair> pair, bool flipped) {
  core.pair = std::move(pair);
  core.flipped = flipped;
  core.op = core.pair->side(flipped);
  const heddle_operator_info info = info_of(core);
  core.rows = info.rows, core.cols = info.cols, core.nnz = info.nnz, core.values = info.values;
  core.numpy_type = info.type == HEDDLE_F32 ? NPY_FLOAT : NPY_DOUBLE;
  core.device_kind = info.device.kind, core.device_ordinal = info.device.ordinal;
}

void define_operators(nb::module_& m) {
  nb::class_<Core> core(m, "Core", nb::type_slots(fast_slots), nb::is_weak_referenceable());
  for (PyMethodDef* method = fast_methods; method->ml_name; ++method)
    core.attr(method->ml_name) = nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(core.ptr()), method));
  m.def("create", create, nb::arg("type"), nb::arg("matrix"), nb::arg("plan").none(), nb::arg("effort"),
        nb::arg("products"), nb::arg("device_kind"), nb::arg("device_ordinal"), nb::arg("updates"),
        nb::arg("right_hand_sides"), nb::arg("reorder"), nb::arg("cache"));
  m.def("transposed", [](nb::handle type, const Core& c) { return transposed(type, ready(c)); });
  core.def("_update", [](const Core& c, nb::handle values, std::uintptr_t stream) {
    update(ready(c), values, reinterpret_cast<heddle_stream>(stream));
  });
  core.def("_product", [](const Core& c, double alpha, nb::handle x, double beta, nb::handle y, std::uintptr_t stream) {
    product(ready(c), alpha, x, beta, y, stream);
  });
  core.def("_restore", [](const Core& c) { return restored(ready(c)); });
  core.def("_info", [](const Core& c) {
    const heddle_operator_info info = info_of(ready(c));
    return nb::make_tuple(info.rows, info.cols, info.nnz, info.values, info.bytes, info.type == HEDDLE_F32,
                          info.device.kind, info.device.ordinal, c.flipped, c.pair->options.updates != 0,
                          c.pair->options.right_hand_sides);
  });
  core.def_prop_ro(
      "plan", [](const Core& c) { return text_about(ready(c), heddle_operator_plan); },
      "The format and its settings, as text: heddle.optimize(A, plan=text) stores another matrix the same way.");
  core.def("_explain_json", [](const Core& c) { return text_about(ready(c), heddle_operator_explain_json); });
}

}  // namespace heddle_python
