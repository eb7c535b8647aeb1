// A small matrix, and handles that end by themselves, for tests of the C library.
#pragma once

#include <gtest/gtest.h>
#include <heddle.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle_test {

//      [ 4 1 . ]
//  A = [ 1 5 2 ]       entries by rows: 4 1 1 5 2 2 6
//      [ . 2 6 ]
struct Small {
  std::vector<int64_t> offsets{0, 2, 5, 7};
  std::vector<int64_t> columns{0, 1, 0, 1, 2, 1, 2};
  std::vector<int64_t> rows{0, 0, 1, 1, 1, 2, 2};
  std::vector<double> values{4, 1, 1, 5, 2, 2, 6};
};

template <class T>
std::vector<T> as(const std::vector<int64_t>& from, int64_t base) {
  std::vector<T> made;
  for (const int64_t value : from) made.push_back(static_cast<T>(value + base));
  return made;
}

inline heddle_arrays arrays_of(const Small& small) {
  HEDDLE_INIT(heddle_arrays, a);
  a.rows = a.cols = 3, a.nnz = 7;
  a.offset_type = a.index_type = HEDDLE_I64;
  a.offsets = small.offsets.data(), a.indices = small.columns.data(), a.values = small.values.data();
  return a;
}

struct Matrix {
  heddle_matrix* handle = nullptr;
  explicit Matrix(const heddle_arrays& a) {
    EXPECT_EQ(heddle_matrix_create(&a, &handle), HEDDLE_OK) << heddle_last_error();
  }
  explicit Matrix(const char* source) {
    EXPECT_EQ(heddle_matrix_read(source, HEDDLE_F64, nullptr, nullptr, &handle), HEDDLE_OK) << heddle_last_error();
  }
  Matrix(const Matrix&) = delete;
  ~Matrix() { heddle_matrix_destroy(handle); }
};

struct Operator {
  heddle_operator* handle = nullptr;
  explicit Operator(const heddle_matrix* matrix, const heddle_options* options = nullptr) {
    EXPECT_EQ(heddle_operator_create(matrix, options, &handle), HEDDLE_OK) << heddle_last_error();
  }
  explicit Operator(const heddle_arrays& a, const heddle_options* options = nullptr)
      : Operator(Matrix(a).handle, options) {}
  Operator(const Operator&) = delete;
  ~Operator() { heddle_operator_destroy(handle); }
  std::vector<double> times(const std::vector<double>& x, std::size_t rows) const {
    std::vector<double> y(rows, std::nan(""));
    EXPECT_EQ(heddle_multiply(handle, x.data(), y.data(), nullptr), HEDDLE_OK) << heddle_last_error();
    return y;
  }
};

inline heddle_options cpu_options() {
  HEDDLE_INIT(heddle_options, o);
  o.no_cache = 1;
  return o;
}

using Vector = std::vector<double>;

inline const Vector x3{1, 10, 100}, product{14, 251, 620}, doubled{28, 502, 1240};

}  // namespace heddle_test
