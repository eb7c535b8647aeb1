// Heddle: sparse matrix times vector as fast as memory delivers it. The whole public API, in the order of its use.
#pragma once

#if __cplusplus < 202002L
#error "Heddle needs C++20: give the compiler -std=c++20"
#endif

#include <heddle/allocator.hpp>
#include <heddle/analyze.hpp>
#include <heddle/arrays.hpp>
#include <heddle/buffer.hpp>
#include <heddle/choose.hpp>
#include <heddle/device.hpp>
#include <heddle/error.hpp>
#include <heddle/formats.hpp>
#include <heddle/generate.hpp>
#include <heddle/io.hpp>
#include <heddle/machine.hpp>
#include <heddle/matrix.hpp>
#include <heddle/matrix_free.hpp>
#include <heddle/operator.hpp>
#include <heddle/overlapped.hpp>
#include <heddle/plan.hpp>
#include <heddle/progress.hpp>
#include <heddle/recording.hpp>
#include <heddle/reorder.hpp>
#include <heddle/solve.hpp>
#include <heddle/vectors.hpp>
#include <heddle/version.hpp>
