# must(COMMAND...): runs it; a failure ends the test. What it printed is in `output`.
function(must)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  message(STATUS "${out}")
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed with ${code}: ${ARGV}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()
