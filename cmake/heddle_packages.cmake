find_package(fmt 8 REQUIRED)

# Optional at run time of the library: said in the summary, and in the error message of who needs it.
find_package(ZLIB)
find_package(PNG)

if(HEDDLE_APP OR HEDDLE_TESTS)
  find_package(nlohmann_json 3.9 REQUIRED)
endif()
if(HEDDLE_APP)
  find_package(CLI11 2.1 REQUIRED)
endif()
if(HEDDLE_TESTS)
  find_package(GTest REQUIRED)
endif()
# A peer of the CPU kernels in `heddle bench` and in the benchmark programs.
find_package(Eigen3 3.3 NO_MODULE)
if(HEDDLE_BENCH)
  find_package(benchmark)
endif()
