#include "reproduce/kernels/literal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "built_with.hpp"
#include "codec/index_codec.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/system.hpp"
#include "layout/ell_and_rest.hpp"

namespace heddle::reproduce {

namespace {

using Kernel = Literal::Kernel;

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

constexpr std::int64_t half_warp = 16;
constexpr std::int64_t most_flat_warps = 8 * 1024;  // Bell and Garland: eight warps for each block that is resident

void check_places(std::int64_t stored, std::int64_t nnz) {
  check(stored < INT32_MAX && (stored <= 10 * nnz || stored <= 100'000'000), ErrorKind::unavailable,
        "padding makes {} places of {} entries", stored, nnz);
}

// Where entry k of a row is kept in the main arrays; only those with k < kept are.
template <class V, class Place>
void fill(const Csr<V>& A, std::int64_t stored, std::int64_t kept, Buffer<Index>& col, Buffer<V>& val, Place place) {
  check_places(stored, A.nnz());
  col = Buffer<Index>(stored);
  val = Buffer<V>(stored);
  parallel_ranges(stored, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    std::fill(col.data() + begin, col.data() + end, Index{0});
    std::fill(val.data() + begin, val.data() + end, V(0));
  });
  parallel_ranges(A.rows, 1 << 10, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      for (Offset k = 0; k < std::min<Offset>(kept, A.ptr[row + 1] - A.ptr[row]); ++k) {
        const std::int64_t at = place(row, k);
        col[at] = A.col[A.ptr[row] + k];
        val[at] = A.val[A.ptr[row] + k];
      }
  });
}

template <class V>
Buffer<Index> lengths_of(const Csr<V>& A) {
  Buffer<Index> lengths(A.rows);
  for (std::int64_t row = 0; row < A.rows; ++row) lengths[row] = static_cast<Index>(A.ptr[row + 1] - A.ptr[row]);
  return lengths;
}

const char* name_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::crs: return "crs";
    case Kernel::crs_vector: return "crs_vector";
    case Kernel::spmv4gpu: return "spmv4gpu";
    case Kernel::ellpack: return "ellpack";
    case Kernel::hyb: return "hyb";
    case Kernel::ellpack_r: return "ellpack_r";
    case Kernel::ellr_t: return "ellr_t";
    case Kernel::rgcsr: return "rgcsr";
    case Kernel::sliced: return "sliced";
  }
  return "";
}

}  // namespace

std::string to_text(const Literal& literal) {
  std::string text = fmt::format("literal {}", name_of(literal.kernel));
  const bool sliced = literal.kernel == Kernel::sliced;
  if (sliced) text += fmt::format(" C={} sigma={}", literal.C, literal.sigma);
  if (sliced || literal.kernel == Kernel::ellr_t) text += fmt::format(" T={}", literal.T);
  if (sliced || literal.kernel == Kernel::ellr_t || literal.kernel == Kernel::rgcsr)
    text += fmt::format(" block={}", literal.block);
  if (literal.kernel == Kernel::hyb && literal.rule == Literal::Escape::cusp) text += " rule=cusp";
  if (literal.near) text += " columns=16";
  switch (literal.loads) {
    case Literal::Loads::texture: return text;
    case Literal::Loads::past: return text + " loads=past";
    case Literal::Loads::data_cache: return text + " loads=data_cache";
    case Literal::Loads::plain: return text + " loads=plain";
    case Literal::Loads::uncached: return text + " loads=uncached";
  }
  return text;
}

