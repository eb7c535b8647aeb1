// The papers' own kernels, as they are described: one load a lane, no unrolling, padding multiplied where the papers
// multiplied it, x and the matrix by the loads they name. Orders of kernels are judged on these; the library's formats
// of the same names are stronger (SpMV4GPU by pairs and without its padding, loops unrolled, the matrix past the L1).
// They want finite x, know no alpha and beta, and exist for the reproduction alone.
//
//   crs          a thread a row                                             CRS of papers 1, 2, 4
//   crs_vector   a warp a row                                               CRS (vector)
//   spmv4gpu     16 threads a row, rows padded to multiples of 16 with zeros that are multiplied
//   ellpack      a thread a row to the longest row's length, with the test for padding inside the loop
//   hyb          ellpack of K columns, then coordinates: a flat kernel, its carries, a serial tail (Bell and Garland)
//   ellpack_r    a thread a row to its own length                           paper 1
//   ellr_t       T threads a row                                            paper 4
//   rgcsr        a block of threads a group of rows, a thread a row         paper 3
//   sliced       T threads a row, slices of C rows sorted in windows, padding multiplied: the rival of paper 2
//   (Monakov)
//
// What fifteen years made different: sums of a warp by shuffles for shared memory of a warp; textures are read by
// ld.global.nc, which is the same path today; ld.cv by volatile loads.
#pragma once

#include <heddle/matrix.hpp>

#include "core/update.hpp"
#include "simt/simt.hpp"

namespace heddle::reproduce {

struct Literal {
  enum class Kernel { crs, crs_vector, spmv4gpu, ellpack, hyb, ellpack_r, ellr_t, rgcsr, sliced };
  enum class Loads {
    texture,     // x through the texture cache, the matrix by plain loads: papers 1 to 4, and strategy 1 of paper 5
    past,        // x through the texture cache, the matrix past the caches: strategy 2
    data_cache,  // x by plain loads, the matrix past the caches: strategy 3
    plain,       // both by plain loads, through the L1
    uncached     // the matrix by plain loads, x past the L1: what caching x is compared with
  };
  enum class Escape { two_thirds, cusp };  // the rule for hyb's K

  Kernel kernel = Kernel::crs;
  int T = 1;        // ellr_t, sliced: 1 to 32
  int block = 256;  // threads of a block, 16 to 512; rgcsr: rows of a group, too
  Loads loads = Loads::texture;
  Escape rule = Escape::two_thirds;
  int C = 32, sigma = 1;  // sliced: rows of a slice, rows of a sorting window
  bool near = false;  // ellpack and hyb's part of it, loads of textures: 16-bit columns, relative to the row (paper 5)
};
std::string to_text(const Literal& literal);  // "literal ellr_t T=4 block=128"

// What a kernel is given. Which of the arrays there are, and what they hold, is up to the kernel.
template <class V>
struct LiteralView {
  std::int64_t rows = 0, width = 0, ld = 0, C = 0;
  const Index *start = nullptr, *length = nullptr, *row_of = nullptr, *col = nullptr;
  const std::int16_t* near = nullptr;  // column - row, in the place of col
  const V* val = nullptr;
  // hyb: what the ELLPACK part leaves
  std::int64_t rest = 0, interval = 0, warps = 0;
  const Index *rest_row = nullptr, *rest_col = nullptr;
  const V* rest_val = nullptr;
  Index* carry_row = nullptr;
  V* carry = nullptr;
};

template <class V>
class LiteralOperator {
 public:
  // Built on the host, then on `device`. Error(unavailable) on the CPU, which has no such kernels; and where padding
  // takes 2^31 places, or ten times the entries and more than 100 million, or 16 bits do not hold a column.
  LiteralOperator(const Csr<V>& A, const Literal& literal, Device device);
  // y = A x
  void multiply(const V* x, V* y, Stream stream) const;
  std::int64_t stored() const { return stored_; }  // entries of the main arrays, padding included

 private:
  void store_rows(const Csr<V>& A, std::int64_t unit);
  void store_columns(const Csr<V>& A, std::int64_t width, std::int64_t ld, std::int64_t T);
  void store_groups(const Csr<V>& A, std::int64_t size);
  void store_slices(const Csr<V>& A);
  void store_rest(const Csr<V>& A);
  void store_near(const Csr<V>& A);
  LiteralView<V> view() const;
  Literal literal_;
  Device device_;
  std::int64_t rows_ = 0, longest_ = 0, width_ = 0, ld_ = 0, stored_ = 0, interval_ = 0, warps_ = 0;
  Buffer<Index> start_, length_, row_of_, col_, rest_row_, rest_col_;
  Buffer<std::int16_t> near_;
  Buffer<V> val_, rest_val_;
  mutable Buffer<Index> carry_row_;
  mutable Buffer<V> carry_;
};

template <class V>
void multiply_literally(simt::Emulator, const Literal& literal, const LiteralView<V>& A, const V* x, V* y, Stream s);
template <class V>
void multiply_literally(simt::Cuda, const Literal& literal, const LiteralView<V>& A, const V* x, V* y, Stream s);

}  // namespace heddle::reproduce
