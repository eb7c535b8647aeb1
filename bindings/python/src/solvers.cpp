// Solves and preconditioners. Callbacks of Python are called with the GIL, everything else runs without it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "core.hpp"

namespace heddle_python {

namespace {

heddle_preconditioner_options settings_of(const nb::dict& given) {
  HEDDLE_INIT(heddle_preconditioner_options, o);
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    const auto integer = [&] { return nb::cast<int>(value); };
    if (name == "block")
      o.block = integer();
    else if (name == "degree")
      o.degree = integer();
    else if (name == "power")
      o.power = integer();
    else if (name == "positive")
      o.positive = nb::cast<bool>(value);
    else if (name == "strength")
      o.strength = nb::cast<double>(value);
    else if (name == "smoothing")
      o.smoothing = integer();
    else if (name == "coarsest")
      o.coarsest = integer();
    else
      throw nb::type_error(("a preconditioner has no setting " + name +
                            ": block, degree, power, positive, strength, smoothing, coarsest")
                               .c_str());
  }
  return o;
}

// A vector of the library for the time of a callback.
nb::object view_of(const void* data, std::int64_t size, int type, bool writable) {
  npy_intp length = size;
  PyObject* array = PyArray_SimpleNewFromData(1, &length, type, const_cast<void*>(data));
  if (!array) throw nb::python_error();
  if (!writable) PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(array), NPY_ARRAY_WRITEABLE);
  return nb::steal(array);
}

// A function z = f(r) of Python on vectors of the library.
struct Function {
  nb::object call;
  std::int64_t rows = 0;
  int numpy_type = NPY_DOUBLE;
};

