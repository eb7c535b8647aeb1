// The functions of cuSPARSE that a peer calls, loaded when they are first asked for: nothing links against the library,
// and a machine without it has no such peers. Only code of a build that found cusparse.h includes this.
#pragma once

#include <cusparse.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace heddle::bench {

struct CusparseTable {
  decltype(&::cusparseGetProperty) get_property;
  decltype(&::cusparseGetErrorString) get_error_string;
  decltype(&::cusparseCreate) create;
  decltype(&::cusparseDestroy) destroy;
  decltype(&::cusparseSetStream) set_stream;
  decltype(&::cusparseCreateConstCsr) create_csr;
  decltype(&::cusparseCreateConstCoo) create_coo;
  decltype(&::cusparseCreateConstSlicedEll) create_sliced_ell;
  decltype(&::cusparseCreateConstBsr) create_bsr;
  decltype(&::cusparseDestroySpMat) destroy_matrix;
  decltype(&::cusparseCreateConstDnVec) create_input;
  decltype(&::cusparseCreateDnVec) create_output;
  decltype(&::cusparseDestroyDnVec) destroy_vector;
  decltype(&::cusparseSpMV_bufferSize) buffer_size;
  decltype(&::cusparseSpMV_preprocess) preprocess;
  decltype(&::cusparseSpMV) multiply;
};

struct CusparseLibrary {
  CusparseTable table{};
  std::string absence;  // why it cannot be used; empty: it can
};

// The first of these files that the loader finds and that has every function, in the version this was compiled for.
CusparseLibrary load_cusparse(const std::vector<std::string>& files);
// Loaded once: by name on the loader's path, beside a libcudart of this process, in CUDA_HOME, CUDA_PATH or
// /usr/local/cuda.
const CusparseLibrary& cusparse_library();

// Error(unavailable) for what cuSPARSE does not support or has no memory for, Error(internal) for anything else.
void check_cusparse(const CusparseTable& table, cusparseStatus_t status, const char* what);

// An object of cuSPARSE with the function that destroys it.
template <class T, class Destroyed = T>
using CusparseOwner = std::unique_ptr<std::remove_pointer_t<T>, cusparseStatus_t (*)(Destroyed)>;

}  // namespace heddle::bench
