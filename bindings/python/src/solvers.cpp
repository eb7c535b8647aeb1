// Solves and preconditioners. Callbacks of Python are called with the GIL, everything else runs without it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core.hpp"

namespace heddle_python {

namespace {

// Settings of a preconditioner, and the vectors they name.
struct Settings {
  heddle_preconditioner_options options{};
  std::vector<double> near_nullspace;

  heddle_preconditioner_options* get() {
    options.size = sizeof options;
    options.near_nullspace = near_nullspace.data();
    return &options;
  }
};

// Columns of `rows` numbers, one after the other.
std::vector<double> columns_of(nb::handle value, std::int64_t rows) {
  PyObject* made = PyArray_FROMANY(value.ptr(), NPY_DOUBLE, 1, 2, NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED);
  if (!made) throw nb::python_error();
  const nb::object owner = nb::steal(made);
  auto* array = reinterpret_cast<PyArrayObject*>(made);
  if (PyArray_DIM(array, 0) != rows)
    throw nb::value_error(
        ("near_nullspace has " + std::to_string(PyArray_DIM(array, 0)) + " rows, the matrix " + std::to_string(rows))
            .c_str());
  const auto* first = static_cast<const double*>(PyArray_DATA(array));
  return {first, first + PyArray_SIZE(array)};
}

template <class T>
T setting(nb::handle value, const std::string& name) {
  T number{};
  if (!nb::try_cast<T>(value, number)) throw nb::type_error((name + ": a number of another kind is needed").c_str());
  return number;
}

Settings settings_of(const nb::dict& given, std::int64_t rows) {
  Settings made;
  heddle_preconditioner_options& o = made.options;
  const std::pair<const char*, std::int32_t*> numbers[] = {
      {"block", &o.block},          {"degree", &o.degree},
      {"power", &o.power},          {"smoothing", &o.smoothing},
      {"coarsest", &o.coarsest},    {"positive", &o.positive},
      {"updates", &o.updates},      {"double_cycle", &o.double_cycle},
      {"host_setup", &o.host_setup}};
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(nb::str(key));
    const auto number =
        std::find_if(std::begin(numbers), std::end(numbers), [&](const auto& n) { return name == n.first; });
    if (number != std::end(numbers)) {
      *number->second = setting<std::int32_t>(value, name);
    } else if (name == "strength") {
      o.strength = setting<double>(value, name);
    } else if (name == "near_nullspace") {
      made.near_nullspace = columns_of(value, rows);
      o.near_nullspace_count = rows == 0 ? 0 : static_cast<std::int32_t>(made.near_nullspace.size() / rows);
    } else {
      std::string known = "strength, near_nullspace";
      for (const auto& n : numbers) known += std::string(", ") + n.first;
      throw nb::type_error(("a preconditioner has no setting " + name + ": " + known).c_str());
    }
  }
  return made;
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
  if (!python_is_there()) return 1;
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
struct PreconditionerHandle final : Renewed {
  heddle_preconditioner* made = nullptr;
  std::shared_ptr<Pair> pair;  // that it multiplies with; none for a function
  std::int64_t values = 0;     // how many an update takes
  Function function;
  // It serves one thread at a time; a callback of a solve may use it in between, but not change it.
  mutable std::recursive_mutex guard;
  mutable bool solving = false;

