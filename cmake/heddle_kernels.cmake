# heddle_emulated(OUT FILES...): a *_gpu.cu goes to nvcc in a CUDA build; the emulator's copy is a one-line .cpp that
# includes it, by its path from the folder of the CMakeLists.txt.
function(heddle_emulated out)
  set(emulated_sources)
  foreach(absolute IN LISTS ARGN)
    file(RELATIVE_PATH kernel ${CMAKE_CURRENT_SOURCE_DIR} ${absolute})
    string(REGEX REPLACE "[.]cu$" ".cpp" emulated ${CMAKE_CURRENT_BINARY_DIR}/emulated/${kernel})
    file(CONFIGURE OUTPUT ${emulated} CONTENT "#include \"@kernel@\"\n" @ONLY)
    list(APPEND emulated_sources ${emulated})
  endforeach()
  # The emulator spends its time between lanes, not in them: -O1 takes half the compiler's time, and sell's products 15 % more.
  set_property(SOURCE ${emulated_sources} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # what is included here is the main file: its anonymous namespaces are no mistake
    set_property(SOURCE ${emulated_sources} APPEND PROPERTY COMPILE_OPTIONS -Wno-subobject-linkage)
  endif()
  set(${out} ${emulated_sources} PARENT_SCOPE)
endfunction()

# heddle_cuda_target(TARGET): how its *.cu are compiled by nvcc.
function(heddle_cuda_target target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${HEDDLE_CUDA_LINES}>>:-lineinfo>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${HEDDLE_NVCC_COMPRESSES}>>:--compress-mode=size>)
  if(HEDDLE_CUDA_CHECK)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcicc -O0>")
  endif()
endfunction()

# heddle_host_uses_cuda(FILES...): host code that includes headers of CUDA. They are given to these files alone: all others
# are compiled by the same commands whether there is CUDA or not.
function(heddle_host_uses_cuda)
  foreach(folder IN LISTS CUDAToolkit_INCLUDE_DIRS)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -isystem ${folder})
  endforeach()
endfunction()
