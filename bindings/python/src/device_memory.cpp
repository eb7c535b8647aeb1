// Memory of GPUs from functions of Python, such as those of PyTorch's pool.
#include "core.hpp"

namespace heddle_python {

namespace {

struct Pool {
  nb::object allocate, free;
};

// Memory is given back by whatever thread lets go of it, at the end of the process too: then Python is gone.
void* take(void* context, std::int32_t ordinal, std::size_t bytes, heddle_stream stream) {
  if (!python_is_there()) return nullptr;
  const nb::gil_scoped_acquire gil;
  try {
    const auto& pool = *static_cast<const Pool*>(context);
    return reinterpret_cast<void*>(
        nb::cast<std::uintptr_t>(pool.allocate(bytes, ordinal, reinterpret_cast<std::uintptr_t>(stream))));
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("heddle: the device allocator");
  } catch (const std::exception&) {  // not a number
  }
  return nullptr;
}

void give(void* context, std::int32_t, void* memory, std::size_t, heddle_stream) {
  if (!python_is_there()) return;
  const nb::gil_scoped_acquire gil;
  try {
    static_cast<const Pool*>(context)->free(reinterpret_cast<std::uintptr_t>(memory));
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("heddle: the device allocator");
  }
}

void set_device_allocator(nb::object allocate, nb::object free, std::uintptr_t stream) {
  if (allocate.is_none()) return must(heddle_set_device_allocator(nullptr));
  HEDDLE_INIT(heddle_device_allocator, allocator);
  allocator.allocate = take, allocator.free = give;
  allocator.context = new Pool{std::move(allocate), std::move(free)};  // for good: what it gave may come back late
  allocator.stream = reinterpret_cast<heddle_stream>(stream);
  must(heddle_set_device_allocator(&allocator));
}

}  // namespace

void define_device_memory(nb::module_& m) {
  m.def("set_device_allocator", set_device_allocator, nb::arg().none(), nb::arg().none(), nb::arg());
}

}  // namespace heddle_python
