// The functions of cuSPARSE that a peer calls, loaded when they are first asked for: nothing links against the library,
// and a machine without it has no such peers. Only code of a build that found cusparse.h includes this.
#pragma once

#include <cusparse.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace heddle::bench {

// The planned product of version 12.8 and later, z = alpha A x + beta y. Declared here, so that a build with an older
// header has it too. All or none of the functions are there.
struct PlannedProduct {
  using Descriptor = struct CusparseOpDescriptor*;
  using Plan = struct CusparseOpPlan*;
  static constexpr int algorithm1 = 1, algorithm2 = 2;  // cusparseSpMVOpAlg_t

  cusparseStatus_t (*buffer_size)(cusparseHandle_t, cusparseOperation_t, cusparseConstSpMatDescr_t,
                                  cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cusparseDnVecDescr_t z,
                                  cudaDataType, int algorithm, std::size_t*);
  cusparseStatus_t (*create_descriptor)(cusparseHandle_t, Descriptor*, cusparseOperation_t, cusparseConstSpMatDescr_t,
                                        cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cusparseDnVecDescr_t z,
                                        cudaDataType, int algorithm, void* buffer);
  cusparseStatus_t (*destroy_descriptor)(Descriptor);
  cusparseStatus_t (*create_plan)(cusparseHandle_t, Descriptor, Plan*, const void* code, std::size_t code_size);
  cusparseStatus_t (*destroy_plan)(Plan);
  cusparseStatus_t (*multiply)(cusparseHandle_t, Plan, const void* alpha, const void* beta, cusparseConstDnVecDescr_t x,
                               cusparseConstDnVecDescr_t y, cusparseDnVecDescr_t z);
};

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
  PlannedProduct planned;

  bool has_planned() const { return planned.multiply != nullptr; }
};

struct CusparseLibrary {
  CusparseTable table{};
  std::string version;  // "12.8.6"
  std::string absence;  // why it cannot be used; empty: it can
};

// The first of these files that the loader finds and that has every function, in the version this was compiled for.
CusparseLibrary load_cusparse(const std::vector<std::string>& files);
// Loaded once: the file that HEDDLE_CUSPARSE names, and no other; without it by name on the loader's path, in the
// folder of a libcudart of this process, in CUDA_HOME, CUDA_PATH or /usr/local/cuda.
const CusparseLibrary& cusparse_library();

// Error(unavailable) for what cuSPARSE does not support or has no memory for, Error(internal) for anything else.
void check_cusparse(const CusparseTable& table, cusparseStatus_t status, const char* what);

// An object of cuSPARSE with the function that destroys it.
template <class T, class Destroyed = T>
using CusparseOwner = std::unique_ptr<std::remove_pointer_t<T>, cusparseStatus_t (*)(Destroyed)>;

}  // namespace heddle::bench
