// A library that is compiled against by its header and opened when it is first used, so that a program that links
// Heddle need not link it. It is never closed: its threads may still run.
#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

#include "core/check.hpp"

namespace heddle::bench {

class LoadedLibrary {
 public:
  // The first of these files that can be opened.
  LoadedLibrary(std::string name, const std::vector<std::string>& files) : name_(std::move(name)) {
    for (const std::string& file : files)
      if (!handle_) handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  bool opened() const { return handle_ != nullptr; }

  // A function or a variable by its name: LoadedLibrary::find<decltype(rsb_spmv)>("rsb_spmv").
  template <class T>
  T* find(const char* symbol) const {
    void* found = handle_ ? dlsym(handle_, symbol) : nullptr;
    check(found != nullptr, ErrorKind::unavailable, "{} has no {}", name_, symbol);
    return reinterpret_cast<T*>(found);
  }

 private:
  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace heddle::bench
