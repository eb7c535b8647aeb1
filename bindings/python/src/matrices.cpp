// Matrices on their way in and out: arrays of NumPy, files.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "core.hpp"

namespace heddle_python {

namespace {

constexpr std::size_t guess_of_long_work = 1 << 20;

heddle_type integer_type(nb::handle array, const char* name) {
  auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
  if (PyArray_Check(array.ptr()) && PyArray_NDIM(a) == 1 && PyArray_ISCARRAY_RO(a) && PyArray_ISSIGNED(a)) {
    if (PyArray_ITEMSIZE(a) == 4) return HEDDLE_I32;
    if (PyArray_ITEMSIZE(a) == 8) return HEDDLE_I64;
  }
  throw nb::type_error((std::string(name) + ": a contiguous array of int32 or int64 is needed").c_str());
}

void* memory_of(nb::handle array) { return PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())); }
std::int64_t size_of(nb::handle array) { return PyArray_SIZE(reinterpret_cast<PyArrayObject*>(array.ptr())); }

heddle_type value_type(nb::handle array) {
  auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
  if (PyArray_Check(array.ptr()) && PyArray_NDIM(a) == 1 && PyArray_ISCARRAY_RO(a)) {
    if (PyArray_TYPE(a) == NPY_DOUBLE) return HEDDLE_F64;
    if (PyArray_TYPE(a) == NPY_FLOAT) return HEDDLE_F32;
  }
  throw nb::type_error("values: a contiguous array of float32 or float64 is needed");
}

// The arrays are borrowed: the caller keeps them alive as long as the matrix.
std::unique_ptr<MatrixHandle> borrow(int layout, std::int64_t rows, std::int64_t cols, nb::handle first,
                                     nb::handle second, nb::handle values) {
  Attention attention;
  HEDDLE_INIT(heddle_arrays, a);
  a.keep_going = Attention::keep_going, a.keep_going_context = &attention;
  a.rows = rows, a.cols = cols, a.nnz = size_of(values), a.layout = layout;
  a.value_type = value_type(values), a.values = memory_of(values);
  a.ownership = HEDDLE_BORROW;
  a.index_type = integer_type(second, "indices");
  a.indices = memory_of(second);
  if (size_of(second) != a.nnz) throw nb::value_error("as many indices as values are needed");
  const heddle_type type = integer_type(first, layout == HEDDLE_COO ? "rows" : "indptr");
  if (layout == HEDDLE_COO) {
    if (type != a.index_type || size_of(first) != a.nnz)
      throw nb::value_error("rows and columns of one type, as many as values, are needed");
    a.row_indices = memory_of(first);
  } else {
    const std::int64_t wanted = (layout == HEDDLE_CSC ? cols : rows) + 1;
    if (size_of(first) != wanted)
      throw nb::value_error(
          ("indptr has " + std::to_string(size_of(first)) + " elements, " + std::to_string(wanted) + " are needed")
              .c_str());
    a.offset_type = type, a.offsets = memory_of(first);
  }
  heddle_matrix* made = nullptr;
  heddle_status status;
  {
    const WithoutGil release;
    status = heddle_matrix_create(&a, &made);
  }
  must(status);
  return std::make_unique<MatrixHandle>(made);
}

std::unique_ptr<MatrixHandle> read(const std::string& source, bool single) {
  Attention attention;
  heddle_matrix* made = nullptr;
  heddle_status status;
  {
    const WithoutGil release;
    status =
        heddle_matrix_read(source.c_str(), single ? HEDDLE_F32 : HEDDLE_F64, Attention::keep_going, &attention, &made);
  }
  must(status);
  return std::make_unique<MatrixHandle>(made);
}

void write(const MatrixHandle& matrix, const std::string& path) {
  Attention attention;
  heddle_status status;
  {
    const WithoutGil release;
    status = heddle_matrix_write(matrix.matrix, path.c_str(), Attention::keep_going, &attention);
  }
  must(status);
}

nb::object array_over(const void* data, std::int64_t size, int type, nb::handle owner) {
  npy_intp length = size;
  PyObject* array = size == 0 ? PyArray_SimpleNew(1, &length, type)
                              : PyArray_SimpleNewFromData(1, &length, type, const_cast<void*>(data));
  if (!array) throw nb::python_error();
  if (size != 0 && PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), Py_NewRef(owner.ptr())) < 0)
    throw nb::python_error();
  return nb::steal(array);
}

