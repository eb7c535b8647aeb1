if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)  # but for what <heddle/export.hpp> marks
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endif()

find_program(HEDDLE_CCACHE ccache)
if(HEDDLE_CCACHE AND PROJECT_IS_TOP_LEVEL)
  # The sloppiness lets it keep what was compiled with a precompiled header, the base folder what another clone compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${HEDDLE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

find_package(Threads REQUIRED)

# Flags of our own targets, not of those who link us.
add_library(heddle_flags INTERFACE)
target_compile_options(heddle_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers -Wno-unknown-pragmas -Wno-restrict>
  # The numerical contract (Inf, NaN, summation order) does not survive -ffast-math; and a product must not be fused
  # with an addition on one machine and not on another.
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
  # No folder of this machine in what is installed: messages name files from the root of the tree.
  $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>
  $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=../=>  # as ccache names them
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${HEDDLE_WERROR}>>:-Werror>)
if(HEDDLE_SANITIZE)
  target_compile_options(heddle_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${HEDDLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  # What AddressSanitizer finds as well, or what cannot happen here, and what costs a quarter of the compiler's time.
  if(HEDDLE_SANITIZE MATCHES "undefined")
    target_compile_options(heddle_flags INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,object-size,vptr,pointer-overflow>)
  endif()
  target_link_options(heddle_flags INTERFACE -fsanitize=${HEDDLE_SANITIZE})
endif()

# What nearly all files of the library and the lab include: one second of each, half of what most of them take.
set(HEDDLE_PRECOMPILED_HEADERS <algorithm> <array> <atomic> <bit> <cmath> <cstdint> <cstdlib> <cstring> <functional> <limits>
  <map> <memory> <mutex> <numeric> <optional> <span> <string> <thread> <utility> <vector> <fmt/format.h>)
