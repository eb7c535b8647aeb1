// What kernels that build a format read: the arrays of a CSR matrix.
#pragma once

#include <heddle/matrix.hpp>

#include "simt/simt.hpp"

namespace heddle {

struct PatternArrays {
  std::int64_t rows, cols;
  const Offset* ptr;
  const Index* col;

  explicit PatternArrays(const PatternView& A) : rows(A.rows), cols(A.cols), ptr(A.ptr.data()), col(A.col.data()) {}

  SIMT_DEVICE Offset length(std::int64_t row) const { return ptr[row + 1] - ptr[row]; }
  // The first entry in [begin, end) of one row whose column is `column` or more.
  SIMT_DEVICE Offset entry_from(std::int64_t column, Offset begin, Offset end) const {
    while (begin < end) {
      const Offset middle = begin + (end - begin) / 2;
      if (col[middle] < column)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }
};

template <class V>
struct CsrArrays : PatternArrays {
  const V* val;

  explicit CsrArrays(const CsrView<V>& A) : PatternArrays(A), val(A.val.data()) {}
};

}  // namespace heddle
