# ctest: the preset `shared`, built and installed, and a program that finds it by find_package and needs nothing of what the
# library uses.
#   cmake -DROOT=... -DWORK=... -DCXX=... -DCC=... -DNM=... -P shared_package.cmake
include(${CMAKE_CURRENT_LIST_DIR}/must.cmake)

must(${CMAKE_COMMAND} -S ${ROOT} -B ${WORK}/build --preset shared -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS_RELEASE=-O0
  -DHEDDLE_APP=OFF -DHEDDLE_C=OFF -DHEDDLE_TESTS=OFF -DHEDDLE_EMULATOR=OFF)
must(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
file(REMOVE_RECURSE ${WORK}/package)
must(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/package)
file(GLOB_RECURSE library ${WORK}/package/libheddle_cpp.so)

must(${CC} ${ROOT}/test/shared_open.c -o ${WORK}/shared_open -ldl)
must(${WORK}/shared_open ${library})
must(${CMAKE_COMMAND} -DNM=${NM} -DLIBRARY=${library} -P ${ROOT}/test/shared_symbols.cmake)

file(WRITE ${WORK}/user/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES CXX)
find_package(heddle 0.1 REQUIRED)
add_executable(multiply ${ROOT}/examples/multiply.cpp)
target_link_libraries(multiply PRIVATE heddle::heddle)
")
must(${CMAKE_COMMAND} -S ${WORK}/user -B ${WORK}/user/build -DCMAKE_PREFIX_PATH=${WORK}/package -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON
  -DCMAKE_DISABLE_FIND_PACKAGE_Threads=ON)
must(${CMAKE_COMMAND} --build ${WORK}/user/build)
check_multiply(${WORK} ${WORK}/user/build/multiply)