// (rows, cols, indptr, indices, data): the arrays of the matrix itself, which they keep alive.
nb::object arrays(nb::handle self) {
  const auto& handle = *nb::inst_ptr<MatrixHandle>(self);
  HEDDLE_INIT(heddle_arrays, a);
  must(heddle_matrix_get_arrays(handle.matrix, &a));
  const int values = a.value_type == HEDDLE_F32 ? NPY_FLOAT : NPY_DOUBLE;
  return nb::make_tuple(a.rows, a.cols, array_over(a.offsets, a.rows + 1, NPY_INT64, self),
                        array_over(a.indices, a.nnz, NPY_INT32, self), array_over(a.values, a.nnz, values, self));
}

// Of every value of the arrays the matrix was made from the place among the stored ones; None: its own number.
nb::object places(nb::handle self) {
  const auto& handle = *nb::inst_ptr<MatrixHandle>(self);
  const std::int64_t* found = nullptr;
  std::int64_t count = 0;
  heddle_status status;
  {
    const WithoutGil release;
    status = heddle_matrix_get_places(handle.matrix, &found, &count);
  }
  must(status);
  return found ? array_over(found, count, NPY_INT64, self) : nb::none();
}

nb::object order(const MatrixHandle& handle, const std::string& by, std::int64_t window) {
  HEDDLE_INIT(heddle_arrays, a);
  must(heddle_matrix_get_arrays(handle.matrix, &a));
  npy_intp length = a.rows;
  const nb::object made = nb::steal(PyArray_SimpleNew(1, &length, NPY_INT32));
  if (!made.is_valid()) throw nb::python_error();
  Attention attention;
  heddle_status status;
  {
    const WithoutGil release;
    status = heddle_matrix_order(handle.matrix, by.c_str(), window, Attention::keep_going, &attention,
                                 static_cast<std::int32_t*>(memory_of(made)));
  }
  must(status);
  return made;
}

// Orders of int32, as many as there are rows or columns: Python has seen to it. None: as they are.
std::unique_ptr<MatrixHandle> permuted(const MatrixHandle& handle, nb::handle rows, nb::handle columns) {
  const auto numbers = [](nb::handle given) {
    return given.is_none() ? nullptr : static_cast<const std::int32_t*>(memory_of(given));
  };
  const std::int32_t *row_order = numbers(rows), *column_order = numbers(columns);
  Attention attention;
  heddle_matrix* made = nullptr;
  heddle_status status;
  {
    const WithoutGil release;
    status = heddle_matrix_permute(handle.matrix, row_order, column_order, Attention::keep_going, &attention, &made);
  }
  must(status);
  return std::make_unique<MatrixHandle>(made);
}

}  // namespace

void define_matrices(nb::module_& m) {
  nb::class_<MatrixHandle> matrix(m, "Matrix");
  matrix.def("arrays", [](nb::handle self) { return arrays(self); });
  matrix.def("places", [](nb::handle self) { return places(self); });
  matrix.def("analyze_json", [](const MatrixHandle& h) {
    Attention attention;
    return text_of(
        [&](auto... out) {
          const WithoutGil release;
          return heddle_matrix_analyze_json(h.matrix, Attention::keep_going, &attention, out...);
        },
        guess_of_long_work);
  });
  matrix.def("choose_json",
             [](const MatrixHandle& h, const std::string& effort, double products, int kind, int ordinal) {
               HEDDLE_INIT(heddle_options, options);
               options.effort = effort.c_str(), options.products = products, options.device = {kind, ordinal};
               Attention attention;
               options.keep_going = Attention::keep_going, options.context = &attention;
               return text_of(
                   [&](auto... out) {
                     const WithoutGil release;
                     return heddle_choose_json(h.matrix, &options, out...);
                   },
                   guess_of_long_work);
             });
  matrix.def("order", order);
  matrix.def("permuted", permuted, nb::arg("rows").none(), nb::arg("columns").none());
  m.def("borrow", borrow);
  m.def("read", read);
  m.def("write", write);
}

}  // namespace heddle_python
