# must(COMMAND...): runs it; a failure ends the test. What it printed is in `output`.
function(must)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  message(STATUS "${out}")
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed with ${code}: ${ARGV}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

# must_fail(WORDS COMMAND...): the command fails, and says WORDS.
function(must_fail words)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  message(STATUS "${out}")
  string(REGEX REPLACE "[ \n]+" " " flat "${out}")  # CMake breaks lines
  string(FIND "${flat}" "${words}" at)
  if(code EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "ended with ${code}, and should fail and say \"${words}\": ${ARGN}")
  endif()
endfunction()

# check_multiply(FOLDER PROGRAM): examples/multiply.cpp, run in that folder. The first point of the 7-point stencil is a corner
# with three neighbours: 6 - 3 = 3.
function(check_multiply folder program)
  file(REMOVE ${folder}/y.mtx)
  must(${CMAKE_COMMAND} -E chdir ${folder} ${program})
  file(READ ${folder}/y.mtx y LIMIT 200)
  file(REMOVE ${folder}/y.mtx)
  if(NOT y MATCHES "\n8000 1\n3\n")
    message(FATAL_ERROR "a wrong product:\n${y}")
  endif()
endfunction()
