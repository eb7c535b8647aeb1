// The calls that must cost next to nothing: op @ x and op.multiply(x, out=y, alpha=a, beta=b) for arrays of NumPy of
// the operator's type whose vectors lie as the library reads them. Everything else goes to Python methods of the same
// class.
#include <mutex>

#include "core.hpp"

namespace heddle_python {

namespace {

// From so many entries on a product takes longer than giving the GIL away and taking it again.
constexpr std::int64_t worth_releasing = 16384;

// One vector, or several as columns.
struct Columns {
  PyArrayObject* array = nullptr;
  heddle_vectors vectors{};
  std::int64_t count = 1;
};

// False where it is an array of another kind, type or shape, or lies otherwise.
bool take_columns(PyObject* object, std::int64_t rows, int type, Columns& to) noexcept {
  if (!PyArray_CheckExact(object)) return false;
  auto* a = reinterpret_cast<PyArrayObject*>(object);
  const int dimensions = PyArray_NDIM(a);
  if (PyArray_TYPE(a) != type || dimensions < 1 || dimensions > 2 || PyArray_DIM(a, 0) != rows) return false;
  if (!PyArray_ISALIGNED(a) || !PyArray_ISNOTSWAPPED(a)) return false;
  to.array = a;
  if (dimensions == 1) {
    to.vectors = {PyArray_DATA(a), 1, rows};
    return PyArray_IS_C_CONTIGUOUS(a);
  }
  to.count = PyArray_DIM(a, 1);
  if (to.count == 0 || rows == 0) return false;
  if (PyArray_IS_F_CONTIGUOUS(a))
    to.vectors = {PyArray_DATA(a), 1, rows};
  else
    to.vectors = {PyArray_DATA(a), to.count, 1};
  return PyArray_IS_F_CONTIGUOUS(a) || PyArray_IS_C_CONTIGUOUS(a);
}

struct Product {
  const Core& core;
  Columns x, y;
  double alpha = 1, beta = 0;

  heddle_status call() const {
    if (PyArray_NDIM(x.array) == 2)
      return heddle_multiply_many(core.op, 0, x.count, alpha, &x.vectors, beta, &y.vectors, nullptr);
    if (alpha == 1 && beta == 0) return heddle_multiply(core.op, x.vectors.data, y.vectors.data, nullptr);
    return heddle_multiply_add(core.op, 0, alpha, x.vectors.data, beta, y.vectors.data, nullptr);
  }
  heddle_status run() const {
    if (core.nnz * x.count < worth_releasing && core.device_kind == HEDDLE_CPU) {
      // With the GIL kept, an update is not waited for.
      const std::shared_lock together(core.pair->guard, std::try_to_lock);
      if (together.owns_lock()) return call();
    }
    const WithoutGil release;
    const Unchanged unchanged(*core.pair);
    return call();
  }
};

// y for this x, lying as it does; null with a Python error.
PyObject* new_result(const Core& core, const Columns& x) {
  npy_intp shape[] = {core.rows, x.count};
  if (PyArray_NDIM(x.array) == 1) return PyArray_SimpleNew(1, shape, core.numpy_type);
  return PyArray_EMPTY(2, shape, core.numpy_type, !PyArray_IS_C_CONTIGUOUS(x.array));
}

// Null, without an error, where x is not for the fast way.
PyObject* product_of(const Core& core, PyObject* x, double alpha) {
  Product product{core, {}, {}, alpha};
  if (!take_columns(x, core.cols, core.numpy_type, product.x)) return nullptr;
  PyObject* y = new_result(core, product.x);
  if (!y) return nullptr;
  heddle_status status = HEDDLE_OK;
  if (PyArray_SIZE(reinterpret_cast<PyArrayObject*>(y)) > 0) {
    take_columns(y, core.rows, core.numpy_type, product.y);
    status = product.run();
  }
  if (status == HEDDLE_OK) return y;
  Py_DECREF(y);
  return set_error(status);
}

PyObject* matmul(PyObject* left, PyObject* right) {
  if (!nb::type_check(reinterpret_cast<PyObject*>(Py_TYPE(left))) || !nb::isinstance<Core>(nb::handle(left)))
    return PyObject_CallMethod(right, "_rmatmul", "O", left);  // X @ op
  const Core* core = core_of(left);
  if (!core) return nullptr;
  PyObject* y = product_of(*core, right, 1);
  return y || PyErr_Occurred() ? y : PyObject_CallMethod(left, "_matmul", "O", right);
}

struct Call {
  PyObject *x = nullptr, *out = nullptr;
  double alpha = 1, beta = 0;
};

bool named(PyObject* name, const char* text) { return PyUnicode_CompareWithASCIIString(name, text) == 0; }

// False where there are other arguments than these, or one is not what it mostly is.
bool take_call(PyObject* const* args, Py_ssize_t count, PyObject* names, Call& to) noexcept {
  if (count < 1 || count > 2) return false;
  to.x = args[0];
  if (count == 2) to.out = args[1];
  const Py_ssize_t keywords = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject *name = PyTuple_GetItem(names, k), *value = args[count + k];
    if (named(name, "out") && !to.out)
      to.out = value;
    else if (named(name, "alpha") && PyFloat_Check(value))
      to.alpha = PyFloat_AsDouble(value);
    else if (named(name, "beta") && PyFloat_Check(value))
      to.beta = PyFloat_AsDouble(value);
    else
      return false;
  }
  return true;
}

PyObject* slow_multiply(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  PyObject* method = PyObject_GetAttrString(self, "_multiply");
  if (!method) return nullptr;
  PyObject* result = PyObject_Vectorcall(method, args, static_cast<std::size_t>(count), names);
  Py_DECREF(method);
  return result;
}

PyObject* multiply(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const Core* core = core_of(self);
  if (!core) return nullptr;
  Call call;
  if (!take_call(args, count, names, call)) return slow_multiply(self, args, count, names);
  if ((!call.out || call.out == Py_None) && call.beta == 0) {
    PyObject* y = product_of(*core, call.x, call.alpha);
    return y || PyErr_Occurred() ? y : slow_multiply(self, args, count, names);
  }
  Product product{*core, {}, {}, call.alpha, call.beta};
  const bool fast = call.out && take_columns(call.x, core->cols, core->numpy_type, product.x) &&
                    take_columns(call.out, core->rows, core->numpy_type, product.y) &&
                    PyArray_NDIM(product.x.array) == PyArray_NDIM(product.y.array) &&
                    product.x.count == product.y.count && PyArray_ISWRITEABLE(product.y.array);
  if (!fast) return slow_multiply(self, args, count, names);
  const heddle_status status = product.run();
  return status == HEDDLE_OK ? Py_NewRef(call.out) : set_error(status);
}

}  // namespace

const Core* core_of(PyObject* self) noexcept {
  if (nb::inst_ready(nb::handle(self))) return nb::inst_ptr<Core>(nb::handle(self));
  PyErr_SetString(PyExc_TypeError, "heddle.optimize makes operators");
  return nullptr;
}

PyMethodDef fast_methods[] = {
    {"multiply", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(multiply)), METH_FASTCALL | METH_KEYWORDS,
     "multiply($self, x, /, out=None, *, alpha=1.0, beta=0.0, stream=None)\n--\n\n"
     "y = alpha A x + beta y, where y is `out`, or a new array.\n\n"
     "x and out are arrays of one vector or, as columns, of several; out has the dtype of the operator.\n"
     "beta = 0 does not read out."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot fast_slots[] = {{Py_nb_matrix_multiply, reinterpret_cast<void*>(matmul)}, {0, nullptr}};

}  // namespace heddle_python