template <class V>
LiteralOperator<V>::LiteralOperator(const Csr<V>& A, const Literal& literal, Device device)
    : literal_(literal), device_(device), rows_(A.rows) {
  check(device.kind != Device::Kind::cpu, ErrorKind::unavailable, "the papers' kernels run on a GPU or the emulator");
  check(literal.block >= 16 && literal.block <= 1024 && literal.T < literal.block, ErrorKind::usage, "no {}",
        to_text(literal));
  check(!literal.near || (literal.loads == Literal::Loads::texture &&
                          (literal.kernel == Kernel::ellpack || literal.kernel == Kernel::hyb)),
        ErrorKind::usage, "no {}", to_text(literal));
  length_ = lengths_of(A);
  longest_ = length_.size() == 0 ? 0 : *std::max_element(length_.begin(), length_.end());
  switch (literal.kernel) {
    case Kernel::crs:
    case Kernel::crs_vector: store_rows(A, 1); break;
    case Kernel::spmv4gpu: store_rows(A, half_warp); break;
    case Kernel::ellpack:
    case Kernel::ellpack_r: store_columns(A, longest_, A.rows, 1); break;  // alignment is future work in paper 1
    case Kernel::ellr_t: store_columns(A, longest_, rounded_up(A.rows, half_warp), literal.T); break;
    case Kernel::rgcsr: store_groups(A, literal.block); break;
    case Kernel::sliced: store_slices(A); break;
    case Kernel::hyb:
      store_columns(A,
                    ell_width({length_.data(), static_cast<std::size_t>(A.rows)},
                              literal.rule == Literal::Escape::cusp ? cusp : two_thirds),
                    rounded_up(A.rows, 32), 1);
      store_rest(A);
  }
  if (literal.near) store_near(A);
  const auto move = [&](auto& array) { array = std::move(array).owned_on(device); };
  move(start_), move(length_), move(row_of_), move(col_), move(near_), move(val_), move(rest_row_), move(rest_col_),
      move(rest_val_);
}

// Row after row, each on a multiple of `unit`.
template <class V>
void LiteralOperator<V>::store_rows(const Csr<V>& A, std::int64_t unit) {
  start_ = Buffer<Index>(A.rows + 1);
  for (std::int64_t row = 0; row < A.rows; ++row) {
    start_[row] = static_cast<Index>(stored_);
    stored_ += rounded_up(length_[row], unit);
    check(stored_ < INT32_MAX, ErrorKind::unavailable, "more than 2^31 places");
  }
  start_[A.rows] = static_cast<Index>(stored_);
  fill(A, stored_, longest_, col_, val_, [&](std::int64_t row, Offset k) { return start_[row] + k; });
}

// The first `width` entries of every row by columns of T entries, `ld` rows high.
template <class V>
void LiteralOperator<V>::store_columns(const Csr<V>& A, std::int64_t width, std::int64_t ld, std::int64_t T) {
  width_ = width, ld_ = ld;
  stored_ = (width + T - 1) / T * ld * T;
  fill(A, stored_, width, col_, val_, [&](std::int64_t row, Offset k) { return (k / T * ld + row) * T + k % T; });
}

// Groups of `size` rows, each by columns as long as its longest row; the last one has the height that is left.
template <class V>
void LiteralOperator<V>::store_groups(const Csr<V>& A, std::int64_t size) {
  const std::int64_t groups = rounded_up(A.rows, size) / size;
  start_ = Buffer<Index>(groups + 1);
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::int64_t first = group * size, last = std::min(A.rows, first + size);
    start_[group] = static_cast<Index>(stored_);
    stored_ += (last - first) * *std::max_element(length_.data() + first, length_.data() + last);
    check(stored_ < INT32_MAX, ErrorKind::unavailable, "more than 2^31 places");
  }
  start_[groups] = static_cast<Index>(stored_);
  fill(A, stored_, longest_, col_, val_, [&](std::int64_t row, Offset k) {
    const std::int64_t first = row / size * size;
    return start_[row / size] + (row - first) + k * std::min(size, A.rows - first);
  });
}

