// Kernels that build csr_ell from a matrix on the device, the same arrays as csr_ell.cpp makes; for csr_ell_gpu.cu:
//
//   sort    rows by min(length, T), equal ones as they were: short rows in their order, then those that stay CSR
//   pack    where the rows of each length begin goes to the host, which packs warps: a few dozen runs of them
//   scan    where the entries of each warp start; of each long row its entries, its pieces and whether they are many
//   store   a warp of the builder for each warp of the layout, and for each piece
//
// The escape becomes an ELLPACK as wide as the longest row; where K by Cusp's rule is less than that, the host builds.
#pragma once

#include <bit>

#include "formats/csr_ell/csr_ell.hpp"
#include "simt/csr/device_csr.hpp"
#include "simt/primitives/radix.hpp"
#include "simt/primitives/reduce.hpp"
#include "simt/primitives/scan.hpp"

namespace heddle {

namespace packing {

namespace {

constexpr int threads = 256, most_lengths = 4096;

// ---- settling

struct AllLengths {
  using Result = RowLengthSums;
  const Offset* ptr;

  SIMT_DEVICE void add(std::int64_t row, RowLengthSums& to) const { to.add_row(ptr[row + 1] - ptr[row]); }
};

// ---- sorting

struct LengthKeys {
  const Offset* ptr;
  int T;

  SIMT_DEVICE std::uint32_t key(std::int64_t row) const {
    const Offset length = ptr[row + 1] - ptr[row];
    return static_cast<std::uint32_t>(length < T ? length : T);
  }
};

// first[l]: how many rows are shorter than l, up to T. A thread a row, and one behind the last.
SIMT_KERNEL note_first_of_length(const std::uint32_t* key, std::int64_t rows, int T, Index* first) {
  const std::int64_t i = simt::global_thread();
  if (i > rows) return;
  const int from = i == 0 ? 0 : static_cast<int>(key[i - 1]) + 1, upto = i == rows ? T : static_cast<int>(key[i]);
  for (int l = from; l <= upto; ++l) first[l] = static_cast<Index>(i);
}

// ---- scanning

struct EntrySum {
  Offset entries = 0;
  SIMT_BOTH void add(const EntrySum& other) { entries += other.entries; }
};

struct PackedWarps {
  using Sum = EntrySum;
  const WarpRun* run;
  int runs;
  const std::uint32_t* length;  // of the rows in their order
  EllWarp* to;

  SIMT_DEVICE EllWarp warp(std::int64_t number) const {
    int low = 0, high = runs;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (run[middle].warp <= number ? low : high) = middle;
    }
    const WarpRun& mine = run[low];
    const auto first = static_cast<Index>(mine.first + (number - mine.warp) * mine.rows);
    const int longest = static_cast<int>(length[first + mine.rows - 1]);
    return {0, first, mine.rows, mine.lanes, (longest + mine.lanes - 1) / mine.lanes};
  }
  SIMT_DEVICE EntrySum item(std::int64_t number) const { return {Offset{warp(number).steps} * simt::warp_size}; }
  SIMT_DEVICE void place(std::int64_t number, const EntrySum& before) const {
    EllWarp placed = warp(number);
    placed.start = before.entries;
    to[number] = placed;
  }
};

// What the long rows before one take.
struct LongSum {
  Offset entries = 0;
  std::int32_t pieces = 0, crossings = 0;
  SIMT_BOTH void add(const LongSum& other) {
    entries += other.entries, pieces += other.pieces, crossings += other.crossings;
  }
};

struct LongRows {
  using Sum = LongSum;
  const Index* row;
  const Offset* ptr;
  int L;
  LongSum* before_row;

