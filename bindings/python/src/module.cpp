#define HEDDLE_IMPORTS_NUMPY
#include "core.hpp"

#include <chrono>

#ifdef HEDDLE_HAS_COMMAND
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
extern "C" int heddle_command(int argc, char** argv);
#endif

namespace heddle_python {

namespace {

// heddle.UsageError and its like; they live in heddle._errors.
PyObject* class_of(heddle_status status) {
  switch (status) {
    case HEDDLE_NO_MEMORY: return Py_NewRef(PyExc_MemoryError);
    case HEDDLE_STOPPED: return Py_NewRef(PyExc_KeyboardInterrupt);
    default: break;
  }
  const char* name = status == HEDDLE_USAGE         ? "UsageError"
                     : status == HEDDLE_INPUT       ? "InputError"
                     : status == HEDDLE_UNAVAILABLE ? "UnavailableError"
                                                    : "InternalError";
  PyObject* module = PyImport_ImportModule("heddle._errors");
  PyObject* found = module ? PyObject_GetAttrString(module, name) : nullptr;
  Py_XDECREF(module);
  return found;
}

}  // namespace

void let_threads_return_and_end() {
  ending_thread = std::this_thread::get_id();
  while (returning_threads > 0) {
    PyThreadState* state = PyEval_SaveThread();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    PyEval_RestoreThread(state);
  }
}

PyObject* set_error(heddle_status status) noexcept {
  if (PyErr_Occurred()) return nullptr;  // of a callback
  const std::string message = heddle_last_error(), hint = heddle_last_hint();
  PyObject* type = class_of(status);
  if (!type) return nullptr;
  PyObject* error = PyObject_CallFunction(type, "s", message.c_str());
  if (error && !hint.empty()) {
    PyObject* noted = PyObject_CallMethod(error, "add_note", "s", hint.c_str());
    Py_XDECREF(noted);
  }
  if (error) PyErr_SetObject(type, error);
  Py_XDECREF(error);
  Py_DECREF(type);
  return nullptr;
}

void raise(heddle_status status) {
  set_error(status);
  throw nb::python_error();
}

bool Attention::stop() {
  using namespace std::chrono;
  const auto now = duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
  if (now < next_) return false;
  next_ = now + 50;
  if (!python_is_there()) return true;
  const nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

const void* data_of(nb::handle array, int numpy_type, std::int64_t size, const char* name) {
  auto* a = reinterpret_cast<PyArrayObject*>(array.ptr());
  if (!PyArray_Check(array.ptr()) || PyArray_TYPE(a) != numpy_type || !PyArray_ISCARRAY_RO(a) ||
      PyArray_SIZE(a) != size)
    throw nb::type_error((std::string(name) + ": a contiguous array of another type or size is needed").c_str());
  return PyArray_DATA(a);
}

}  // namespace heddle_python

NB_MODULE(_core, m) {
  using namespace heddle_python;
  nb::set_leak_warnings(false);
  if (_import_array() < 0) throw nb::python_error();
  nb::module_::import_("os").attr("register_at_fork")(nb::arg("after_in_child") = nb::cpp_function([] {
                                                        returning_threads = 0;
                                                        Renewed::renew_all();
                                                      }));
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&let_threads_return_and_end));
  define_device_memory(m);
  define_operators(m);
  define_matrices(m);
  define_solvers(m);
  m.def("version", [] { return nb::str(heddle_version()); });
  m.def(
      "set_threads", [](int count) { must(heddle_set_threads(count)); }, nb::arg("count"));
  m.def("threads", [] { return heddle_threads(); });
  m.def("devices_json", [] {
    const auto asked = [](auto... out) {
      const WithoutGil release;  // CUDA may begin now
      return heddle_devices_json(out...);
    };
    return nb::str(text_of(asked).c_str());
  });
#ifdef HEDDLE_HAS_COMMAND
  m.def("command", [](const std::vector<std::string>& words) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const nb::gil_scoped_release release;
    return heddle_command(static_cast<int>(words.size()), argv.data());
  });
#endif
}