// Slices of C rows, longest first inside windows of sigma rows, each as wide as its longest row needs by T threads. The
// last one has as many places as the others.
template <class V>
void LiteralOperator<V>::store_slices(const Csr<V>& A) {
  const std::int64_t C = literal_.C, T = literal_.T, slices = rounded_up(A.rows, C) / C;
  row_of_ = Buffer<Index>(A.rows);
  std::iota(row_of_.begin(), row_of_.end(), Index{0});
  for (std::int64_t first = 0; first < A.rows && literal_.sigma > 1; first += literal_.sigma)
    std::stable_sort(row_of_.data() + first, row_of_.data() + std::min(A.rows, first + literal_.sigma),
                     [&](Index a, Index b) { return length_[a] > length_[b]; });
  std::vector<Index> place_of(static_cast<std::size_t>(A.rows));
  start_ = Buffer<Index>(slices + 1);
  for (std::int64_t slice = 0; slice < slices; ++slice) {
    start_[slice] = static_cast<Index>(stored_);
    std::int64_t longest = 0;
    for (std::int64_t i = slice * C; i < std::min(A.rows, slice * C + C); ++i) {
      place_of[static_cast<std::size_t>(row_of_[i])] = static_cast<Index>(i);
      longest = std::max<std::int64_t>(longest, length_[row_of_[i]]);
    }
    stored_ += C * rounded_up(longest, T);
    check(stored_ < INT32_MAX, ErrorKind::unavailable, "more than 2^31 places");
  }
  start_[slices] = static_cast<Index>(stored_);
  fill(A, stored_, longest_, col_, val_, [&](std::int64_t row, Offset k) {
    const std::int64_t i = place_of[static_cast<std::size_t>(row)];
    return start_[i / C] + (k / T * C + i % C) * T + k % T;
  });
}

// What lies beyond the ELLPACK part's width, as coordinates in the order of rows.
template <class V>
void LiteralOperator<V>::store_rest(const Csr<V>& A) {
  std::int64_t rest = 0;
  for (const Index length : length_) rest += std::max<std::int64_t>(0, length - width_);
  rest_row_ = Buffer<Index>(rest), rest_col_ = Buffer<Index>(rest), rest_val_ = Buffer<V>(rest);
  std::int64_t at = 0;
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = A.ptr[row] + width_; k < A.ptr[row + 1]; ++k, ++at)
      rest_row_[at] = static_cast<Index>(row), rest_col_[at] = A.col[k], rest_val_[at] = A.val[k];
  const std::int64_t units = rest / 32, wanted = std::min(units, most_flat_warps);
  if (wanted == 0) return;  // the serial kernel does it all
  interval_ = 32 * ((units + wanted - 1) / wanted);
  warps_ = (32 * units + interval_ - 1) / interval_;
  carry_row_ = Buffer<Index>(warps_, device_), carry_ = Buffer<V>(warps_, device_);
}

// After store_columns with T = 1. Padding has 0: its value is what the kernel tests.
template <class V>
void LiteralOperator<V>::store_near(const Csr<V>& A) {
  near_ = Buffer<std::int16_t>(stored_);
  std::fill(near_.begin(), near_.end(), std::int16_t{0});
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (Offset k = 0; k < std::min<Offset>(width_, length_[row]); ++k) {
      const Index col = A.col[A.ptr[row] + k];
      check(Column16::holds(row, col), ErrorKind::unavailable, "16 bits do not hold column {} of row {}", col, row);
      near_[k * ld_ + row] = Column16::encode(row, col);
    }
  col_ = {};
}

template <class V>
LiteralView<V> LiteralOperator<V>::view() const {
  return {.rows = rows_,
          .width = width_,
          .ld = ld_,
          .C = literal_.C,
          .start = start_.data(),
          .length = length_.data(),
          .row_of = row_of_.data(),
          .col = col_.data(),
          .near = near_.data(),
          .val = val_.data(),
          .rest = rest_row_.size(),
          .interval = interval_,
          .warps = warps_,
          .rest_row = rest_row_.data(),
          .rest_col = rest_col_.data(),
          .rest_val = rest_val_.data(),
          .carry_row = carry_row_.data(),
          .carry = carry_.data()};
}

template <class V>
void LiteralOperator<V>::multiply(const V* x, V* y, Stream stream) const {
#ifdef HEDDLE_HAS_EMULATOR
  if (device_.kind == Device::Kind::emulator)
    return multiply_literally(simt::Emulator{}, literal_, view(), x, y, stream);
#endif
#ifdef HEDDLE_HAS_CUDA
  if (device_.kind == Device::Kind::gpu) return multiply_literally(simt::Cuda{}, literal_, view(), x, y, stream);
#endif
  fail(ErrorKind::unavailable, "the papers' kernels run on a GPU or the emulator");
}

template class LiteralOperator<float>;
template class LiteralOperator<double>;

}  // namespace heddle::reproduce
