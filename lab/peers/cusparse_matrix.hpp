// A matrix the way cuSPARSE wants it: converted from CSR on the host, copied to the GPU, described.
#pragma once

#include <heddle/matrix.hpp>

#include "peers/cusparse_table.hpp"

namespace heddle::bench {

template <class V>
constexpr cudaDataType cusparse_value() {
  return sizeof(V) == 8 ? CUDA_R_64F : CUDA_R_32F;
}

// Offsets in 32 bits where they fit: half the bytes.
struct CusparseOffsets {
  Buffer<Index> narrow;
  Buffer<Offset> wide;

  CusparseOffsets() = default;
  CusparseOffsets(std::span<const Offset> host, Device device);
  const void* data() const { return wide.empty() ? static_cast<const void*>(narrow.data()) : wide.data(); }
  cusparseIndexType_t type() const { return wide.empty() ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I; }
  std::size_t bytes() const { return narrow.bytes() + wide.bytes(); }
};

template <class V>
struct CusparseMatrix {
  CusparseOffsets start;   // of rows, slices or block rows
  Buffer<Index> row, col;  // row: only coordinates have it
  Buffer<V> val;
  CusparseOwner<cusparseConstSpMatDescr_t> descriptor{nullptr, nullptr};

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(start.bytes() + row.bytes() + col.bytes() + val.bytes());
  }
};

template <class V>
CusparseMatrix<V> cusparse_csr(const CusparseTable& table, const CsrView<V>& A, Device device);
template <class V>
CusparseMatrix<V> cusparse_coo(const CusparseTable& table, const CsrView<V>& A, Device device);
// Slices of 32 rows, each as wide as its longest row, column by column; column -1 is padding.
template <class V>
CusparseMatrix<V> cusparse_sliced_ell(const CusparseTable& table, const CsrView<V>& A, Device device);
// Square blocks, row by row. The side is the one of 2, 3, 4, 6 that takes the fewest bytes among those that divide the
// matrix and whose blocks are 70 % full; Error(unavailable) when there is none.
template <class V>
CusparseMatrix<V> cusparse_bsr(const CusparseTable& table, const CsrView<V>& A, Device device);

}  // namespace heddle::bench