  SIMT_DEVICE Offset length(std::int64_t i) const { return ptr[row[i] + 1] - ptr[row[i]]; }
  SIMT_DEVICE LongSum item(std::int64_t i) const {
    const Offset entries = length(i);
    return {entries, static_cast<std::int32_t>((entries + L - 1) / L), entries > L};
  }
  SIMT_DEVICE void place(std::int64_t i, const LongSum& before) const { before_row[i] = before; }
};

// ---- storing

template <class V>
struct PackedTarget {
  const EllWarp* warp;
  std::int64_t warps;
  const Index* row;  // in their order
  Index *ell_row, *ell_length, *col;
  V* val;
};

// Every place of a warp is written, padding too.
template <class V>
SIMT_KERNEL store_rows_warp_per_warp(CsrArrays<V> A, PackedTarget<V> to) {
  const std::int64_t number = simt::global_thread() / simt::warp_size;
  if (number >= to.warps) return;
  const EllWarp warp = to.warp[number];
  const int q = simt::lane() / warp.lanes, p = simt::lane() % warp.lanes;
  const bool has_row = q < warp.rows;
  const Index row = has_row ? to.row[warp.first + q] : 0;
  const Offset begin = has_row ? A.ptr[row] : 0, length = has_row ? A.length(row) : 0;
  if (has_row && p == 0) {
    to.ell_row[warp.first + q] = row;
    to.ell_length[warp.first + q] = static_cast<Index>(length);
  }
  for (std::int32_t step = 0; step < warp.steps; ++step) {
    const Offset k = Offset{step} * warp.lanes + p, at = warp.start + Offset{step} * simt::warp_size + simt::lane();
    to.col[at] = k < length ? simt::cached_load(A.col + begin + k) : -1;
    to.val[at] = k < length ? simt::cached_load(A.val + begin + k) : V(0);
  }
}

struct LongTarget {
  const LongSum* before_row;
  Index* csr_row;
  CsrPiece* piece;
  Crossing* crossing;
};

SIMT_KERNEL cut_warp_per_long_row(LongRows rows, std::int64_t count, LongTarget to) {
  const std::int64_t i = simt::global_thread() / simt::warp_size;
  if (i >= count) return;
  const LongSum before = to.before_row[i], own = rows.item(i);
  const Offset end = before.entries + own.entries;
  for (std::int32_t j = simt::lane(); j < own.pieces; j += simt::warp_size) {
    const Offset from = before.entries + Offset{j} * rows.L;
    to.piece[before.pieces + j] = {from, from + rows.L < end ? from + rows.L : end, static_cast<Index>(i),
                                   own.crossings == 0};
  }
  if (simt::lane() != 0) return;
  to.csr_row[i] = rows.row[i];
  if (own.crossings > 0) to.crossing[before.crossings] = {rows.row[i], before.pieces, own.pieces - 1};
}

template <class V>
SIMT_KERNEL copy_warp_per_piece(CsrArrays<V> A, LongTarget from, std::int64_t pieces, Index* col, V* val) {
  const std::int64_t number = simt::global_thread() / simt::warp_size;
  if (number >= pieces) return;
  const CsrPiece piece = from.piece[number];
  const Offset source = A.ptr[from.csr_row[piece.row]] - from.before_row[piece.row].entries;
  for (Offset k = piece.begin + simt::lane(); k < piece.end; k += simt::warp_size) {
    col[k] = simt::cached_load(A.col + source + k);
    val[k] = simt::cached_load(A.val + source + k);
  }
}

// ---- the escape

struct ShortLengthCounts {
  static constexpr std::int64_t most = RowLengthSums::very_short;
  std::int64_t of_length[most + 2] = {};  // the last one: longer
  SIMT_BOTH void add(const ShortLengthCounts& other) {
    for (int l = 0; l < most + 2; ++l) of_length[l] += other.of_length[l];
  }
};
struct ShortLengths {
  using Result = ShortLengthCounts;
  const Offset* ptr;

