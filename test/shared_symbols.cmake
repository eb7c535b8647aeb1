# ctest: the names a shared library shows are those of heddle, the API is among them, and nothing of what lies behind it.
#   cmake -DNM=... -DLIBRARY=... -P shared_symbols.cmake
execute_process(COMMAND ${NM} -DC --defined-only ${LIBRARY} OUTPUT_VARIABLE shown COMMAND_ERROR_IS_FATAL ANY)
foreach(name "heddle::read_matrix<double>" "heddle::optimize<float>" "heddle::Operator<double>::multiply"
             "typeinfo for heddle::Error")
  string(FIND "${shown}" "${name}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${name} is not shown")
  endif()
endforeach()
foreach(name "heddle::simt" "heddle::Emulator" "heddle::registry" "heddle::fail")
  string(FIND "${shown}" " ${name}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${name} is shown")
  endif()
endforeach()
