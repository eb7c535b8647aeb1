// Rows of a matrix on a device cut into quads (weave_long.hpp), by warps.
#pragma once

#include "formats/weave/weave_long.hpp"
#include "layout/device_csr.hpp"
#include "layout/device_reduce.hpp"

namespace heddle::weave {

// f(k, column, quad, place in the quad, whether it is its last) for the entries of a row, by a warp. Gives the number
// of quads. An entry begins a quad when its distance from the beginning of its run is a multiple of four.
template <class F>
SIMT_DEVICE std::int64_t each_quad_entry(const PatternArrays& A, std::int64_t row, F f) {
  const Index* col = A.col + A.ptr[row];
  const Offset length = A.length(row);
  const unsigned up_to_me = (2u << simt::lane()) - 1;
  Offset run = 0;
  std::int64_t quads = 0;
  for (Offset first = 0; first < length; first += simt::warp_size) {
    const Offset k = first + simt::lane();
    const bool present = k < length;
    const Index column = present ? col[k] : 0;
    const unsigned begin_runs = simt::ballot(present && (k == 0 || col[k - 1] != column - 1));
    const unsigned before = begin_runs & up_to_me;
    const Offset own_run = before != 0 ? first + simt::warp_size - 1 - simt::leading_zeros(before) : run;
    const int place = static_cast<int>((k - own_run) % LongShape::per_thread);
    const unsigned begin_quads = simt::ballot(present && place == 0);
    const std::int64_t quad = quads + simt::count_bits(begin_quads & up_to_me) - 1;
    if (present)
      f(k, column, quad, place, place == LongShape::per_thread - 1 || k + 1 == length || col[k + 1] != column + 1);
    if (begin_runs != 0) run = first + simt::warp_size - 1 - simt::leading_zeros(begin_runs);
    quads += simt::count_bits(begin_quads);
  }
  return quads;
}

namespace {  // kernels: compiled for two devices under one name

SIMT_KERNEL count_quads_warp_per_row(PatternArrays A, Offset* quads) {
  const std::int64_t row = simt::global_thread() / simt::warp_size;
  if (row >= A.rows) return;
  const std::int64_t count = each_quad_entry(A, row, [](Offset, Index, std::int64_t, int, bool) {});
  if (simt::lane() == 0) quads[row] = count;
}

struct Gap {
  std::int32_t any = 0;
  SIMT_BOTH void add(const Gap& other) { any |= other.any; }
};

struct RowsWithGaps {
  using Result = Gap;
  PatternArrays A;

  SIMT_DEVICE void add(std::int64_t row, Gap& to) const {
    if (!RowRun::is_one(A, row)) to.any = 1;
  }
};

}  // namespace

// The quads of each row.
inline Buffer<Offset> count_quads(simt::Here here, const PatternArrays& A, Device device) {
  constexpr int threads = 128;
  Buffer<Offset> quads(A.rows, device);
  simt::launch(here, {simt::blocks_for(A.rows * simt::warp_size, threads), threads}, count_quads_warp_per_row, A,
               quads.data());
  return quads;
}

inline bool rows_are_runs(simt::Here here, const PatternArrays& A, Device device) {
  return device::reduce(here, RowsWithGaps{A}, A.rows, device, 1).any == 0;
}

}  // namespace heddle::weave