std::int32_t apply_function(void* context, const void* r, void* z, heddle_stream) {
  const auto& f = *static_cast<Function*>(context);
  const nb::gil_scoped_acquire gil;
  try {
    const nb::object copy = view_of(r, f.rows, f.numpy_type, false).attr("copy")();
    view_of(z, f.rows, f.numpy_type, true)[nb::slice(nb::none(), nb::none(), nb::none())] = f.call(copy);
    return 0;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return 1;
}

int type_of(bool single) { return single ? NPY_FLOAT : NPY_DOUBLE; }
heddle_type type_of(int numpy_type) { return numpy_type == NPY_FLOAT ? HEDDLE_F32 : HEDDLE_F64; }

// M^-1 of the library, or a function of Python.
struct PreconditionerHandle {
  heddle_preconditioner* made = nullptr;
  std::shared_ptr<Pair> pair;  // that it multiplies with
  Function function;

  PreconditionerHandle() = default;
  PreconditionerHandle(const PreconditionerHandle&) = delete;
  ~PreconditionerHandle() { heddle_preconditioner_destroy(made); }
};

std::unique_ptr<PreconditionerHandle> named(const Core& core, const std::string& name, const nb::dict& settings) {
  const heddle_preconditioner_options options = settings_of(settings);
  auto handle = std::make_unique<PreconditionerHandle>();
  handle->pair = core.pair;
  handle->function = {nb::none(), core.rows, core.numpy_type};
  heddle_status status;
  {
    const nb::gil_scoped_release release;
    status = heddle_preconditioner_create(core.op, nullptr, name.c_str(), &options, &handle->made);
  }
  must(status);
  return handle;
}

std::unique_ptr<PreconditionerHandle> own(nb::object function, std::int64_t rows, bool single, bool varies) {
  auto handle = std::make_unique<PreconditionerHandle>();
  handle->function = {std::move(function), rows, type_of(single)};
  must(heddle_preconditioner_create_own(type_of(type_of(single)), rows, apply_function, 1, varies, nullptr,
                                        &handle->function, &handle->made));
  return handle;
}

// What a solve asks now and then, and tells.
struct Watcher {
  Attention attention;
  nb::object callback;  // (iteration, residual, iterate or None), or none
  std::int64_t rows = 0;
  int numpy_type = NPY_DOUBLE;
  bool failed = false;

  bool tell(std::int64_t iteration, double residual, const void* x) {
    if (failed) return true;
    const nb::gil_scoped_acquire gil;
    try {
      const nb::object iterate = x ? view_of(x, rows, numpy_type, false) : nb::none();
      return nb::cast<bool>(callback(iteration, residual, iterate));
    } catch (nb::python_error& error) {
      error.restore();
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return failed = true;
  }
  static std::int32_t progress(void* context, std::int64_t iteration, double residual, double, const void* x) {
    return static_cast<Watcher*>(context)->tell(iteration, residual, x) ? 1 : 0;
  }
  static std::int32_t keep_going(void* context, double, const char*) {
    auto& mine = *static_cast<Watcher*>(context);
    return mine.failed || mine.attention.stop() ? 1 : 0;
  }
};

nb::dict dict_of(const heddle_report& report, const std::vector<double>& history) {
  nb::dict result;
  result["verdict"] = report.verdict;
  result["iterations"] = report.iterations;
  result["residual"] = report.residual;
  result["true_residual"] = report.true_residual;
  result["rhs_norm"] = report.rhs_norm;
  result["setup_seconds"] = report.setup_seconds;
  result["seconds"] = report.seconds;
  result["method"] = nb::str(report.method);
  result["preconditioner"] = nb::str(report.preconditioner);
  result["reason"] = nb::str(report.reason);
  const auto kept = std::min<std::size_t>(history.size(), static_cast<std::size_t>(report.history_length));
  nb::list residuals;
  for (std::size_t k = 0; k < kept; ++k) residuals.append(history[k]);
  result["history"] = residuals;
  return result;
}

struct Question {
  std::string method, preconditioner;
  heddle_preconditioner_options settings{};
  heddle_solve_options options{};
};

Question question_of(const nb::dict& how, const PreconditionerHandle* own) {
  Question q;
  q.method = nb::cast<std::string>(how["method"]);
  q.preconditioner = nb::cast<std::string>(how["preconditioner"]);
  q.settings = settings_of(nb::cast<nb::dict>(how["settings"]));
  heddle_solve_options& o = q.options;
  o.size = sizeof o;
  o.own = own ? own->made : nullptr;
  o.tolerance = nb::cast<double>(how["rtol"]), o.absolute_tolerance = nb::cast<double>(how["atol"]);
  o.only_absolute = 1;
  o.max_iterations = nb::cast<std::int64_t>(how["maxiter"]);
  o.restart = nb::cast<std::int32_t>(how["restart"]);
  o.check_every = nb::cast<std::int32_t>(how["check_every"]);
  o.want_iterate = nb::cast<bool>(how["want_iterate"]);
  return q;
}

// `call` asks the library; it runs without the GIL.
template <class F>
nb::dict answer(Question& q, nb::handle b, nb::handle x, std::int64_t rows, int numpy_type, nb::object callback,
                F&& call) {
  heddle_solve_options& o = q.options;
  o.method = q.method.c_str(), o.preconditioner = q.preconditioner.c_str();
  o.preconditioner_options = &q.settings;
  const void* rhs = data_of(b, numpy_type, rows, "b");
  void* iterate = const_cast<void*>(data_of(x, numpy_type, rows, "x"));
  Watcher watcher{{}, std::move(callback), rows, numpy_type};
  o.keep_going = Watcher::keep_going, o.context = &watcher;
  if (!watcher.callback.is_none()) o.progress = Watcher::progress;
  const std::int64_t most =
      o.max_iterations > 0 ? o.max_iterations : std::min<std::int64_t>(10 * std::max<std::int64_t>(rows, 1), 100000);
  std::vector<double> history(static_cast<std::size_t>(std::min<std::int64_t>(most, 1000000)) + 2);
  o.history = history.data(), o.history_capacity = static_cast<std::int64_t>(history.size());
  HEDDLE_INIT(heddle_report, report);
  heddle_status status;
  {
    const nb::gil_scoped_release release;
    status = call(rhs, iterate, &o, &report);
  }
  if (PyErr_Occurred()) throw nb::python_error();
  must(status);
  return dict_of(report, history);
}

nb::dict solve(const Core& core, nb::handle b, nb::handle x, const nb::dict& how, const PreconditionerHandle* own,
               nb::object callback) {
  Question q = question_of(how, own);
  return answer(q, b, x, core.rows, core.numpy_type, std::move(callback), [&](auto... asked) {
    const Solving solving(*core.pair);
    return heddle_solve(core.op, asked...);
  });
}

// With a matrix that is a function.
nb::dict solve_function(nb::object function, nb::handle b, nb::handle x, const nb::dict& how,
                        const PreconditionerHandle* own, nb::object callback) {
  Question q = question_of(how, own);
  auto* like = reinterpret_cast<PyArrayObject*>(x.ptr());
  Function f{std::move(function), PyArray_SIZE(like), PyArray_TYPE(like)};
  HEDDLE_INIT(heddle_matrix_free, A);
  A.rows = f.rows, A.type = type_of(f.numpy_type), A.multiply = apply_function, A.context = &f;
  return answer(q, b, x, f.rows, f.numpy_type, std::move(callback),
                [&](auto... asked) { return heddle_solve_matrix_free(&A, asked...); });
}

void apply(const PreconditionerHandle& M, nb::handle r, nb::handle z) {
  const void* from = data_of(r, M.function.numpy_type, M.function.rows, "r");
  void* to = const_cast<void*>(data_of(z, M.function.numpy_type, M.function.rows, "z"));
  heddle_status status;
  {
    const nb::gil_scoped_release release;
    status = heddle_preconditioner_apply(M.made, from, to, nullptr);
  }
  must(status);
}

}  // namespace

void define_solvers(nb::module_& m) {
  nb::class_<PreconditionerHandle>(m, "Preconditioner").def("apply", apply);
  m.def("named_preconditioner", named);
  m.def("own_preconditioner", own);
  m.def("solve", solve, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  m.def("solve_function", solve_function, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg().none());
}

}  // namespace heddle_python
