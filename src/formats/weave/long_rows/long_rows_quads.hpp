// Rows of a matrix on a device cut into quads (long_rows.hpp), by blocks of threads.
#pragma once

#include <algorithm>

#include "formats/weave/long_rows/long_rows.hpp"
#include "simt/csr/device_csr.hpp"
#include "simt/primitives/reduce.hpp"

namespace heddle::weave {

// Shared memory of a block that cuts a row: of each warp where its last run begins (-1: none does), and its quads.
struct QuadBoard {
  static constexpr int most_warps = 32;
  Offset run[most_warps];
  int quads[most_warps];
};

// So many threads that they cut a row of mean length in eight rounds.
inline simt::Launch block_per_row_of_quads(std::int64_t rows, std::int64_t nnz) {
  constexpr std::int64_t rounds = 8, most_threads = QuadBoard::most_warps * simt::warp_size;
  const std::int64_t wanted = nnz / std::max<std::int64_t>(1, rows) / rounds;
  int threads = simt::warp_size;
  while (2 * threads <= std::min(wanted, most_threads)) threads *= 2;
  return {rows, threads, sizeof(QuadBoard)};
}

// f(k, column, quad, place in the quad, whether it is its last) for the entries of a row, by a block. Gives the number
// of quads. An entry begins a quad when its distance from the beginning of its run is a multiple of four.
template <class F>
SIMT_DEVICE std::int64_t each_quad_entry(const PatternArrays& A, std::int64_t row, F f) {
  QuadBoard& board = *simt::shared<QuadBoard>();
  const int warps = simt::block_threads() / simt::warp_size;
  const Index* col = A.col + A.ptr[row];
  const Offset length = A.length(row);
  const unsigned up_to_me = (2u << simt::lane()) - 1;
  const auto last_bit = [](unsigned bits) { return simt::warp_size - 1 - simt::leading_zeros(bits); };
  Offset run = 0;
  std::int64_t quads = 0;
  for (Offset first = 0; first < length; first += simt::block_threads()) {
    const Offset k = first + simt::thread(), first_of_warp = first + simt::warp() * simt::warp_size;
    const bool present = k < length;
    const Index column = present ? col[k] : 0;
    const unsigned begin_runs = simt::ballot(present && (k == 0 || col[k - 1] != column - 1));
    if (simt::lane() == 0) board.run[simt::warp()] = begin_runs != 0 ? first_of_warp + last_bit(begin_runs) : -1;
    simt::sync_block();
    Offset own_run = run;
    for (int w = 0; w < warps; ++w) {
      if (board.run[w] < 0) continue;
      if (w < simt::warp()) own_run = board.run[w];
      run = board.run[w];
    }
    if (const unsigned before = begin_runs & up_to_me; before != 0) own_run = first_of_warp + last_bit(before);
    const int place = static_cast<int>((k - own_run) % LongShape::per_thread);
    const unsigned begin_quads = simt::ballot(present && place == 0);
    if (simt::lane() == 0) board.quads[simt::warp()] = simt::count_bits(begin_quads);
    simt::sync_block();
    std::int64_t quad = quads + simt::count_bits(begin_quads & up_to_me) - 1;
    for (int w = 0; w < warps; ++w) {
      if (w < simt::warp()) quad += board.quads[w];
      quads += board.quads[w];
    }
    if (present)
      f(k, column, quad, place, place == LongShape::per_thread - 1 || k + 1 == length || col[k + 1] != column + 1);
  }
  return quads;
}

namespace {  // kernels: compiled for two devices under one name

SIMT_KERNEL count_quads_block_per_row(PatternArrays A, Offset* quads) {
  const std::int64_t count = each_quad_entry(A, simt::block(), [](Offset, Index, std::int64_t, int, bool) {});
  if (simt::thread() == 0) quads[simt::block()] = count;
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
inline Buffer<Offset> count_quads(simt::Here here, const PatternView& A, Device device) {
  Buffer<Offset> quads(A.rows, device);
  simt::launch(here, block_per_row_of_quads(A.rows, A.nnz()), count_quads_block_per_row, PatternArrays(A),
               quads.data());
  return quads;
}

}  // namespace heddle::weave
