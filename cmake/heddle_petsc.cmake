# PETSc for real doubles, with the headers of its MPI: HEDDLE_HAS_PETSC, HEDDLE_PETSC_OPTIONS (how to compile against
# it), HEDDLE_PETSC_LIBRARY (where it was found; opened at run time, never linked).
# Sanitized builds go without: what MPI leaves allocated when the process ends would be reported as ours.
find_package(PkgConfig QUIET)
if(HEDDLE_SANITIZE OR NOT PkgConfig_FOUND)
  return()
endif()
pkg_check_modules(HEDDLE_PETSC QUIET PETSc)
if(NOT HEDDLE_PETSC_FOUND)
  return()
endif()
find_package(MPI QUIET COMPONENTS CXX)

set(HEDDLE_PETSC_OPTIONS)
foreach(folder IN LISTS HEDDLE_PETSC_INCLUDE_DIRS MPI_CXX_INCLUDE_DIRS)
  list(APPEND HEDDLE_PETSC_OPTIONS -idirafter ${folder})
endforeach()
find_library(HEDDLE_PETSC_LIBRARY NAMES ${HEDDLE_PETSC_LIBRARIES} HINTS ${HEDDLE_PETSC_LIBRARY_DIRS})
mark_as_advanced(HEDDLE_PETSC_LIBRARY)

include(CheckCXXSourceCompiles)
include(CMakePushCheckState)
cmake_push_check_state(RESET)
list(JOIN HEDDLE_PETSC_OPTIONS " " CMAKE_REQUIRED_FLAGS)
set(CMAKE_REQUIRED_QUIET TRUE)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
check_cxx_source_compiles("
  #include <petscksp.h>
  #include <type_traits>
  static_assert(std::is_same<PetscScalar, double>::value);" HEDDLE_HAS_PETSC)
unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
cmake_pop_check_state()
