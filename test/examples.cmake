# ctest: installs the library, moves it elsewhere, builds the examples against the package and runs them.
#   cmake -DBUILD=... -DROOT=... -DWORK=... -DCXX=... -DCONFIG=... -P examples.cmake
include(${CMAKE_CURRENT_LIST_DIR}/must.cmake)

set(SOURCE ${ROOT}/examples)
set(package ${WORK}/moved)
file(REMOVE_RECURSE ${WORK})
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
file(RENAME ${WORK}/installed ${package})  # so that nothing can rely on where it was installed

# No file names a folder of this machine: neither those of the build (but for what debuggers read), nor, where other
# builds read it, any at all.
set(binaries)
if(NOT CONFIG STREQUAL "Release")
  set(binaries -I)
endif()
execute_process(COMMAND grep -rlF ${binaries} -e ${ROOT} -e ${BUILD} -e ${WORK} ${package} OUTPUT_VARIABLE naming)
if(naming)
  message(FATAL_ERROR "these files name a folder of the build:\n${naming}")
endif()
file(GLOB_RECURSE read_by_builds ${package}/*.cmake ${package}/*.pc)
foreach(file IN LISTS read_by_builds)
  file(STRINGS ${file} absolute REGEX "(^|[\" ;=:>I])/[a-z]+/")
  if(absolute)
    message(FATAL_ERROR "${file} names an absolute path: ${absolute}")
  endif()
endforeach()
foreach(document LICENSE README.md docs/index.md examples/multiply.cpp)
  if(NOT EXISTS ${package}/share/doc/heddle/${document})
    message(FATAL_ERROR "${document} was not installed")
  endif()
endforeach()

# What the pages link to is there, too.
set(documents ${package}/share/doc/heddle)
file(GLOB_RECURSE pages ${documents}/*.md)
foreach(page IN LISTS pages)
  file(READ ${page} text)
  string(REPLACE ";" "," text "${text}")
  string(REGEX REPLACE "```[^`]*```" "" text "${text}")
  string(REPLACE "](" "@LINK(" text "${text}")
  string(REGEX MATCHALL "@LINK[(][^)#: ]+" links "${text}")
  get_filename_component(folder ${page} DIRECTORY)
  foreach(link IN LISTS links)
    string(SUBSTRING "${link}" 6 -1 target)
    if(NOT target MATCHES "^https?$" AND NOT EXISTS ${folder}/${target})
      message(FATAL_ERROR "${page} links to ${target}, which is not installed")
    endif()
  endforeach()
endforeach()

foreach(file man/man1/heddle.1 bash-completion/completions/heddle)
  if(NOT EXISTS ${package}/share/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()

must(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${package} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
must(${CMAKE_COMMAND} --build ${WORK}/build)

# What the library is not for is refused by the compiler, in words.
file(WRITE ${WORK}/complex.cpp "#include <heddle/heddle.hpp>\n#include <complex>\nint main() { heddle::read_matrix<std::complex<double>>(\"a\"); }\n")
must_fail("values are float or double" ${CXX} -std=c++20 -fsyntax-only -I${package}/include ${WORK}/complex.cpp)
must_fail("Heddle needs C++20" ${CXX} -std=c++17 -fsyntax-only -I${package}/include ${WORK}/complex.cpp)

# What the static library needs and is not there, is named.
file(STRINGS ${BUILD}/CMakeCache.txt amd REGEX "^HEDDLE_AMD_LIBRARY:[A-Z]+=/")
if(amd)
  must_fail("SuiteSparse's libamd is needed" ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/no_amd -DCMAKE_PREFIX_PATH=${package}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DHEDDLE_AMD_LIBRARY=OFF)
endif()

must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/build/own_arrays)
foreach(line "row offsets from int32 to int64" "A x = 2 4 10" "z = 0.5 1 1.5")
  if(NOT output MATCHES "${line}")
    message(FATAL_ERROR "\"${line}\" is missing:\n${output}")
  endif()
endforeach()
if(EXISTS ${WORK}/build/own_gpu_arrays)
  must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/build/own_gpu_arrays)
  if(NOT output MATCHES "A x = 2 4 10|no GPU: ")
    message(FATAL_ERROR "a wrong product on the GPU:\n${output}")
  endif()
endif()

check_multiply(${WORK} ${WORK}/build/multiply)

must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/build/solve)
if(NOT output MATCHES "converged after [0-9]+ iterations of cg, preconditioner amg, 3 grids")
  message(FATAL_ERROR "a wrong report:\n${output}")
endif()

must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/build/matrix_free)
if(NOT output MATCHES "converged after [0-9]+ iterations of cg, preconditioner none, plan matrix-free")
  message(FATAL_ERROR "a wrong report:\n${output}")
endif()

# A format from outside keeps the contract (nothing is said before the plan) and multiplies; an edge counts 1. Which plan
# is chosen depends on the machine: custom_work_test asks that of built-in figures.
must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/build/custom_format/custom_format)
if(NOT output MATCHES "^[a-z_]+[^\n]* on cpu: " OR NOT output MATCHES "ones: A 1 = 33 33 33 ")
  message(FATAL_ERROR "a wrong plan or product of a format from outside:\n${output}")
endif()

# The C library: 4 - 1 = 3 in the first row; new values are twice the old ones, so x is one half.
must(${WORK}/build/c/multiply_c)
if(NOT output MATCHES "A . 1 = 3 2 3\n" OR NOT output MATCHES "x = 0.5 0.5 0.5")
  message(FATAL_ERROR "a wrong product or solution in C:\n${output}")
endif()
if(EXISTS ${WORK}/build/c/multiply_fortran)
  must(${WORK}/build/c/multiply_fortran)
  if(NOT output MATCHES "A . 1 =  3.0  2.0  3.0")
    message(FATAL_ERROR "a wrong product in Fortran:\n${output}")
  endif()
else()
  message(STATUS "not run: the Fortran example (no Fortran compiler)")
endif()

# A project in C alone, on a machine that has nothing of what the C++ library needs.
file(WRITE ${WORK}/plain_c/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)
project(plain_c C)
find_package(heddle 0.1 REQUIRED COMPONENTS c)
add_executable(multiply ${SOURCE}/c/multiply.c)
target_link_libraries(multiply PRIVATE heddle::c)
")
must(${CMAKE_COMMAND} -S ${WORK}/plain_c -B ${WORK}/plain_c/build -DCMAKE_PREFIX_PATH=${package}
  -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON
  -DCMAKE_DISABLE_FIND_PACKAGE_Threads=ON -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
must(${CMAKE_COMMAND} --build ${WORK}/plain_c/build)
must(${WORK}/plain_c/build/multiply)
if(NOT output MATCHES "A . 1 = 3 2 3\n")
  message(FATAL_ERROR "a wrong product in C:\n${output}")
endif()

# The same programs without CMake.
find_program(pkg_config NAMES pkg-config pkgconf)
if(pkg_config)
  file(GLOB_RECURSE pc ${package}/heddle.pc)
  get_filename_component(pc_folder ${pc} DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} "${pc_folder}:$ENV{PKG_CONFIG_PATH}")
  must(${pkg_config} --cflags --libs heddle)
  separate_arguments(flags UNIX_COMMAND "${output} ${CUDA_LIBRARIES}")
  get_filename_component(library_folder ${pc_folder} DIRECTORY)
  must(${CXX} -std=c++20 ${SOURCE}/multiply.cpp -o ${WORK}/multiply_by_pkg_config ${flags} -Wl,-rpath,${library_folder})
  check_multiply(${WORK} ${WORK}/multiply_by_pkg_config)
  # A C compiler and the C library alone.
  must(${pkg_config} --cflags --libs heddle-c)
  separate_arguments(flags UNIX_COMMAND "${output}")
  find_program(cc NAMES cc gcc clang)
  must(${cc} -std=c99 ${SOURCE}/c/multiply.c -o ${WORK}/multiply_c_by_pkg_config ${flags} -Wl,-rpath,${library_folder})
  must(${WORK}/multiply_c_by_pkg_config)
  if(NOT output MATCHES "A . 1 = 3 2 3\n")
    message(FATAL_ERROR "a wrong product in C:\n${output}")
  endif()
else()
  message(STATUS "not run: the program without CMake (no pkg-config)")
endif()

# As a part of another project, without what the command, the tests and the C library need. Configured alone here; the
# slow test `subproject` builds it.
must(${CMAKE_COMMAND} -S ${SOURCE}/fetch -B ${WORK}/fetch -DHEDDLE_FOLDER=${ROOT} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_BUILD_TYPE=${CONFIG} -DHEDDLE_CUDA=OFF -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON
  -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON)
must(${CMAKE_COMMAND} --build ${WORK}/fetch --target help)
if(NOT output MATCHES "[. ]multiply[:\n]" OR output MATCHES "[. ](heddle_command|heddle_lab|heddle_c|csr_test)[:\n]")
  message(FATAL_ERROR "another project would build more than the library:\n${output}")
endif()

# Without GoogleTest the build says which words leave the tests out, and with those of docs/install.md goes on.
set(plain ${CMAKE_COMMAND} -S ${ROOT} -B ${WORK}/plain -DCMAKE_CXX_COMPILER=${CXX} -DHEDDLE_CUDA=OFF -DHEDDLE_PYTHON=OFF
  -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON)
must_fail("-DHEDDLE_TESTS=OFF -DHEDDLE_EMULATOR=OFF" ${plain})
file(STRINGS ${ROOT}/docs/install.md line REGEX "^    cmake -S [.] -B build ")
string(REGEX MATCHALL "-DHEDDLE_[A-Z_]+=[A-Z]+" words "${line}")
must(${plain} ${words})
must(${CMAKE_COMMAND} --build ${WORK}/plain --target help)
if(NOT output MATCHES "heddle_command" OR output MATCHES "csr_test")
  message(FATAL_ERROR "the plain build has no command, or tests:\n${output}")
endif()
