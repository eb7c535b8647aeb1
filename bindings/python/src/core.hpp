// heddle._core: an operator as a Python type. What is called often is written by hand on the C API of Python and NumPy;
// nanobind does the rest, and what is neither fast nor about memory is Python.
#pragma once

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL heddle_array_api
#ifndef HEDDLE_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <heddle.h>
#include <nanobind/nanobind.h>
#include <numpy/arrayobject.h>

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_set>

namespace heddle_python {

namespace nb = nanobind;

// The status of a failed call as a Python exception; an exception that a callback has left behind goes first.
[[noreturn]] void raise(heddle_status status);
inline void must(heddle_status status) {
  if (status != HEDDLE_OK) raise(status);
}
// The same for functions by hand: sets the Python error, gives null.
PyObject* set_error(heddle_status status) noexcept;

struct MatrixHandle {
  heddle_matrix* matrix = nullptr;

  MatrixHandle() = default;
  explicit MatrixHandle(heddle_matrix* made) : matrix(made) {}
  MatrixHandle(const MatrixHandle&) = delete;
  ~MatrixHandle() { heddle_matrix_destroy(matrix); }
};

// Once the interpreter ends, a thread other than the one that ends it and asks for the GIL is ended by unwinding, which
// neither the C library nor nanobind lets through: the process would abort. Such a thread rests instead. The end waits
// for those that asked before (`returning_threads`).
inline std::atomic<std::thread::id> ending_thread{};
inline std::atomic<int> returning_threads{0};
inline bool python_is_there() {
  const std::thread::id ending = ending_thread;
  return ending == std::thread::id() || ending == std::this_thread::get_id();
}
// With the GIL, by the thread that ends the interpreter.
void let_threads_return_and_end();

class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  ~WithoutGil() {
    ++returning_threads;
    if (!python_is_there()) {
      --returning_threads;
      for (;;) ::pause();
    }
    PyEval_RestoreThread(state_);
    --returning_threads;
  }

 private:
  PyThreadState* state_;
};

// What holds locks: in a forked child they are open, whichever threads of the parent held them. Made, ended and renewed
// with the GIL.
class Renewed {
 public:
  Renewed() { all().insert(this); }
  Renewed(const Renewed&) = delete;
  virtual void renew() noexcept = 0;
  static void renew_all() noexcept {
    for (Renewed* one : all()) one->renew();
  }

 protected:
  ~Renewed() { all().erase(this); }

 private:
  static std::unordered_set<Renewed*>& all() {
    static auto& made = *new std::unordered_set<Renewed*>;
    return made;
  }
};

// An operator and, once it was asked for, that of the transpose.
struct Pair final : Renewed {
  std::shared_ptr<heddle_operator> plain, transposed;
  std::string plan, effort;  // that were asked for; no plan: chosen
  heddle_options options{};
  std::shared_mutex guard;  // products share it; new values have it alone
  std::mutex updating;      // of updates, and of making the transpose, whose values have to stay meanwhile

  void renew() noexcept override;
  heddle_operator* side(bool flipped) const { return (flipped ? transposed : plain).get(); }
};

// While it lives, values stay as they are. Made without the GIL. A callback of a solve has them so already, and must not
// wait for the lock once more: an update may wait in between, for the end of the solve.
//   Unchanged   work that calls nobody
//   Solving     a solve, and other work that calls functions of Python: a handler of a signal at least
class Unchanged {
 public:
  explicit Unchanged(Pair& pair);

 private:
  std::shared_lock<std::shared_mutex> together_;
};

// A callback that would change values is found out.
class Solving {
 public:
  explicit Solving(Pair& pair) : pair_(pair), unchanged_(pair), around_(innermost) { innermost = this; }
  Solving(const Solving&) = delete;
  ~Solving() { innermost = around_; }
  // This thread solves with it, or does so in a callback of such a solve.
  static bool with(const Pair& pair) {
    const Solving* one = innermost;
    while (one && &one->pair_ != &pair) one = one->around_;
    return one != nullptr;
  }

 private:
  const Pair& pair_;
  Unchanged unchanged_;
  const Solving* around_;
  static inline thread_local const Solving* innermost = nullptr;
};

inline Unchanged::Unchanged(Pair& pair) : together_(pair.guard, std::defer_lock) {
  if (!Solving::with(pair)) together_.lock();
}

inline void Pair::renew() noexcept {
  if (!Solving::with(*this)) new (&guard) std::shared_mutex;  // else it is held by the thread that goes on
  new (&updating) std::mutex;
}

struct Core {
  std::shared_ptr<Pair> pair;
  heddle_operator* op = nullptr;  // of this side
  bool flipped = false;
  std::int64_t rows = 0, cols = 0, nnz = 0, values = 0;
  int numpy_type = NPY_DOUBLE;
  int device_kind = HEDDLE_CPU, device_ordinal = 0;
};

// Null, with a Python error, where `self` was not made by heddle.optimize.
const Core* core_of(PyObject* self) noexcept;
inline Core& core_at(nb::handle self) { return *nb::inst_ptr<Core>(self); }

// The handle fills what a Core knows about it.
void take(Core& core, std::shared_ptr<Pair> pair, bool flipped);

extern PyMethodDef fast_methods[];
extern PyType_Slot fast_slots[];

// Ctrl-C and callbacks: what long work asks now and then, without the GIL.
class Attention {
 public:
  // Whether to stop; a Python error is set then. Looks at most every 50 ms.
  bool stop();
  static std::int32_t keep_going(void* context, double, const char*) {
    return static_cast<Attention*>(context)->stop() ? 1 : 0;
  }

 private:
  std::int64_t next_ = 0;
};

void define_device_memory(nb::module_& m);
void define_operators(nb::module_& m);
void define_matrices(nb::module_& m);
void define_solvers(nb::module_& m);

// A text function of the C library: called again only where the first guess of the length was too small, so that
// those that take long get a large one.
template <class F>
std::string text_of(F&& call, std::size_t guess = 1 << 16) {
  std::string text(guess, ' ');
  std::int64_t length = 0;
  must(call(text.data(), static_cast<std::int64_t>(text.size()), &length));
  const auto size = static_cast<std::size_t>(length);
  if (size >= text.size()) {
    text.resize(size + 1);
    must(call(text.data(), length + 1, &length));
  }
  text.resize(size);
  return text;
}

// What Python gave as an array of this type and this many numbers.
const void* data_of(nb::handle array, int numpy_type, std::int64_t size, const char* name);

}  // namespace heddle_python
