# ctest: the plug-in compiles (syntax alone) with the headers of another release of PETSc, which need not be configured:
# its petscconf.h is that of the installed one.
#   cmake -DCOMPILER=c++ -DFLAGS=... -DSOURCE=<petsc> -DINSTALLED=<include> -DFOLDER=<bindings/petsc> -DWORK=... -P headers.cmake
file(MAKE_DIRECTORY ${WORK})
foreach(name petscconf.h petscconf_poison.h petscfix.h petscpkg_version.h)
  if(EXISTS ${INSTALLED}/${name})
    file(COPY ${INSTALLED}/${name} DESTINATION ${WORK})
  endif()
endforeach()
file(STRINGS ${SOURCE}/include/petscversion.h lines REGEX "define PETSC_VERSION_(MAJOR|MINOR|SUBMINOR) ")
string(REGEX REPLACE "[^0-9;]" "" release "${lines}")
file(GLOB sources ${FOLDER}/*.cpp)
list(LENGTH sources count)
if(count EQUAL 0)
  message(FATAL_ERROR "no sources in ${FOLDER}")
endif()
foreach(source IN LISTS sources)
  execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -w -include ${FOLDER}/test/configured_elsewhere.h
    -I${FOLDER} ${FLAGS} -I${SOURCE}/include -I${WORK} ${source} RESULT_VARIABLE code ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${source} with the headers of PETSc ${release}:\n${text}")
  endif()
endforeach()
message(STATUS "${count} sources compile with the headers of PETSc ${release}")
