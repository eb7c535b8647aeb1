# ctest: the library built as a part of another project, from its sources, and a program that was linked with it: once by
# FetchContent, once by add_subdirectory.
#   cmake -DROOT=... -DWORK=... -DCXX=... -DLAUNCHER=... -P subproject.cmake
include(${CMAKE_CURRENT_LIST_DIR}/must.cmake)

set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${LAUNCHER}")  # it may be a list, which would come apart among arguments

# The library is optimised elsewhere; here it is built once more for its rules alone.
function(check_project source work)
  must(${CMAKE_COMMAND} -S ${source} -B ${work} -DHEDDLE_FOLDER=${ROOT} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DHEDDLE_CUDA=OFF)
  must(${CMAKE_COMMAND} --build ${work} --target multiply --parallel 2)
  check_multiply(${work} ${work}/multiply)
endfunction()
check_project(${ROOT}/examples/fetch ${WORK}/fetch)

file(WRITE ${WORK}/subdirectory/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)
project(other LANGUAGES CXX)
add_subdirectory(\${HEDDLE_FOLDER} heddle)
add_executable(multiply \${HEDDLE_FOLDER}/examples/multiply.cpp)
target_link_libraries(multiply PRIVATE heddle::heddle)
")
check_project(${WORK}/subdirectory ${WORK}/subdirectory/build)
