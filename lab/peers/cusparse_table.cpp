#include "peers/cusparse_table.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <climits>
#include <cstdlib>

#include "core/check.hpp"

namespace heddle::bench {

namespace {

// f(name, function) for every function of the table.
template <class F>
void each_function(CusparseTable& t, F f) {
  f("cusparseGetProperty", t.get_property);
  f("cusparseGetErrorString", t.get_error_string);
  f("cusparseCreate", t.create);
  f("cusparseDestroy", t.destroy);
  f("cusparseSetStream", t.set_stream);
  f("cusparseCreateConstCsr", t.create_csr);
  f("cusparseCreateConstCoo", t.create_coo);
  f("cusparseCreateConstSlicedEll", t.create_sliced_ell);
  f("cusparseCreateConstBsr", t.create_bsr);
  f("cusparseDestroySpMat", t.destroy_matrix);
  f("cusparseCreateConstDnVec", t.create_input);
  f("cusparseCreateDnVec", t.create_output);
  f("cusparseDestroyDnVec", t.destroy_vector);
  f("cusparseSpMV_bufferSize", t.buffer_size);
  f("cusparseSpMV_preprocess", t.preprocess);
  f("cusparseSpMV", t.multiply);
}

template <class F>
void each_planned_function(PlannedProduct& p, F f) {
  f("cusparseSpMVOp_bufferSize", p.buffer_size);
  f("cusparseSpMVOp_createDescr", p.create_descriptor);
  f("cusparseSpMVOp_destroyDescr", p.destroy_descriptor);
  f("cusparseSpMVOp_createPlan", p.create_plan);
  f("cusparseSpMVOp_destroyPlan", p.destroy_plan);
  f("cusparseSpMVOp", p.multiply);
}

template <class F>
void find_function(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
}

PlannedProduct find_planned(void* library) {
  PlannedProduct found{};
  bool whole = true;
  each_planned_function(found, [&](const char* name, auto& function) {
    find_function(library, name, function);
    whole &= function != nullptr;
  });
  return whole ? found : PlannedProduct{};
}

std::string version_of(const CusparseTable& table) {
  int parts[3] = {};
  const libraryPropertyType properties[] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
  for (int i = 0; i < 3; ++i)
    if (table.get_property(properties[i], &parts[i]) != CUSPARSE_STATUS_SUCCESS) return "unknown";
  return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

// Why the opened library will not do; empty: the table is filled.
std::string fill(CusparseTable& table, void* library, const std::string& file) {
  std::string missing;
  each_function(table, [&](const char* name, auto& function) {
    find_function(library, name, function);
    if (function == nullptr && missing.empty()) missing = name;
  });
  if (!missing.empty()) return fmt::format("{} has no {}", file, missing);
  int major = 0;
  if (table.get_property(MAJOR_VERSION, &major) != CUSPARSE_STATUS_SUCCESS || major != CUSPARSE_VER_MAJOR)
    return fmt::format("{} is version {}, this build of Heddle knows version {}", file, major, CUSPARSE_VER_MAJOR);
  table.planned = find_planned(library);
  return {};
}

// Where a library that this process has already loaded lies; empty if it has not.
std::string folder_of_loaded(const std::string& name) {
  void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return {};
  char folder[PATH_MAX] = "";
  const bool known = dlinfo(library, RTLD_DI_ORIGIN, folder) == 0;
  dlclose(library);
  return known ? folder : "";
}

std::vector<std::string> usual_places() {
  if (const char* asked = std::getenv("HEDDLE_CUSPARSE"); asked && *asked) return {asked};
  const std::string name = fmt::format("libcusparse.so.{}", CUSPARSE_VER_MAJOR);
  std::vector<std::string> files{name, "libcusparse.so"};
  const std::string beside = folder_of_loaded(fmt::format("libcudart.so.{}", CUDART_VERSION / 1000));
  if (!beside.empty()) files.push_back(beside + '/' + name);
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable)) files.push_back(fmt::format("{}/lib64/{}", home, name));
  files.push_back("/usr/local/cuda/lib64/" + name);
  return files;
}

}  // namespace

CusparseLibrary load_cusparse(const std::vector<std::string>& files) {
  std::string not_found, unsuitable;
  for (const std::string& file : files) {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      if (not_found.empty()) not_found = dlerror();
      continue;
    }
    CusparseLibrary made;
    const std::string reason = fill(made.table, library, file);
    if (reason.empty()) {  // it stays open: the table points into it
      made.version = version_of(made.table);
      return made;
    }
    if (unsuitable.empty()) unsuitable = reason;
    dlclose(library);
  }
  return {.absence = !unsuitable.empty() ? unsuitable : not_found};
}

const CusparseLibrary& cusparse_library() {
  static const CusparseLibrary library = load_cusparse(usual_places());
  return library;
}

void check_cusparse(const CusparseTable& table, cusparseStatus_t status, const char* what) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  const bool unavailable = status == CUSPARSE_STATUS_NOT_SUPPORTED || status == CUSPARSE_STATUS_ALLOC_FAILED ||
                           status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
  fail(unavailable ? ErrorKind::unavailable : ErrorKind::internal, At{"cusparse"}, "{} failed: {}", what,
       table.get_error_string(status));
}

}  // namespace heddle::bench