  PreconditionerHandle() = default;
  PreconditionerHandle(const PreconditionerHandle&) = delete;
  ~PreconditionerHandle() { heddle_preconditioner_destroy(made); }
  void renew() noexcept override {
    new (&guard) std::recursive_mutex;
    solving = false;
  }
};

std::unique_ptr<PreconditionerHandle> named(const Core& core, const std::string& name, const nb::dict& settings) {
  Settings asked = settings_of(settings, core.rows);
  Attention attention;
  heddle_preconditioner_options* options = asked.get();
  options->keep_going = Attention::keep_going, options->context = &attention;
  auto handle = std::make_unique<PreconditionerHandle>();
  handle->pair = core.pair;
  handle->values = core.values;
  handle->function = {nb::none(), core.rows, core.numpy_type};
  heddle_status status;
  {
    const WithoutGil release;
    const Solving unchanged(*core.pair);
    status = heddle_preconditioner_create(core.op, nullptr, name.c_str(), options, &handle->made);
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
  std::vector<std::vector<double>> histories;  // of the columns
  Attention attention;
  nb::object callback;  // (iteration, residual, iterate or None), or none
  std::int64_t rows = 0;
  int numpy_type = NPY_DOUBLE;
  bool failed = false;

  bool tell(std::int64_t iteration, double residual, const void* x) {
    if (failed || !python_is_there()) return true;
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
  static void take_history(void* context, std::int64_t column, const double* residuals, std::int64_t count) {
    static_cast<Watcher*>(context)->histories[static_cast<std::size_t>(column)].assign(residuals, residuals + count);
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
  result["loading_seconds"] = report.loading_seconds;
  result["minres_from"] = report.minres_from;
  result["preconditioner_reason"] = nb::str(report.preconditioner_reason);
  nb::list residuals;
  for (const double residual : history) residuals.append(residual);
  result["history"] = residuals;
  return result;
}

struct Question {
  std::string method, preconditioner;
  Settings settings{};
  heddle_solve_options options{};
  const PreconditionerHandle* own = nullptr;
};

Question question_of(const nb::dict& how, const PreconditionerHandle* own, std::int64_t rows) {
  Question q;
  q.method = nb::cast<std::string>(how["method"]);
  q.preconditioner = nb::cast<std::string>(how["preconditioner"]);
  q.settings = settings_of(nb::cast<nb::dict>(how["settings"]), rows);
  q.own = own;
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

// The time in which a solve has a preconditioner for itself.
class Taken {
 public:
  explicit Taken(const PreconditionerHandle* own) : own_(own) {
    if (!own_) return;
    own_->guard.lock();
    before_ = std::exchange(own_->solving, true);
  }
  Taken(const Taken&) = delete;
  ~Taken() {
    if (!own_) return;
    own_->solving = before_;
    own_->guard.unlock();
  }

 private:
  const PreconditionerHandle* own_;
  bool before_ = false;
};

// `call` asks the library; it runs without the GIL. `count` right-hand sides, one after the other, give as many
// reports.
template <class F>
std::vector<nb::dict> answers(Question& q, nb::handle b, nb::handle x, std::int64_t rows, std::int64_t count,
                              int numpy_type, nb::object callback, F&& call) {
  heddle_solve_options& o = q.options;
  o.method = q.method.c_str(), o.preconditioner = q.preconditioner.c_str();
  o.preconditioner_options = q.settings.get();
  const void* rhs = data_of(b, numpy_type, rows * count, "b");
  void* iterate = const_cast<void*>(data_of(x, numpy_type, rows * count, "x"));
  Watcher watcher{
      std::vector<std::vector<double>>(static_cast<std::size_t>(count)), {}, std::move(callback), rows, numpy_type};
  o.keep_going = Watcher::keep_going, o.context = &watcher;
  if (!watcher.callback.is_none()) o.progress = Watcher::progress;
  o.take_history = Watcher::take_history;
  std::vector<heddle_report> reports(static_cast<std::size_t>(count));
  for (heddle_report& report : reports) report.size = sizeof report;
  heddle_status status;
  {
    const WithoutGil release;
    const Taken taken(q.own);
    status = call(rhs, iterate, &o, reports.data());
  }
  if (PyErr_Occurred()) throw nb::python_error();
  must(status);
  std::vector<nb::dict> told;
  for (std::size_t j = 0; j < reports.size(); ++j) told.push_back(dict_of(reports[j], watcher.histories[j]));
  return told;
}

nb::dict solve(const Core& core, nb::handle b, nb::handle x, const nb::dict& how, const PreconditionerHandle* own,
               nb::object callback) {
  Question q = question_of(how, own, core.rows);
  return answers(q, b, x, core.rows, 1, core.numpy_type, std::move(callback), [&](auto... asked) {
    const Solving solving(*core.pair);
    return heddle_solve(core.op, asked...);
  })[0];
}

nb::list solve_many(const Core& core, std::int64_t count, nb::handle b, nb::handle x, const nb::dict& how,
                    const PreconditionerHandle* own) {
  Question q = question_of(how, own, core.rows);
  const auto told = answers(q, b, x, core.rows, count, core.numpy_type, nb::none(), [&](auto... asked) {
    const Solving solving(*core.pair);
    return heddle_solve_many(core.op, count, asked...);
  });
  nb::list result;
  for (const nb::dict& one : told) result.append(one);
  return result;
}

// With a matrix that is a function.
nb::dict solve_function(nb::object function, nb::handle b, nb::handle x, const nb::dict& how,
                        const PreconditionerHandle* own, nb::object callback) {
  auto* like = reinterpret_cast<PyArrayObject*>(x.ptr());
  Function f{std::move(function), PyArray_SIZE(like), PyArray_TYPE(like)};
  Question q = question_of(how, own, f.rows);
  HEDDLE_INIT(heddle_matrix_free, A);
  A.rows = f.rows, A.type = type_of(f.numpy_type), A.multiply = apply_function, A.context = &f;
  return answers(q, b, x, f.rows, 1, f.numpy_type, std::move(callback),
                 [&](auto... asked) { return heddle_solve_matrix_free(&A, asked...); })[0];
}

void apply(const PreconditionerHandle& M, nb::handle r, nb::handle z) {
  const void* from = data_of(r, M.function.numpy_type, M.function.rows, "r");
  void* to = const_cast<void*>(data_of(z, M.function.numpy_type, M.function.rows, "z"));
  heddle_status status;
  {
    const WithoutGil release;
    const std::lock_guard alone(M.guard);
    std::optional<Unchanged> unchanged;
    if (M.pair) unchanged.emplace(*M.pair);
    status = heddle_preconditioner_apply(M.made, from, to, nullptr);
  }
  must(status);
}

std::int64_t update(PreconditionerHandle& M, nb::handle values) {
  const void* data = data_of(values, M.function.numpy_type, M.values, "values");
  Attention attention;
  std::int64_t changed = 0;
  heddle_status status = HEDDLE_OK;
  bool inside = false;
  {
    const WithoutGil release;
    const std::lock_guard alone(M.guard);
    inside = M.solving;  // by this thread: another one would hold the guard
    if (!inside) status = heddle_preconditioner_update(M.made, data, Attention::keep_going, &attention, &changed);
  }
  if (inside) throw nb::value_error("a callback of a solve cannot change the preconditioner of that solve");
  must(status);
  return changed;
}

nb::object rigid_body_modes(nb::handle coordinates, std::int64_t nodes, int dimension) {
  const void* from = data_of(coordinates, NPY_DOUBLE, nodes * dimension, "coordinates");
  npy_intp shape[] = {nodes * dimension, dimension == 2 ? 3 : 6};
  const nb::object made = nb::steal(PyArray_EMPTY(2, shape, NPY_DOUBLE, 1));
  if (!made.is_valid()) throw nb::python_error();
  must(heddle_rigid_body_modes(static_cast<const double*>(from), nodes, dimension,
                               static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made.ptr())))));
  return made;
}

}  // namespace

void define_solvers(nb::module_& m) {
  nb::class_<PreconditionerHandle>(m, "Preconditioner")
      .def("apply", apply)
      .def("update", update)
      .def("json", [](const PreconditionerHandle& M) {
        return text_of([&](auto... out) { return heddle_preconditioner_json(M.made, out...); });
      });
  m.def("named_preconditioner", named);
  m.def("own_preconditioner", own);
  m.def("solve", solve, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  m.def("solve_many", solve_many, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  m.def("rigid_body_modes", rigid_body_modes);
  m.def("solve_function", solve_function, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg().none());
}

}  // namespace heddle_python
