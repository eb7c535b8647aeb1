# ctest: the library built as a part of another project, from its sources, and a program that was linked with it.
#   cmake -DROOT=... -DWORK=... -DCXX=... -DLAUNCHER=... -P subproject.cmake
include(${CMAKE_CURRENT_LIST_DIR}/must.cmake)

# The library is optimised elsewhere; here it is built once more for its rules alone.
must(${CMAKE_COMMAND} -S ${ROOT}/examples/fetch -B ${WORK} -DHEDDLE_FOLDER=${ROOT} -DCMAKE_CXX_COMPILER=${CXX}
  "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DHEDDLE_CUDA=OFF)
must(${CMAKE_COMMAND} --build ${WORK} --target multiply --parallel 2)
file(REMOVE ${WORK}/y.mtx)
must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/multiply)
file(READ ${WORK}/y.mtx y LIMIT 200)
if(NOT y MATCHES "\n8000 1\n3\n")  # the corner of the 7-point stencil: 6 - 3
  message(FATAL_ERROR "a wrong product:\n${y}")
endif()
