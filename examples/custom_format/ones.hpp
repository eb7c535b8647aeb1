// A format of our own: matrices whose values are all the same, as those of graphs are. It keeps one value, and columns.
//
//   A = [ 2 . 2 ]     ptr  0 2 2 3     col  0 2 1     value  2        4 bytes an entry; csr has 8 or 12
//       [ . . . ]
//       [ . 2 . ]
#pragma once

#include <algorithm>
#include <cstring>

#include <heddle/custom_format.hpp>
#include <heddle/error.hpp>

template <class V>
struct Ones {
  std::int64_t rows = 0, cols = 0;
  V value = 0;
  heddle::Buffer<heddle::Offset> ptr;
  heddle::Buffer<heddle::Index> col;

  auto arrays() { return std::tie(ptr, col); }

  static heddle::FormatInfo about() {
    return {.name = "ones",
            .summary = "one value for all entries: row starts and columns alone",
            .origin = "examples/custom_format",
            .drawing = "  ptr, col as in csr; every entry is `value`\n",
            .settings = {}};
  }

  static heddle::Footprint footprint(const heddle::PatternView& A, const heddle::Plan&, int) {
    return {.bytes = bytes_for(A.rows, A.nnz()), .stored = A.nnz(), .padding_percent = 0, .fits = true, .reason = {}};
  }

  static heddle::ProductWork work(const heddle::Structure& facts, const heddle::Plan&, int) {
    return {.bytes = static_cast<double>(bytes_for(facts.rows, facts.nnz)),
            .places = static_cast<double>(facts.nnz),
            .lanes = 32,
            .fits = facts.distinct_values == 1 && !facts.distinct_capped};
  }

  static Ones build(const heddle::CsrView<V>& A, const heddle::Plan&) {
    const V value = A.val.empty() ? V(0) : A.val[0];
    const auto differs = [&](const V& other) { return std::memcmp(&other, &value, sizeof(V)) != 0; };
    if (std::any_of(A.val.begin(), A.val.end(), differs))
      throw heddle::Error(heddle::ErrorKind::unavailable, "the values are not all the same", "ones");
    return {A.rows, A.cols, value, heddle::Buffer<heddle::Offset>::copy_of(A.ptr),
            heddle::Buffer<heddle::Index>::copy_of(A.col)};
  }

  heddle::Csr<V> restore() const {
    heddle::Csr<V> A{rows, cols, ptr, col, heddle::Buffer<V>(col.size())};
    std::fill(A.val.begin(), A.val.end(), value);
    return A;
  }

  void multiply(const heddle::FormatProduct<V>& p) const {
    heddle::for_rows(rows, col.size() + rows, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        V sum = 0;
        for (heddle::Offset k = ptr[row]; k < ptr[row + 1]; ++k) sum += value * p.x[col[k]];
        p.put(row, sum, ptr[row] < ptr[row + 1]);
      }
    });
  }

#ifdef ONES_ON_GPU
  void multiply_on_gpu(const heddle::FormatProduct<V>& p) const;  // ones_gpu.cu
#endif

 private:
  static std::int64_t bytes_for(std::int64_t rows, std::int64_t nnz) {
    return (rows + 1) * static_cast<std::int64_t>(sizeof(heddle::Offset)) +
           nnz * static_cast<std::int64_t>(sizeof(heddle::Index));
  }
};