  SIMT_DEVICE void add(std::int64_t row, ShortLengthCounts& to) const {
    const Offset length = ptr[row + 1] - ptr[row];
    for (int l = 0; l <= ShortLengthCounts::most; ++l) to.of_length[l] += length == l;
    to.of_length[ShortLengthCounts::most + 1] += length > ShortLengthCounts::most;
  }
};

template <class V>
SIMT_KERNEL store_width_thread_per_row(CsrArrays<V> A, std::int64_t ld, std::int64_t K, Index* col, V* val) {
  const std::int64_t row = simt::global_thread();
  if (row >= ld) return;
  const Offset begin = row < A.rows ? A.ptr[row] : 0, length = row < A.rows ? A.length(row) : 0;
  for (std::int64_t k = 0; k < K; ++k) {
    col[k * ld + row] = k < length ? simt::cached_load(A.col + begin + k) : -1;
    val[k * ld + row] = k < length ? simt::cached_load(A.val + begin + k) : V(0);
  }
}

// K by Cusp's rule where that is the longest row, else nothing.
std::optional<std::int64_t> width_of_all(simt::Here here, const PatternView& A, Device device) {
  constexpr std::int64_t most = ShortLengthCounts::most;
  const ShortLengthCounts counts = device::reduce(here, ShortLengths{A.ptr.data()}, A.rows, device);
  std::int64_t longest = most + 1;
  while (longest > 0 && counts.of_length[longest] == 0) --longest;
  if (longest > most) return {};
  const auto longer = [&](std::int64_t k) {
    std::int64_t rows = 0;
    for (std::int64_t l = k + 1; l <= longest; ++l) rows += counts.of_length[l];
    return rows;
  };
  const std::int64_t K = ell_width(longer, A.rows, longest, cusp);
  return K == longest ? std::optional(K) : std::nullopt;
}

template <class V>
bool escape_there(simt::Here here, const CsrView<V>& A, Device device, EllAndRest<V>& to) {
  const auto K = width_of_all(here, A, device);
  if (!K) return false;
  to.ell.shape = one_slice(A.rows);
  const std::int64_t ld = to.ell.shape.slice;
  if (too_much_padding(ld * *K, A.nnz())) return false;
  to.ell.col = Buffer<Index>(ld * *K, device);
  to.ell.val = Buffer<V>(ld * *K, device);
  simt::launch(here, {simt::blocks_for(ld, threads), threads}, store_width_thread_per_row<V>, CsrArrays<V>(A), ld, *K,
               to.ell.col.data(), to.ell.val.data());
  return true;
}

// ---- both kinds of row

// Rows in the order of the layout, and how the short ones fall into warps.
struct Order {
  device::SortedByDigit rows;
  Vector<WarpRun> runs;
  std::int64_t packed = 0, warps = 0;
};

Order order_of(simt::Here here, const PatternView& A, const CsrEllSettings& settings, device::Workspace& memory) {
  Order order;
  const int bits = std::bit_width(static_cast<unsigned>(settings.T));
  order.rows = device::queue_sort(here, LengthKeys{A.ptr.data(), settings.T}, {bits}, {.items = A.rows}, memory);
  device::Answers<Index> first(settings.T + 1, memory.device());
  simt::launch(here, {simt::blocks_for(A.rows + 1, threads), threads}, note_first_of_length, order.rows.key, A.rows,
               settings.T, first.there());
  const std::span<const Index> first_of_length = first.here();
  order.packed = first_of_length.back();
  order.runs = pack_runs(first_of_length, settings.M, simt::warp_size);
  if (order.runs.empty()) return order;
  const WarpRun& last = order.runs.back();
  order.warps = last.warp + (order.packed - last.first + last.rows - 1) / last.rows;
  return order;
}

template <class V>
bool store_there(simt::Here here, const CsrView<V>& A, const CsrEllSettings& settings, Device device,
                 CsrEllFormat<V>& to) {
  device::Workspace memory(device);
  const Order order = order_of(here, A, settings, memory);
  const Buffer<WarpRun> runs = Buffer<WarpRun>::copy_of(order.runs, device);
  to.warp = Buffer<EllWarp>(order.warps, device);
  const PackedWarps warps{runs.data(), static_cast<int>(order.runs.size()), order.rows.key, to.warp.data()};
  const std::int64_t long_rows = A.rows - order.packed;
  auto* before_row = memory.take<LongSum>(long_rows);
  const LongRows rows{order.rows.item + order.packed, A.ptr.data(), settings.L, before_row};
  device::Answers<EntrySum> packed(1, device);
  device::Answers<LongSum> kept(1, device);
  device::queue_scan(here, warps, order.warps, memory, packed.there());
  device::queue_scan(here, rows, long_rows, memory, kept.there());
  const Offset packed_entries = packed.here()[0].entries;
  const LongSum all = kept.here()[0];
  if (too_much_padding(packed_entries + all.entries, A.nnz())) return false;

  to.ell_row = Buffer<Index>(order.packed, device);
  to.ell_length = Buffer<Index>(order.packed, device);
  to.ell_col = Buffer<Index>(packed_entries, device);
  to.ell_val = Buffer<V>(packed_entries, device);
  to.piece = Buffer<CsrPiece>(all.pieces, device);
  to.csr_row = Buffer<Index>(long_rows, device);
  to.csr_col = Buffer<Index>(all.entries, device);
  to.csr_val = Buffer<V>(all.entries, device);
  to.crossing = Buffer<Crossing>(all.crossings, device);
  to.partial = Buffer<V>(all.pieces, device);
  const CsrArrays<V> from(A);
  const auto a_warp_each = [](std::int64_t count) {
    return simt::Launch{simt::blocks_for(count * simt::warp_size, threads), threads};
  };
  simt::launch(here, a_warp_each(order.warps), store_rows_warp_per_warp<V>, from,
               PackedTarget<V>{to.warp.data(), order.warps, order.rows.item, to.ell_row.data(), to.ell_length.data(),
                               to.ell_col.data(), to.ell_val.data()});
  const LongTarget target{before_row, to.csr_row.data(), to.piece.data(), to.crossing.data()};
  simt::launch(here, a_warp_each(long_rows), cut_warp_per_long_row, rows, long_rows, target);
  simt::launch(here, a_warp_each(all.pieces), copy_warp_per_piece<V>, from, target, std::int64_t{all.pieces},
               to.csr_col.data(), to.csr_val.data());
  return true;
}

}  // namespace

}  // namespace packing

template <class V>
bool CsrEllFormat<V>::settle_there(simt::Here here, Settings& settings, Source<V> there) {
  const CsrView<V>& A = there.view;
  settle_by(settings, device::reduce(here, packing::AllLengths{A.ptr.data()}, A.rows, there.device), A.rows, A.nnz());
  return true;
}

template <class V>
std::optional<CsrEllFormat<V>> CsrEllFormat<V>::build_there(simt::Here here, Source<V> there,
                                                            const Settings& settings) {
  const CsrView<V>& A = there.view;
  if (A.rows == 0 || settings.T > packing::most_lengths) return {};
  CsrEllFormat made;
  made.rows = A.rows;
  made.cols = A.cols;
  const bool done = settings.escape == 1 ? packing::escape_there(here, A, there.device, made.hyb)
                                         : packing::store_there(here, A, settings, there.device, made);
  return done ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace heddle
