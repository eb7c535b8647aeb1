# ctest: installs the library, builds the examples against the installed package and runs them.
#   cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCXX=... -DCONFIG=... -P run.cmake
function(must)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  message(STATUS "${out}")
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed with ${code}: ${ARGV}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
must(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/installed -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
must(${CMAKE_COMMAND} --build ${WORK}/build)

# The first point of the 7-point stencil is a corner with three neighbours: 6 - 3 = 3.
must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/build/multiply)
file(READ ${WORK}/y.mtx y)
if(NOT y MATCHES "\n8000 1\n3\n")
  string(SUBSTRING "${y}" 0 200 y)
  message(FATAL_ERROR "a wrong product:\n${y}")
endif()

must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/build/solve)
if(NOT output MATCHES "converged after [0-9]+ iterations of cg, preconditioner amg, 3 grids")
  message(FATAL_ERROR "a wrong report:\n${output}")
endif()

must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/build/matrix_free)
if(NOT output MATCHES "converged after [0-9]+ iterations of cg, preconditioner none, plan matrix-free")
  message(FATAL_ERROR "a wrong report:\n${output}")
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
