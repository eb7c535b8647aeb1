# HEDDLE_CUDA = AUTO | ON | OFF  ->  HEDDLE_HAS_CUDA, HEDDLE_HAS_CUSPARSE
set(HEDDLE_HAS_CUDA FALSE)
set(HEDDLE_HAS_CUSPARSE FALSE)
if(HEDDLE_CUDA STREQUAL "OFF")
  return()
endif()

include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  # Machine code for Hopper, and PTX that the driver compiles for anything from Ampere on.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES "80-virtual;90")
  endif()
  enable_language(CUDA)
  # CMake up to 3.25 does not know that nvcc speaks C++20.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  find_package(CUDAToolkit REQUIRED)
  set(HEDDLE_HAS_CUDA TRUE)
  option(HEDDLE_CUDA_LINES "Keep line tables in the GPU kernels, for profilers and compute-sanitizer" OFF)
  # A program is a quarter as large for it (docs/install.md). Of toolkits 12.8 and 12.9 it asks for a driver of 12.4 on.
  include(CheckCompilerFlag)
  check_compiler_flag(CUDA --compress-mode=size HEDDLE_NVCC_COMPRESSES)
  option(HEDDLE_CUDA_CHECK "Compile GPU kernels without optimising them, to see that they compile" OFF)
  if(HEDDLE_CUDA_CHECK)
    set(CMAKE_CUDA_FLAGS_RELEASE "-O0 -DNDEBUG")  # of their host code
  endif()
  # cuSPARSE as a peer in `heddle bench`: its header is enough, the library is loaded when it is first used. It must be
  # one that multiplies blocks, as that of version 12.6 does.
  find_file(HEDDLE_CUSPARSE_HEADER cusparse.h PATHS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
  mark_as_advanced(HEDDLE_CUSPARSE_HEADER)
  if(HEDDLE_CUSPARSE_HEADER)
    file(STRINGS ${HEDDLE_CUSPARSE_HEADER} blocks_in_cusparse REGEX CUSPARSE_SPMV_BSR_ALG1)
    if(blocks_in_cusparse)
      set(HEDDLE_HAS_CUSPARSE TRUE)
    endif()
  endif()
elseif(HEDDLE_CUDA STREQUAL "ON")
  message(FATAL_ERROR "HEDDLE_CUDA=ON, but no CUDA compiler was found: put nvcc on PATH or set CMAKE_CUDA_COMPILER")
endif()
